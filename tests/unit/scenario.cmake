# SPDX-License-Identifier: BSD-2-Clause
weir_add_test(NAME migrate_run SOURCES migrate_run.c LIBS weirsim LABELS property)
weir_add_test(NAME migrate_log SOURCES migrate_log.c LIBS weirsim LABELS property)
weir_add_test(NAME migrate_pace SOURCES migrate_pace.c LIBS weirsim LABELS property)
weir_add_test(NAME migrate_cli SOURCES migrate_cli.c LABELS cli
	DEFINES EMULATOR="${CMAKE_CROSSCOMPILING_EMULATOR}")
weir_add_test(NAME migrate_calibration SOURCES migrate_calibration.c LIBS weirsim
	LABELS property)
if(NOT CMAKE_CROSSCOMPILING)	# resident memory is then the emulator's
	weir_add_test(NAME migrate_large SOURCES migrate_large.c LABELS property TIMEOUT 1800)
	add_dependencies(migrate_large weir-sim)
endif()
add_dependencies(migrate_cli weir-sim)
weir_add_test(NAME inject_run SOURCES inject_run.c LIBS weirsim LABELS property)
weir_add_test(NAME inject_sched SOURCES inject_sched.c LIBS weirsim LABELS property)
weir_add_test(NAME inject_replay SOURCES inject_replay.c LIBS weirsim LABELS property)
weir_add_test(NAME inject_cli SOURCES inject_cli.c LABELS cli
	DEFINES EMULATOR="${CMAKE_CROSSCOMPILING_EMULATOR}")
add_dependencies(inject_cli weir-sim)
