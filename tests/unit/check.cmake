# SPDX-License-Identifier: BSD-2-Clause
weir_add_test(NAME check_dirty SOURCES check_dirty.c LIBS weirsim LABELS unit)
