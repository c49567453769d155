# SPDX-License-Identifier: BSD-2-Clause
weir_add_test(NAME xlate_random SOURCES xlate_random.c LABELS property TIMEOUT 900)
weir_add_test(NAME xlate_threads SOURCES xlate_threads.c LABELS property concurrent TIMEOUT 900)
weir_add_test(NAME xlate_ratio SOURCES xlate_ratio.c LIBS dep::zstd LABELS property TIMEOUT 900)
