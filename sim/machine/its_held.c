// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_held.c - mappings held inside the ITS; the guest's tables only say how many there can be.
 *
 *   K1  Each mapped event holds one reference to its LPI, from MAPTI to DISCARD or MAPD.
 *   K2  Mapping a device again drops all of its events, as unmapping does.
 *   K3  Mapping a collection again gives its events' LPIs the new target, pending or not. Unmapping
 *       it kills its events: they lead nowhere, and stay so until their device is mapped again.
 *   K4  What is unmapped, or dropped, or dead is also taken out of the guest's tables, where an
 *       earlier save may have left it: a save writes what lives, and a later restore would bring
 *       the rest back, or stumble over it.
 *
 * An entry exists if its table has room for it and its address is in memory; nothing here stalls.
 *
 * Cost: look-up by bisection; mapping an event moves those with higher numbers of the same device;
 * mapping or unmapping a collection visits all events. Memory: 12 bytes an event, at most held_max.
 */
#include "sim/machine/its_held.h"

#include <stdlib.h>
#include <string.h>

struct its_held *its_held_create(void)
{
	return sim_alloc(1, sizeof(struct its_held), "mappings");
}

/* Room for one more in an array that doubles. */
static void *grow(void *array, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return array;
	*room = *room ? 2 * *room : 4;
	return sim_realloc(array, *room, size, "mappings");
}

