# SPDX-License-Identifier: BSD-2-Clause
foreach(test content stage2 walk tlb mmu glue dirty script vtcr run hdbss caps)
	weir_add_test(NAME machine_${test} SOURCES machine_${test}.c LIBS weirsim LABELS unit)
endforeach()
