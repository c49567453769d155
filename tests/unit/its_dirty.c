// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_dirty - saving interrupt tables while the guest's pages are logged.
 *
 * Goal: each page that a save writes is in the log's bitmap afterwards, and no other, under the
 * tables' name, whatever the policy, and beside a ring, which has no entry for it (writes without a
 * running vCPU were lost in KVM's ring mode until 86bdf3ebcfe1 and c00f4ddde094). After the final
 * harvest it is late, and counted as that.
 * Method: all of memory holds a pattern before the save, so that what changed is what was written;
 * the real log over simulated tables.
 */
#include "its_machine.h"

#include "weir/dirty.h"
#include "sim/machine/dirty_glue.h"
#include "sim/machine/ram_dirty.h"

#define BASE_GFN (RAM / 4096)
#define NPAGES	 (RAM_BYTES / 4096)
#define PATTERN	 0xee

struct logged {
	struct machine m;
	struct sim_s2 *s2;
	struct sim_mmu *mmu;
	struct sim_dirty_glue glue;
	void *memory;
	struct weir_dirty *d;
	struct sim_ram_dirty writer;
};

static const struct weir_dirty_config policies[] = {
	{ .policy = WEIR_DIRTY_WP },	  { .policy = WEIR_DIRTY_WP_EAGER },
	{ .policy = WEIR_DIRTY_DBM_ALL }, { .policy = WEIR_DIRTY_FIXED, .neighbourhood = 64 },
	{ .policy = WEIR_DIRTY_ADAPTIVE },
};

#define NPOLICIES (sizeof(policies) / sizeof(policies[0]))

static void log_up(struct logged *l, const struct weir_dirty_config *policy)
{
	const struct sim_s2_config s2 = {
		.geometry = SIM_S2_GEOMETRY_4K,
		.table_base_pa = UINT64_C(0x80000000),
		.table_bytes_max = 1 << 20,
	};
	const struct sim_mmu_config mmu = {
		.nvcpus = 1, .vtcr = { .ha = true, .hd = true, .pa_bits = 40 },
	};
	struct weir_dirty_config cfg = *policy;
	size_t size;

	assert_int_equal(sim_s2_create(&s2, &l->s2), WEIR_OK);
	assert_int_equal(sim_mmu_create(&mmu, l->s2, &l->mmu), WEIR_OK);
	assert_int_equal(sim_s2_map(l->s2, BASE_GFN, NPAGES, BASE_GFN, SIM_S2_ATTRS_RW, 9),
			 WEIR_OK);
	l->glue = (struct sim_dirty_glue){ .s2 = l->s2, .mmu = l->mmu };
	cfg.base_gfn = BASE_GFN;
	cfg.npages = NPAGES;
	cfg.flags |= WEIR_DIRTY_F_COUNTERS | WEIR_DIRTY_F_DBM;
	size = weir_dirty_size(&cfg);
	l->memory = aligned_alloc(64, (size + 63) / 64 * 64);
	assert_non_null(l->memory);
	assert_int_equal(weir_dirty_init(l->memory, size, &cfg, sim_dirty_glue_ops(&l->glue),
					 &l->glue, &l->d), WEIR_OK);
	assert_int_equal(weir_dirty_start(l->d, false), WEIR_OK);
}

static void fill(struct logged *l)
{
	uint8_t page[4096];

	memset(page, PATTERN, sizeof(page));
	for (uint64_t p = 0; p < NPAGES; p++)
		assert_true(sim_ram_store(l->m.ram, RAM + p * 4096, page, sizeof(page)));
}

/* Devices 1 and 5, three events, one LPI pending; then memory full of the pattern. */
static void up(struct logged *l, const struct weir_dirty_config *policy)
{
	machine_up_profile(&l->m, SIM_ITS_PROFILE_KVM);
	mapc(&l->m, 2, 3, true);
	mapc(&l->m, 1, 1, true);
	mapd(&l->m, 5, 2, true);
	mapd(&l->m, 1, 5, true);
	mapti(&l->m, 1, 7, 8201, 2);
	mapti(&l->m, 1, 3, 8200, 1);
	assert_int_equal(mapti(&l->m, 5, 0, 8202, 1), SIM_ITS_OK);
	assert_int_equal(on_event(&l->m, SIM_ITS_INT, 5, 0), SIM_ITS_OK);
	fill(l);
	log_up(l, policy);
	l->writer = (struct sim_ram_dirty){ .d = l->d, .source = WEIR_DIRTY_BY_TABLES };
	sim_ram_on_write(l->m.ram, sim_ram_dirty_wrote, &l->writer);
}

static void down(struct logged *l)
{
	weir_dirty_stop(l->d);
	free(l->memory);
	sim_mmu_destroy(l->mmu);
	sim_s2_destroy(l->s2);
	machine_down(&l->m);
}

static void save(struct logged *l)
{
	struct sim_error err = { "" };

	assert_true(sim_gic_save(l->m.gic, &err));
	assert_true(sim_its_save(l->m.its, &err));
}

