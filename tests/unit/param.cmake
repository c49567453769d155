# SPDX-License-Identifier: BSD-2-Clause
weir_add_test(NAME param_text SOURCES param_text.c LIBS weirsim)
weir_add_test(NAME param_registry SOURCES param_registry.c LIBS weirsim)
