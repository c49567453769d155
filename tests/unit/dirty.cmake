# SPDX-License-Identifier: BSD-2-Clause
foreach(name init fault read take learn readers ring assume failures blocks)
	weir_add_test(NAME dirty_${name} SOURCES dirty_${name}.c)
endforeach()
