// SPDX-License-Identifier: BSD-2-Clause
/*
 * xlate_flat.c - the flat array: two bounds, two loads. Its memory is that of all events a device
 * may have, whether they are used or not, in large pages as the cache's.
 */
#include <stdlib.h>

#include "xlate_peers.h"

#define NDEVICES	65536u
#define NEVENTS		2048u
#define NARRAYS		256u		/* of devices that have a translation, at most */
#define ARRAYS_BYTES	(NARRAYS * NEVENTS * sizeof(uint64_t))

struct arrays {
	struct flat flat;
	uint64_t (*values)[NEVENTS];
};

static void flat_free(struct xw *w)
{
	struct arrays *a = w->data;

	host_free(a->values, ARRAYS_BYTES);
	free((void *)(uintptr_t)a->flat.devices);
	free(a);
}

struct xw *xw_flat(const struct bench_params *params, uint32_t rounds)
{
	struct xw *w = xw_new(params, rounds);
	struct arrays *a = calloc(1, sizeof(*a));
	struct flat_device *devices = calloc(NDEVICES, sizeof(*devices));
	uint32_t i, used = 0;

	if (!a || !devices)
		host_die("out of memory");
	a->values = host_alloc(ARRAYS_BYTES);
	for (i = 0; i < w->nkeys; i++) {
		uint32_t device = w->keys[i].device, event = w->keys[i].event;
		struct flat_device *d = &devices[device];
		uint64_t *values = (uint64_t *)(uintptr_t)d->values;

		if (!values)
			values = a->values[used++];
		values[event] = xw_value(device, event);
		d->values = values;
		d->nevents = NEVENTS;
	}
	a->flat.ndevices = NDEVICES;
	a->flat.devices = devices;
	w->data = a;
	w->fini = flat_free;
	return w;
}
