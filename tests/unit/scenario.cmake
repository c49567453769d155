# SPDX-License-Identifier: BSD-2-Clause
weir_add_test(NAME migrate_run SOURCES migrate_run.c LIBS weirsim LABELS property)
