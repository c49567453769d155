// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_save.c - held mappings to and from the tables in guest memory: KVM's layout, revision 0.
 *
 *   DTE  Valid 63, next 62:49, ITT address 51:8 in 48:5, EventID bits - 1 in 4:0
 *   CTE  Valid 63, PE 47:16 (all ones, which is SIM_GIC_PE_NONE: not mapped), collection 15:0
 *   ITE  next 63:48, LPI 47:16 (0: not mapped), collection 15:0
 *
 * `next` is the distance to the next entry that is valid, as far as it can be told, 0 at the last.
 * Collections stand in a row from the start of their table, in any order; an invalid one ends the
 * row where the table has room.
 *
 * Guest memory is not to be trusted on the way back: each entry is checked as its command would be,
 * and no more than RESTORE_STEPS entries are looked at, whatever `next` and the sizes say.
 */
#include "sim/machine/its_held.h"

#include <inttypes.h>

#define DTE_NEXT_MAX	((UINT32_C(1) << 14) - 1)
#define ITE_NEXT_MAX	((UINT32_C(1) << 16) - 1)
#define RESTORE_STEPS	(UINT64_C(1) << 24)

static uint64_t distance(uint64_t from, uint64_t to, uint64_t max)
{
	return to - from < max ? to - from : max;
}

static bool put(struct sim_its *its, uint64_t addr, uint64_t value, const char *what, uint32_t id,
		struct sim_error *err)
{
	if (sim_ram_put64(its->ram, addr, value))
		return true;
	sim_error_set(err, "its: save: %s %" PRIu32 " at 0x%" PRIx64 ": not in memory", what, id,
		      addr);
	return false;
}

/* The next live event from index @i on; nites if there is none. */
static size_t live_from(const struct held_dev *d, size_t i)
{
	while (i < d->nites && d->ites[i].icid == ITS_ICID_NONE)
		i++;
	return i;
}

/* A restore looks for a device's events up to the first, or in vain up to the last there can be. */
static bool can_look_for_events(struct sim_its *its, const struct held_dev *d,
				struct sim_error *err)
{
	size_t first = live_from(d, 0);
	uint64_t n = first < d->nites ? d->ites[first].eid : UINT64_C(1) << d->bits;

	if (sim_ram_covers(its->ram, d->itt, n * 8))
		return true;
	sim_error_set(err, "its: save: device %" PRIu32 ": its table of %" PRIu64
		      " entries at 0x%" PRIx64 " is not all in memory", d->did, n, d->itt);
	return false;
}

static bool save_events(struct sim_its *its, const struct held_dev *d, struct sim_error *err)
{
	if (!can_look_for_events(its, d, err))
		return false;
	for (size_t i = live_from(d, 0), next; i < d->nites; i = next) {
		const struct held_ite *e = &d->ites[i];
		uint64_t value = (uint64_t)e->intid << 16 | e->icid;

		next = live_from(d, i + 1);
		if (next < d->nites)
			value |= distance(e->eid, d->ites[next].eid, ITE_NEXT_MAX) << 48;
		if (!put(its, d->itt + (uint64_t)e->eid * 8, value, "event", e->eid, err))
			return false;
	}
	return true;
}

static bool save_devices(struct sim_its *its, struct sim_error *err)
{
	const struct its_held *h = its->held;

	for (size_t i = 0; i < h->ndevs; i++) {
		const struct held_dev *d = &h->devs[i];
		uint64_t value = SIM_GITS_VALID | d->itt >> 8 << 5 | (d->bits - 1), addr;

		if (i + 1 < h->ndevs)
			value |= distance(d->did, d[1].did, DTE_NEXT_MAX) << 49;
		if (its_table_place(its, ITS_TABLE_DEVICE, d->did, SIM_ITS_DEVICE_OOR, &addr)) {
			sim_error_set(err, "its: save: device %" PRIu32
				      ": no longer has an entry in its table", d->did);
			return false;
		}
		if (!save_events(its, d, err) || !put(its, addr, value, "device", d->did, err))
			return false;
	}
	return true;
}

