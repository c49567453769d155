# SPDX-License-Identifier: BSD-2-Clause
foreach(test replay workload)
	weir_add_test(NAME guest_${test} SOURCES guest_${test}.c LIBS weirsim LABELS unit)
endforeach()
