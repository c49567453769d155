/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weir/env.h - the compile-time seam: everything the library needs from the world it is built in.
 *
 * The library is written against the vocabulary below and nothing else. WEIR_ENV_HEADER names the
 * header that supplies it; four come with the project, and the first three are taken by themselves:
 *
 *   "weir/env/hosted.h"        a VMM or a test program, over the compiler's builtins
 *   "weir/env/freestanding.h"  a hypervisor without a C library: only <stdint.h> and friends;
 *                              taken with -ffreestanding
 *   "weir/env/linux.h"         the Linux kernel, over smp_load_acquire(), cmpxchg() and the like;
 *                              taken with __KERNEL__
 *   "weir/env/explore.h"       the interleaving explorer: every atomic is a scheduling point
 *
 * A world of one's own is one more header, named by -DWEIR_ENV_HEADER='"my_env.h"' wherever the
 * library is compiled and wherever weir/xlate.h is included: it has an inline function that uses
 * the atomics. docs/porting.md has what such a header must have, and an example.
 *
 * Atomics work on plain 8, 16, 32 and 64-bit integers, by pointer, and are generic in the width.
 * The orders are the subset on which C11 and the kernel's memory model agree, so that all four
 * worlds mean the same: relaxed, acquire, release, acq_rel, and one full fence.
 *
 *   weir_load_relaxed(p)              weir_load_acquire(p)
 *   weir_store_relaxed(p, v)          weir_store_release(p, v)
 *   weir_fetch_add_relaxed(p, v)      _acquire  _release  _acq_rel     -> the value before
 *   weir_fetch_and_relaxed(p, v)      _acquire  _release  _acq_rel     -> the value before
 *   weir_fetch_or_relaxed(p, v)       _acquire  _release  _acq_rel     -> the value before
 *   weir_exchange_relaxed(p, v)       _acquire  _release  _acq_rel     -> the value before
 *   weir_cas_relaxed(p, exp, v)       _acquire  _release  _acq_rel     -> bool; strong; on failure
 *                                     *exp is what was found, and the order is relaxed (relaxed,
 *                                     release) or acquire (acquire, acq_rel)
 *   weir_fence_full()                 orders everything before it against everything after it
 *
 * Beside them:
 *
 *   weir_plain_load(p)  weir_plain_store(p, v)   a shared access that the protocol keeps free of
 *                                     races; the explorer checks that it is
 *   weir_pause()                      a spin-wait hint
 *   weir_prefetch(p)                  a read prefetch hint; p need not be mapped
 *   weir_memcpy(d, s, n)  weir_memset(d, c, n)
 *   weir_popcount64(v)                set bits of v, as an unsigned int, without a libgcc call
 *   weir_ctz64(v)                     index of the lowest set bit; v is not 0
 *   weir_assert(cond)                 a state invariant: traps, warns or vanishes, as configured
 *   weir_trace(what, a, b)            a trace hook: a WEIR_TRACE_* number and two 64-bit values
 *   WEIR_API                          visibility of a public function's definition
 */
#ifndef WEIR_ENV_H
#define WEIR_ENV_H

/*
 * State is 64 bits wide, and its atomics are single instructions: of a 32-bit target they would ask
 * for libatomic or libgcc, which a kernel does not have.
 */
#if __SIZEOF_POINTER__ < 8
#error "weir: 64-bit targets only: arm64 and x86-64 are supported, 32-bit ones are not"
#endif

#ifndef WEIR_ENV_HEADER
#if defined(__KERNEL__) && defined(__linux__)
#define WEIR_ENV_HEADER "weir/env/linux.h"
#elif defined(__STDC_HOSTED__) && !__STDC_HOSTED__
#define WEIR_ENV_HEADER "weir/env/freestanding.h"
#else
#define WEIR_ENV_HEADER "weir/env/hosted.h"
#endif
#endif

#include WEIR_ENV_HEADER

#endif
