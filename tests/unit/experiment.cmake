# SPDX-License-Identifier: BSD-2-Clause
weir_add_test(NAME experiment_lab SOURCES experiment_lab.c LIBS weirsim)
weir_add_test(NAME experiment_stress SOURCES experiment_stress.c LIBS weirsim)
weir_add_test(NAME experiment_inject SOURCES experiment_inject.c LIBS weirsim LABELS property
	TIMEOUT 900)
weir_add_test(NAME experiment_tables SOURCES experiment_tables.c LIBS weirsim LABELS property
	TIMEOUT 900)
weir_add_test(NAME experiment_cli SOURCES experiment_cli.c LABELS cli
	DEFINES EMULATOR="${CMAKE_CROSSCOMPILING_EMULATOR}")
add_dependencies(experiment_cli weir-sim)
