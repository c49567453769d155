/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own_env.h - a world of one's own: the seam of a hypervisor that has its own panic and its own
 * copies. The library, and whatever includes weir/xlate.h, is compiled with
 * -DWEIR_ENV_HEADER='"own_env.h"'. docs/porting.md explains.
 *
 * What stands before the include is taken instead of builtin.h's; the atomics are builtin.h's.
 */
#ifndef EXAMPLES_OWN_ENV_H
#define EXAMPLES_OWN_ENV_H

#define WEIR_API	/* as visible as everything else */
#define weir_trace(what, a, b)	((void)(what), (void)(a), (void)(b))

#include "weir/env/builtin.h"

_Noreturn void hypervisor_panic(const char *file, int line, const char *text);
void *hypervisor_copy(void *to, const void *from, size_t bytes);
void *hypervisor_fill(void *to, int byte, size_t bytes);

#define weir_memcpy(d, s, n)	hypervisor_copy((d), (s), (n))
#define weir_memset(d, c, n)	hypervisor_fill((d), (c), (n))
#define weir_assert(cond)	((cond) ? (void)0 : hypervisor_panic(__FILE__, __LINE__, #cond))

#endif
