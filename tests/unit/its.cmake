# SPDX-License-Identifier: BSD-2-Clause
foreach(test ram gic commands registers invalidate cache save lives v4 stream design failures
	check dirty choices)
	weir_add_test(NAME its_${test} SOURCES its_${test}.c LIBS weirsim LABELS unit)
endforeach()
