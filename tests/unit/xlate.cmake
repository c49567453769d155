# SPDX-License-Identifier: BSD-2-Clause
foreach(name init cache invalidate victims displaced readonly storm)
	weir_add_test(NAME xlate_${name} SOURCES xlate_${name}.c)
endforeach()