static bool save_collections(struct sim_its *its, struct sim_error *err)
{
	const struct its_held *h = its->held;
	struct its_table table = its_table_get(its, ITS_TABLE_COLLECTION);
	uint64_t room = table.nbytes / table.entry_bytes;

	for (size_t i = 0; i < h->ncolls; i++) {
		const struct held_coll *c = &h->colls[i];

		if (i == room) {
			sim_error_set(err, "its: save: %zu collections: the table has room for %"
				      PRIu64, h->ncolls, room);
			return false;
		}
		if (!put(its, table.base + i * 8, SIM_GITS_VALID | (uint64_t)c->pe << 16 | c->icid,
			 "collection", c->icid, err))
			return false;
	}
	return h->ncolls == room ||
	       put(its, table.base + h->ncolls * 8, 0, "the end of collections", 0, err);
}

static bool has_tables(struct sim_its *its, const char *what, struct sim_error *err)
{
	if (its->baser[ITS_TABLE_DEVICE] & its->baser[ITS_TABLE_COLLECTION] & SIM_GITS_VALID)
		return true;
	sim_error_set(err, "its: %s: the device or the collection table is not Valid", what);
	return false;
}

bool sim_its_save(struct sim_its *its, struct sim_error *err)
{
	const struct its_held *h = its->held;

	if (!h)
		return true;
	/* With nothing held and no tables there is nothing to write and nowhere to write it. */
	if (!h->ndevs && !h->ncolls && !(its->baser[ITS_TABLE_COLLECTION] & SIM_GITS_VALID))
		return true;
	return has_tables(its, "save", err) && save_devices(its, err) && save_collections(its, err);
}

/* A restore in progress. */
struct restore {
	struct sim_its *its;
	struct sim_error *err;
	uint64_t steps;
};

static bool bad(struct restore *r, const char *what, uint64_t id, uint64_t value)
{
	sim_error_set(r->err, "its: restore: %s %" PRIu64 ": entry 0x%016" PRIx64
		      " is not one that a save writes", what, id, value);
	return false;
}

static bool get(struct restore *r, uint64_t addr, const char *what, uint64_t id, uint64_t *value)
{
	if (++r->steps > RESTORE_STEPS)
		sim_error_set(r->err, "its: restore: more than %" PRIu64 " entries to look at",
			      RESTORE_STEPS);
	else if (sim_ram_get64(r->its->ram, addr, value))
		return true;
	else
		sim_error_set(r->err, "its: restore: %s %" PRIu64 " at 0x%" PRIx64
			      ": not in memory", what, id, addr);
	return false;
}

static bool restore_event(struct restore *r, uint32_t did, const struct its_dev *dev, uint32_t eid,
			  uint64_t v)
{
	struct sim_its *its = r->its;
	struct its_ite ite = {
		.valid = true, .intid = (uint32_t)its_field(v, 16, 47),
		.icid = (uint32_t)its_field(v, 0, 15), .doorbell = SIM_GIC_SPURIOUS,
	};
	enum sim_its_code code;

	if (ite.intid < SIM_GIC_LPI_FIRST || ite.intid >= sim_gic_lpi_end(its->gic))
		return bad(r, "event", eid, v);
	if (!its_held_has_coll(its, ite.icid))
		return bad(r, "event", eid, v);
	code = its->store->ite_set(its, did, dev, eid, &ite);
	if (code == SIM_ITS_NO_ROOM)
		sim_error_set(r->err, "its: restore: more than its.held_events=%" PRIu32 " events",
			      its->cfg.held_max);
	else if (code)
		bad(r, "event", eid, v);
	return code == SIM_ITS_OK;
}

