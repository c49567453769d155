# SPDX-License-Identifier: BSD-2-Clause
weir_add_test(NAME inject_random SOURCES inject_random.c LIBS weirsim LABELS property)
