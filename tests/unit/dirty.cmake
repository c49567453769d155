# SPDX-License-Identifier: BSD-2-Clause
foreach(name init fault read take learn)
	if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/dirty_${name}.c)
	weir_add_test(NAME dirty_${name} SOURCES dirty_${name}.c)
	endif()
endforeach()