static bool restore_events(struct restore *r, uint32_t did, const struct its_dev *dev)
{
	uint64_t end = UINT64_C(1) << dev->bits, eid = 0, v, next;

	for (; eid < end; eid += next) {
		if (!get(r, dev->itt + eid * 8, "event", eid, &v))
			return false;
		next = 1;
		if (!its_field(v, 16, 47))
			continue;
		next = its_field(v, 48, 63);
		if (eid + next >= end)
			return bad(r, "event", eid, v);
		if (!restore_event(r, did, dev, (uint32_t)eid, v))
			return false;
		if (!next)
			return true;
	}
	return true;
}

static bool restore_device(struct restore *r, uint32_t did, uint64_t v)
{
	struct its_dev dev = {
		.valid = true, .bits = (uint32_t)its_field(v, 0, 4) + 1,
		.itt = its_field(v, 5, 48) << 8,
	};

	if (dev.bits > r->its->cfg.eventbits || r->its->store->dev_set(r->its, did, &dev))
		return bad(r, "device", did, v);
	return restore_events(r, did, &dev);
}

/* Devices of [first, end) whose entries are in a row at @addr; *next_id: where to go on. */
static bool restore_run(struct restore *r, uint64_t addr, uint64_t first, uint64_t end,
			uint64_t *next_id)
{
	uint64_t id = first, v, next;

	for (; id < end; id += next) {
		if (!get(r, addr + (id - first) * 8, "device", id, &v))
			return false;
		next = 1;
		if (!(v & SIM_GITS_VALID))
			continue;
		next = its_field(v, 49, 62);
		if (!restore_device(r, (uint32_t)id, v))
			return false;
		if (!next)
			next = UINT64_MAX / 2;
	}
	*next_id = id;
	return true;
}

static bool restore_devices(struct restore *r)
{
	struct its_table table = its_table_get(r->its, ITS_TABLE_DEVICE);
	uint64_t in_page = table.page_bytes / table.entry_bytes, id = 0, end, addr;

	while (id < table.nentries) {
		end = table.indirect ? (id / in_page + 1) * in_page : table.nentries;
		if (end > table.nentries)
			end = table.nentries;
		switch (its_table_at(r->its, &table, id, &addr)) {
		case ITS_ENTRY_AT:
			if (!restore_run(r, addr, id, end, &id))
				return false;
			break;
		case ITS_ENTRY_ABSENT:
			r->steps++;
			id = end;
			break;
		case ITS_ENTRY_OOR:
		case ITS_ENTRY_FAULT:
			sim_error_set(r->err, "its: restore: device %" PRIu64
				      ": level 1 of the table is not in memory", id);
			return false;
		}
	}
	return true;
}

static bool restore_collections(struct restore *r)
{
	struct sim_its *its = r->its;
	struct its_table table = its_table_get(its, ITS_TABLE_COLLECTION);
	uint64_t room = table.nbytes / table.entry_bytes, v;

	for (uint64_t i = 0; i < room; i++) {
		uint32_t icid, pe;

		if (!get(r, table.base + i * 8, "collection", i, &v))
			return false;
		if (!(v & SIM_GITS_VALID))
			break;
		icid = (uint32_t)its_field(v, 0, 15);
		pe = (uint32_t)its_field(v, 16, 47);
		if (icid >= table.nentries || its_held_has_coll(its, icid) ||
		    (pe != SIM_GIC_PE_NONE && pe >= its->npes))
			return bad(r, "collection", i, v);
		its_held_add_coll(its, icid, pe);
	}
	return true;
}

bool sim_its_restore(struct sim_its *its, struct sim_error *err)
{
	struct restore r = { .its = its, .err = err };
	bool ok;

	if (!its->held)
		return true;
	if (its->enabled) {
		sim_error_set(err, "its: restore: the ITS is enabled");
		return false;
	}
	its_held_drop(its);
	ok = has_tables(its, "restore", err) && restore_collections(&r) && restore_devices(&r);
	if (!ok)
		its_held_drop(its);
	its_invalidate(its, SIM_ITS_SCOPE_ALL, 0, 0, 0);
	return ok;
}
