// SPDX-License-Identifier: BSD-2-Clause
/*
 * inject_save.c - guest.save: at the end of the run the interrupt tables are saved to guest memory
 * while its pages are logged, as at the end of a migration. The save passes by stage 2: the log
 * knows of it by sim_ram_on_write() alone. Each page whose content the save changed has to be in
 * the log's bitmap.
 *
 * Mappings that live in memory at all times (its.state=memory) leave nothing to save.
 */
#include "sim/scenario/inject_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/machine/dirty_glue.h"
#include "sim/machine/ram_dirty.h"

struct log {
	uint64_t base_gfn, npages;
	struct sim_s2 *s2;
	struct sim_mmu *mmu;
	struct sim_dirty_glue glue;
	void *memory;
	struct weir_dirty *d;
};

static bool make_tables(struct log *log)
{
	const struct sim_s2_config s2 = {
		.geometry = SIM_S2_GEOMETRY_4K, .table_base_pa = UINT64_C(1) << 40,
		.table_bytes_max = UINT64_C(64) << 20,
	};
	const struct sim_mmu_config mmu = { .nvcpus = 1, .vtcr = { .pa_bits = 48 } };

	return sim_s2_create(&s2, &log->s2) == WEIR_OK &&
	       sim_mmu_create(&mmu, log->s2, &log->mmu) == WEIR_OK &&
	       sim_s2_map(log->s2, log->base_gfn, log->npages, log->base_gfn, SIM_S2_ATTRS_RW,
			  0) == WEIR_OK;
}

static bool start(struct log *log)
{
	struct weir_dirty_config cfg = {
		.base_gfn = log->base_gfn, .npages = log->npages, .policy = WEIR_DIRTY_WP,
		.flags = WEIR_DIRTY_F_COUNTERS,
	};
	size_t size = weir_dirty_size(&cfg);

	if (!make_tables(log))
		return false;
	log->glue = (struct sim_dirty_glue){ .s2 = log->s2, .mmu = log->mmu };
	log->memory = aligned_alloc(64, (size + 63) / 64 * 64);
	sim_assert(log->memory);
	return weir_dirty_init(log->memory, size, &cfg, sim_dirty_glue_ops(&log->glue), &log->glue,
			       &log->d) == WEIR_OK &&
	       weir_dirty_start(log->d, false) == WEIR_OK;
}

static void stop(struct log *log)
{
	if (log->d)
		weir_dirty_stop(log->d);
	free(log->memory);
	if (log->mmu)
		sim_mmu_destroy(log->mmu);
	if (log->s2)
		sim_s2_destroy(log->s2);
}

/* Pages that changed, those the log has, and those that changed without. */
static void compare(struct inject *in, const struct log *log, const uint8_t *before)
{
	uint64_t *bitmap = sim_alloc((log->npages + 63) / 64, sizeof(*bitmap), "a bitmap");
	uint8_t page[SIM_RAM_PAGE_BYTES];

	sim_assert(weir_dirty_get_bitmap(log->d, log->base_gfn, log->npages, bitmap) == WEIR_OK);
	for (uint64_t p = 0; p < log->npages; p++) {
		bool dirty = bitmap[p / 64] >> p % 64 & 1, changed;

		sim_assert(sim_ram_read(in->m.ram, (log->base_gfn + p) * sizeof(page), page,
					sizeof(page)));
		changed = memcmp(page, before + p * sizeof(page), sizeof(page)) != 0;
		in->save.changed += changed;
		in->save.dirty += dirty;
		in->save.missed += changed && !dirty;
	}
	free(bitmap);
}

void inject_save(struct inject *in)
{
	uint64_t nbytes = in->m.at.end - in->m.at.base;
	struct log log = { .base_gfn = in->m.at.base / SIM_RAM_PAGE_BYTES,
			   .npages = nbytes / SIM_RAM_PAGE_BYTES };
	uint8_t *before = sim_alloc(nbytes, 1, "a copy of guest memory");
	struct sim_ram_dirty writer = { .source = WEIR_DIRTY_BY_TABLES };
	struct sim_error err = { "" };

	sim_assert(start(&log));
	writer.d = log.d;
	sim_assert(sim_ram_read(in->m.ram, in->m.at.base, before, nbytes));
	sim_ram_on_write(in->m.ram, sim_ram_dirty_wrote, &writer);
	if (!sim_gic_save(in->m.gic, &err) || !sim_its_save(in->m.its, &err)) {
		in->failed = true;
		sim_error_set(in->err, "%s", err.text);
	}
	sim_ram_on_write(in->m.ram, NULL, NULL);
	compare(in, &log, before);
	stop(&log);
	free(before);
}
