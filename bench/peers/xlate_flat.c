// SPDX-License-Identifier: BSD-2-Clause
/*
 * xlate_flat.c - the flat array: two bounds, two loads. Its memory is that of all events a device
 * may have, whether they are used or not.
 */
#include <stdlib.h>

#include "xlate_peers.h"

#define NDEVICES 65536u

static void flat_free(struct xw *w)
{
	struct flat *f = w->data;
	uint64_t d;

	for (d = 0; d < f->ndevices; d++)
		free((void *)(uintptr_t)f->devices[d].values);
	free((void *)(uintptr_t)f->devices);
	free(f);
}

struct xw *xw_flat(const struct bench_params *params, uint32_t rounds)
{
	struct xw *w = xw_new(params, rounds);
	struct flat *f = calloc(1, sizeof(*f));
	struct flat_device *devices = calloc(NDEVICES, sizeof(*devices));
	uint32_t i;

	for (i = 0; devices && i < w->nkeys; i++) {
		struct flat_device *d = &devices[w->keys[i].device];
		uint64_t *values = (uint64_t *)(uintptr_t)d->values;

		if (!values)
			values = calloc(2048u, sizeof(*values));
		if (!values)
			host_die("out of memory");
		values[w->keys[i].event] = xw_value(w->keys[i].device, w->keys[i].event);
		d->values = values;
		d->nevents = 2048u;
	}
	if (!f || !devices)
		host_die("out of memory");
	f->ndevices = NDEVICES;
	f->devices = devices;
	w->data = f;
	w->fini = flat_free;
	return w;
}
