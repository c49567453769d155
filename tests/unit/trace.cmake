# SPDX-License-Identifier: BSD-2-Clause

foreach(subject text pagewr)
	weir_add_test(NAME trace_${subject} SOURCES trace_${subject}.c LIBS weirsim)
endforeach()
target_link_libraries(trace_text PRIVATE dep::zstd)
