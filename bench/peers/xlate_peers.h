/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xlate_peers.h - other ways to remember translations, as cases of the xlate benches.
 *
 * Each is written for this purpose from descriptions, and none of their code. All hold all keys:
 * none is bounded, and none is invalidated while it is timed.
 */
#ifndef WEIR_BENCH_XLATE_PEERS_H
#define WEIR_BENCH_XLATE_PEERS_H

#include "../xlate_world.h"

struct weir_xlate;

/* A flat array a device, behind a table of devices; 0 is no translation. */
struct flat_device {
	uint64_t nevents;
	const uint64_t *values;
};

struct flat {
	uint64_t ndevices;
	const struct flat_device *devices;
};

static inline bool flat_lookup(const struct flat *f, uint32_t device, uint32_t event,
			       uint64_t *value)
{
	const struct flat_device *d;
	uint64_t v;

	if (device >= f->ndevices)
		return false;
	d = &f->devices[device];
	if (event >= d->nevents)
		return false;
	v = __atomic_load_n(&d->values[event], __ATOMIC_ACQUIRE);
	*value = v;
	return v != 0;
}

struct xw *xw_flat(const struct bench_params *params, uint32_t rounds);

/* xlate_hit.c: a case over the library's cache */
struct xw *xw_cached(const struct bench_params *params, uint32_t rounds);
struct xw *xw_cached_with(const struct bench_params *params, uint32_t rounds, uint32_t flags);
void xw_fill(struct weir_xlate *c, struct xw_key k);

/* What a translation names, with its references, on a line of its own as a vgic_irq is. */
struct xw_object {
	uint64_t value;
	uint32_t refs;
	uint32_t pad[13];
};

/* xlate_radix.c: a thread reads under RCU */
void peer_rcu_enter(void);
void peer_rcu_leave(void);

void bench_xlate_bare(void);
void bench_xlate_list(void);
void bench_xlate_radix(void);
void bench_xlate_rculfhash(void);
void bench_xlate_ck(void);

#endif
