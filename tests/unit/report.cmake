# SPDX-License-Identifier: BSD-2-Clause
weir_add_test(NAME report_format SOURCES report_format.c LIBS weirsim)
weir_add_test(NAME report_series SOURCES report_series.c LIBS weirsim)
weir_add_test(NAME report_files SOURCES report_files.c LIBS weirsim)
weir_add_test(NAME report_config SOURCES report_config.c cli/scenario.c LIBS weirsim)
weir_add_test(NAME report_run SOURCES report_run.c cli/scenario.c LIBS weirsim)