static bool was_written(struct logged *l, uint64_t page)
{
	uint8_t bytes[4096];

	assert_true(sim_ram_read(l->m.ram, RAM + page * 4096, bytes, sizeof(bytes)));
	for (unsigned int i = 0; i < sizeof(bytes); i++)
		if (bytes[i] != PATTERN)
			return true;
	return false;
}

/* The bitmap is what was written; how many pages that is. */
static uint64_t compare(struct logged *l)
{
	static uint64_t bitmap[NPAGES / 64];
	uint64_t n = 0;

	assert_int_equal(weir_dirty_get_bitmap(l->d, BASE_GFN, NPAGES, bitmap), WEIR_OK);
	for (uint64_t p = 0; p < NPAGES; p++) {
		assert_int_equal(bitmap[p / 64] >> p % 64 & 1, was_written(l, p));
		n += bitmap[p / 64] >> p % 64 & 1;
	}
	return n;
}

static void each_page_and_no_other(void **state)
{
	(void)state;
	for (size_t i = 0; i < NPOLICIES; i++) {
		struct weir_dirty_stats stats;
		struct logged l;
		uint64_t n;

		up(&l, &policies[i]);
		assert_int_equal(compare(&l), 0);
		save(&l);
		n = compare(&l);
		/* device table, collections, two ITTs, PE 1's pending table at least */
		assert_true(n >= 5);
		assert_true(was_written(&l, (DEVICES - RAM) / 4096));
		assert_true(was_written(&l, (COLLECTIONS - RAM) / 4096));
		assert_true(was_written(&l, (ITT(1) - RAM) / 4096));
		assert_true(was_written(&l, (ITT(5) - RAM) / 4096));
		weir_dirty_stats(l.d, &stats);
		for (unsigned int s = 0; s < WEIR_DIRTY_SOURCES; s++) {
			if (s == WEIR_DIRTY_BY_TABLES)
				assert_true(stats.pages_marked[s] >= n);
			else
				assert_int_equal(stats.pages_marked[s], 0);
		}
		assert_int_equal(l.writer.late + l.writer.outside, 0);
		down(&l);
	}
}

static void clear(struct logged *l)
{
	uint64_t mask[NPAGES / 64];

	memset(mask, 0xff, sizeof(mask));
	assert_int_equal(weir_dirty_clear(l->d, BASE_GFN, NPAGES, mask), WEIR_OK);
}

/* Round after round: what was cleared and is saved again is there again. */
static void a_second_save_is_seen_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < NPOLICIES; i++) {
		struct logged l;
		uint64_t n;

		up(&l, &policies[i]);
		save(&l);
		n = compare(&l);
		clear(&l);
		fill(&l);
		assert_int_equal(compare(&l), 0);
		save(&l);
		assert_int_equal(compare(&l), n);
		down(&l);
	}
}

static void a_ring_does_not_have_them(void **state)
{
	static uint64_t entries[64];
	struct weir_dirty_ring ring;
	uint64_t gfns[64];
	struct logged l;

	(void)state;
	assert_int_equal(weir_dirty_ring_init(&ring, entries, 64), WEIR_OK);
	up(&l, &policies[0]);
	save(&l);
	assert_int_equal(weir_dirty_ring_collect(&ring, gfns, 64), 0);
	assert_true(compare(&l) >= 5);
	down(&l);
}

static void after_the_final_harvest_it_is_late(void **state)
{
	struct weir_dirty_stats stats;
	struct logged l;

	(void)state;
	up(&l, &policies[0]);
	weir_dirty_final(l.d);
	save(&l);
	assert_true(l.writer.late > 0);
	weir_dirty_stats(l.d, &stats);
	assert_true(stats.pages_late[WEIR_DIRTY_BY_TABLES] >= 5);
	/* and marked all the same */
	assert_true(compare(&l) >= 5);
	down(&l);
}

static void what_is_outside_is_counted(void **state)
{
	struct weir_dirty_config small = { .policy = WEIR_DIRTY_WP };
	struct logged l;
	uint8_t byte = 1;

	(void)state;
	up(&l, &small);
	sim_ram_dirty_wrote(&l.writer, RAM + RAM_BYTES, 1);
	sim_ram_dirty_wrote(&l.writer, RAM - 1, 1);
	assert_int_equal(l.writer.outside, 2);
	sim_ram_dirty_wrote(&l.writer, RAM, 0);
	assert_int_equal(compare(&l), 0);
	/* across a page's end: both */
	assert_true(sim_ram_write(l.m.ram, RAM + 4095, &byte, 1));
	assert_true(sim_ram_write(l.m.ram, RAM + 4096, &byte, 1));
	assert_int_equal(compare(&l), 2);
	down(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_page_and_no_other),
		cmocka_unit_test(a_second_save_is_seen_again),
		cmocka_unit_test(a_ring_does_not_have_them),
		cmocka_unit_test(after_the_final_harvest_it_is_late),
		cmocka_unit_test(what_is_outside_is_counted),
	};

	return cmocka_run_group_tests_name("its_dirty", tests, NULL, NULL);
}
