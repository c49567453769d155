# SPDX-License-Identifier: BSD-2-Clause
weir_add_test(NAME dirty_random SOURCES dirty_random.c LABELS property TIMEOUT 900)
weir_add_test(NAME dirty_promise SOURCES dirty_promise.c LABELS property TIMEOUT 900)
weir_add_test(NAME dirty_threads SOURCES dirty_threads.c LABELS property concurrent TIMEOUT 900)