/* Index of the first element with a key of at least @key; the key is the first member. */
static size_t first_at(const void *array, size_t n, size_t size, uint32_t key)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		uint32_t k;

		memcpy(&k, (const char *)array + mid * size, sizeof(k));
		if (k < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct held_dev *dev_find(struct its_held *h, uint32_t did)
{
	size_t i = first_at(h->devs, h->ndevs, sizeof(*h->devs), did);

	return i < h->ndevs && h->devs[i].did == did ? &h->devs[i] : NULL;
}

static struct held_coll *coll_find(struct its_held *h, uint32_t icid)
{
	size_t i = first_at(h->colls, h->ncolls, sizeof(*h->colls), icid);

	return i < h->ncolls && h->colls[i].icid == icid ? &h->colls[i] : NULL;
}

static struct held_ite *ite_find(const struct held_dev *dev, uint32_t eid)
{
	size_t i = first_at(dev->ites, dev->nites, sizeof(*dev->ites), eid);

	return i < dev->nites && dev->ites[i].eid == eid ? &dev->ites[i] : NULL;
}

/* Whether the table has an entry for this number, in memory; where. */
static bool has_entry(struct sim_its *its, enum its_table_kind kind, uint32_t index, uint64_t *addr)
{
	return its_table_place(its, kind, index, SIM_ITS_DEVICE_OOR, addr) == SIM_ITS_OK &&
	       sim_ram_covers(its->ram, *addr, 1);
}

static enum sim_its_code held_dev_get(struct sim_its *its, uint32_t did, struct its_dev *dev)
{
	const struct held_dev *d = dev_find(its->held, did);
	uint64_t addr;

	*dev = (struct its_dev){ .valid = d };
	if (!d)
		return has_entry(its, ITS_TABLE_DEVICE, did, &addr) ? SIM_ITS_OK :
								      SIM_ITS_DEVICE_OOR;
	dev->bits = d->bits;
	dev->itt = d->itt;
	return SIM_ITS_OK;
}

/* K4. An entry that no save has written is not touched: its page stays clean. */
static void wipe(struct sim_its *its, uint64_t addr)
{
	uint64_t value;

	if (sim_ram_get64(its->ram, addr, &value) && value)
		sim_ram_put64(its->ram, addr, 0);
}

/* Where an event's entry would be in the device's table. */
static uint64_t ite_place(const struct sim_its *its, const struct held_dev *d, uint32_t eid)
{
	return d->itt + (uint64_t)eid * its_ite_bytes(its);
}

static void dev_drop_events(struct sim_its *its, struct held_dev *d)
{
	for (size_t i = 0; i < d->nites; i++)
		sim_gic_lpi_unmap(its->gic, d->ites[i].intid);
	its->held->nites -= d->nites;
	free(d->ites);
	d->ites = NULL;
	d->nites = d->room = 0;
}

static void dev_remove(struct sim_its *its, struct held_dev *d)
{
	struct its_held *h = its->held;

	dev_drop_events(its, d);
	h->ndevs--;
	memmove(d, d + 1, (size_t)(h->devs + h->ndevs - d) * sizeof(*d));
}

static struct held_dev *dev_insert(struct its_held *h, uint32_t did)
{
	size_t i = first_at(h->devs, h->ndevs, sizeof(*h->devs), did);

	h->devs = grow(h->devs, h->ndevs, &h->devs_room, sizeof(*h->devs));
	memmove(&h->devs[i + 1], &h->devs[i], (h->ndevs - i) * sizeof(*h->devs));
	h->ndevs++;
	h->devs[i] = (struct held_dev){ .did = did };
	return &h->devs[i];
}

static enum sim_its_code held_dev_set(struct sim_its *its, uint32_t did, const struct its_dev *dev)
{
	struct held_dev *d = dev_find(its->held, did);
	uint64_t addr;

	if (!has_entry(its, ITS_TABLE_DEVICE, did, &addr))
		return SIM_ITS_DEVICE_OOR;
	for (size_t i = 0; d && i < d->nites; i++)
		wipe(its, ite_place(its, d, d->ites[i].eid));
	if (!dev->valid) {
		if (d) {
			dev_remove(its, d);
			wipe(its, addr);
		}
		return SIM_ITS_OK;
	}
	if (d)
		dev_drop_events(its, d);
	else
		d = dev_insert(its->held, did);
	d->bits = dev->bits;
	d->itt = dev->itt;
	return SIM_ITS_OK;
}

static enum sim_its_code held_coll_get(struct sim_its *its, uint32_t icid, struct its_coll *coll)
{
	const struct held_coll *c = coll_find(its->held, icid);
	uint64_t addr;

	*coll = (struct its_coll){ .valid = c && c->pe != SIM_GIC_PE_NONE };
	if (coll->valid)
		coll->pe = c->pe;
	return c || has_entry(its, ITS_TABLE_COLLECTION, icid, &addr) ? SIM_ITS_OK :
								       SIM_ITS_COLLECTION_OOR;
}

static struct held_coll *coll_insert(struct its_held *h, uint32_t icid)
{
	size_t i = first_at(h->colls, h->ncolls, sizeof(*h->colls), icid);

	h->colls = grow(h->colls, h->ncolls, &h->colls_room, sizeof(*h->colls));
	memmove(&h->colls[i + 1], &h->colls[i], (h->ncolls - i) * sizeof(*h->colls));
	h->ncolls++;
	h->colls[i] = (struct held_coll){ .icid = icid, .pe = SIM_GIC_PE_NONE };
	return &h->colls[i];
}

bool its_held_has_coll(const struct sim_its *its, uint32_t icid)
{
	return coll_find(its->held, icid);
}

void its_held_add_coll(struct sim_its *its, uint32_t icid, uint32_t pe)
{
	coll_insert(its->held, icid)->pe = pe;
}

/* Each live event of a collection: give its LPI a target, or, with none, kill it. */
static void coll_retarget(struct sim_its *its, uint32_t icid, uint32_t from, uint32_t to)
{
	struct its_held *h = its->held;

	for (size_t i = 0; i < h->ndevs; i++)
		for (size_t j = 0; j < h->devs[i].nites; j++) {
			struct held_ite *ite = &h->devs[i].ites[j];

			if (ite->icid != icid)
				continue;
			if (to != SIM_GIC_PE_NONE) {
				sim_gic_lpi_move(its->gic, ite->intid, from, to);
				continue;
			}
			ite->icid = ITS_ICID_NONE;
			wipe(its, ite_place(its, &h->devs[i], ite->eid));
		}
}

static enum sim_its_code held_coll_set(struct sim_its *its, uint32_t icid,
				       const struct its_coll *coll)
{
	struct its_held *h = its->held;
	struct held_coll *c = coll_find(h, icid);

	if (coll->valid) {
		if (!c)
			c = coll_insert(h, icid);
		coll_retarget(its, icid, c->pe, coll->pe);
		c->pe = coll->pe;
	} else if (c) {
		coll_retarget(its, icid, c->pe, SIM_GIC_PE_NONE);
		h->ncolls--;
		memmove(c, c + 1, (size_t)(h->colls + h->ncolls - c) * sizeof(*c));
	}
	return SIM_ITS_OK;
}

static enum sim_its_code held_ite_get(struct sim_its *its, uint32_t did, const struct its_dev *dev,
				      uint32_t eid, struct its_ite *ite)
{
	const struct held_dev *d = dev_find(its->held, did);
	const struct held_ite *e = d ? ite_find(d, eid) : NULL;

	(void)dev;
	*ite = (struct its_ite){ .valid = e, .doorbell = SIM_GIC_SPURIOUS };
	if (e) {
		ite->intid = e->intid;
		ite->icid = e->icid;
	}
	return SIM_ITS_OK;
}

static enum sim_its_code ite_insert(struct sim_its *its, struct held_dev *d, uint32_t eid,
				    const struct its_ite *ite)
{
	size_t i = first_at(d->ites, d->nites, sizeof(*d->ites), eid);
	const struct held_coll *c = coll_find(its->held, ite->icid);

	if (!sim_ram_covers(its->ram, ite_place(its, d, eid), 1))
		return SIM_ITS_ID_OOR;
	if (its->held->nites >= its->cfg.held_max)
		return SIM_ITS_NO_ROOM;
	if (!sim_gic_lpi_map(its->gic, ite->intid, c ? c->pe : SIM_GIC_PE_NONE))
		return SIM_ITS_FAULT;
	if (!c)
		coll_insert(its->held, ite->icid);
	d->ites = grow(d->ites, d->nites, &d->room, sizeof(*d->ites));
	memmove(&d->ites[i + 1], &d->ites[i], (d->nites - i) * sizeof(*d->ites));
	d->ites[i] = (struct held_ite){ eid, ite->intid, ite->icid };
	d->nites++;
	its->held->nites++;
	return SIM_ITS_OK;
}

static void ite_remove(struct sim_its *its, struct held_dev *d, struct held_ite *e)
{
	wipe(its, ite_place(its, d, e->eid));
	sim_gic_lpi_unmap(its->gic, e->intid);
	d->nites--;
	its->held->nites--;
	memmove(e, e + 1, (size_t)(d->ites + d->nites - e) * sizeof(*e));
}

static enum sim_its_code held_ite_set(struct sim_its *its, uint32_t did, const struct its_dev *dev,
				      uint32_t eid, const struct its_ite *ite)
{
	struct held_dev *d = dev_find(its->held, did);
	struct held_ite *e = ite_find(d, eid);
	const struct held_coll *c;

	(void)dev;
	if (!ite->valid) {
		ite_remove(its, d, e);
		return SIM_ITS_OK;
	}
	if (!e)
		return ite_insert(its, d, eid, ite);
	if (e->intid != ite->intid) {
		c = coll_find(its->held, ite->icid);
		if (!sim_gic_lpi_map(its->gic, ite->intid, c ? c->pe : SIM_GIC_PE_NONE))
			return SIM_ITS_FAULT;
		sim_gic_lpi_unmap(its->gic, e->intid);
		e->intid = ite->intid;
	}
	if (!coll_find(its->held, ite->icid))
		coll_insert(its->held, ite->icid);
	e->icid = ite->icid;
	return SIM_ITS_OK;
}

static void held_table_gone(struct sim_its *its, enum its_table_kind kind)
{
	struct its_held *h = its->held;

	if (kind == ITS_TABLE_DEVICE) {
		for (size_t i = 0; i < h->ndevs; i++)
			dev_drop_events(its, &h->devs[i]);
		h->ndevs = 0;
	} else if (kind == ITS_TABLE_COLLECTION) {
		for (size_t i = 0; i < h->ncolls; i++)
			coll_retarget(its, h->colls[i].icid, h->colls[i].pe, SIM_GIC_PE_NONE);
		h->ncolls = 0;
	}
}

void its_held_drop(struct sim_its *its)
{
	struct its_held *h = its->held;

	held_table_gone(its, ITS_TABLE_DEVICE);
	free(h->devs);
	free(h->colls);
	*h = (struct its_held){ 0 };
}

const struct its_store its_held_store = {
	.dev_get = held_dev_get,
	.dev_set = held_dev_set,
	.coll_get = held_coll_get,
	.coll_set = held_coll_set,
	.ite_get = held_ite_get,
	.ite_set = held_ite_set,
	.table_gone = held_table_gone,
};
