// SPDX-License-Identifier: BSD-2-Clause
/*
 * hdbss.c - the hardware's dirty log: see hdbss.h.
 */
#include "sim/machine/hdbss.h"

#include <stddef.h>

#define SZ_MASK		((uint64_t)0xf)
#define SZ_MAX		9u	/* 2 MiB; larger values are reserved and count as it */

static unsigned int size_of(const struct sim_hdbss *h)
{
	unsigned int sz = (unsigned int)(h->br & SZ_MASK);

	return sz > SZ_MAX ? SZ_MAX : sz;
}

enum weir_status sim_hdbss_encode(uint64_t base_pa, uint64_t nentries, uint64_t *br)
{
	if (nentries < SIM_HDBSS_ENTRIES_MIN || nentries > SIM_HDBSS_ENTRIES_MAX ||
	    nentries & (nentries - 1) || base_pa & (nentries * 8 - 1) ||
	    base_pa & ~SIM_HDBSS_ADDRESS)
		return WEIR_EINVAL;
	*br = base_pa | (uint64_t)__builtin_ctzll(nentries / SIM_HDBSS_ENTRIES_MIN);
	return WEIR_OK;
}

uint32_t sim_hdbss_capacity(const struct sim_hdbss *h)
{
	return SIM_HDBSS_ENTRIES_MIN << size_of(h);
}

uint64_t sim_hdbss_base(const struct sim_hdbss *h)
{
	return h->br & SIM_HDBSS_ADDRESS & ~((uint64_t)sim_hdbss_capacity(h) * 8 - 1);
}

static uint64_t *entry_at(const struct sim_hdbss *h, uint32_t i)
{
	return h->memory ? h->memory(h->memory_ctx, sim_hdbss_base(h) + (uint64_t)i * 8) : NULL;
}

bool sim_hdbss_full(const struct sim_hdbss *h)
{
	return h->index >= sim_hdbss_capacity(h);
}

bool sim_hdbss_prepare(struct sim_hdbss *h, uint64_t ipa)
{
	uint64_t *entry = sim_hdbss_full(h) ? NULL : entry_at(h, h->index);

	if (entry) {
		__atomic_store_n(entry, (ipa & SIM_HDBSS_ADDRESS) | SIM_HDBSS_VALID,
				 __ATOMIC_RELEASE);
		return true;
	}
	h->refused++;
	if (!sim_hdbss_full(h))
		h->fsc = SIM_HDBSS_FSC_EABORT;
	return false;
}

void sim_hdbss_advance(struct sim_hdbss *h)
{
	h->index++;
	h->appended++;
}

uint64_t sim_hdbss_read(const struct sim_hdbss *h, uint32_t i)
{
	const uint64_t *entry = i < h->index ? entry_at(h, i) : NULL;

	return entry ? *entry : 0;
}

void sim_hdbss_rewind(struct sim_hdbss *h)
{
	h->index = 0;
	h->fsc = 0;
}
