# SPDX-License-Identifier: BSD-2-Clause

foreach(subject queue rng stats hist history digest map)
	weir_add_test(NAME engine_${subject} SOURCES engine_${subject}.c LIBS weirsim)
endforeach()
