// SPDX-License-Identifier: BSD-2-Clause
/*
 * machine_hdbss - the log that hardware keeps of the leaves it sets dirty (FEAT_HDBSS).
 *
 * Goal: entries, index, the full buffer and the broken one are as the architecture has them, and
 * the mistakes that reviews of the first implementation named come out as they would on a machine.
 * Method: a few pages, a buffer in an array that stands for memory at an address; expected values
 * from the register layouts and the rules H1 to H4 of hdbss.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "sim/machine/mmu.h"

#define GFN		UINT64_C(0x10000)
#define WC		(SIM_DESC_DBM | 0x77c)	/* S2AP=01, AF, DBM */
#define BUFFER		UINT64_C(0x80000000)
#define NENTRIES	512u

/* Memory: a buffer, the page at address 0, and whether the buffer's is still there. */
struct memory {
	uint64_t buffer[NENTRIES];
	uint64_t zero[NENTRIES];
	bool has_buffer;
	bool has_zero;
};

struct machine {
	struct memory mem;
	struct sim_s2 *s2;
	struct sim_mmu *mmu;
};

static uint64_t *memory_at(void *ctx, uint64_t pa)
{
	struct memory *mem = ctx;

	if (mem->has_buffer && pa - BUFFER < sizeof(mem->buffer))
		return &mem->buffer[(pa - BUFFER) / 8];
	if (mem->has_zero && pa < sizeof(mem->zero))
		return &mem->zero[pa / 8];
	return NULL;
}

static void create(struct machine *m, bool hd)
{
	struct sim_s2_config s2 = {
		.geometry = SIM_S2_GEOMETRY_4K,
		.table_base_pa = UINT64_C(0x44000000),
		.table_bytes_max = 1 << 20,
	};
	struct sim_mmu_config mmu = {
		.nvcpus = 2,
		.vtcr = { .ha = true, .hd = hd, .pa_bits = 40 },
		.log_memory = memory_at,
		.log_memory_ctx = &m->mem,
	};

	memset(m, 0, sizeof(*m));
	m->mem.has_buffer = true;
	assert_int_equal(sim_s2_create(&s2, &m->s2), WEIR_OK);
	assert_int_equal(sim_mmu_create(&mmu, m->s2, &m->mmu), WEIR_OK);
	assert_int_equal(sim_s2_map(m->s2, GFN, 2048, GFN, WC, 0), WEIR_OK);
}

static void destroy(struct machine *m)
{
	sim_mmu_destroy(m->mmu);
	sim_s2_destroy(m->s2);
}

static uint64_t leaf(const struct machine *m, uint64_t gfn)
{
	unsigned int order;

	return *sim_s2_leaf(m->s2, gfn, &order);
}

static bool store(struct machine *m, unsigned int vcpu, uint64_t gfn, struct sim_walk *w)
{
	return sim_mmu_access(m->mmu, vcpu, gfn, SIM_WRITE, w);
}

static void a_dirty_update_has_its_entry(void **state)
{
	struct sim_hdbss *log;
	struct machine m;
	struct sim_walk w;

	(void)state;
	create(&m, true);
	assert_int_equal(sim_mmu_hdbss_arm(m.mmu, 0, BUFFER, NENTRIES), WEIR_OK);
	log = sim_mmu_hdbss(m.mmu, 0);
	assert_true(store(&m, 0, GFN + 3, &w));
	assert_true(w.dirty_set);
	assert_int_equal(log->index, 1);
	assert_int_equal(m.mem.buffer[0], (GFN + 3) << 12 | 1);
	/* a TLB hit, a load, and a leaf that is dirty already: nothing to log */
	assert_true(store(&m, 0, GFN + 3, &w));
	assert_true(sim_mmu_access(m.mmu, 0, GFN + 4, SIM_READ, &w));
	assert_true(store(&m, 1, GFN + 3, &w));
	assert_int_equal(log->index, 1);
	assert_true(store(&m, 0, GFN + 4, &w));
	assert_int_equal(log->index, 2);
	assert_int_equal(sim_hdbss_read(log, 1), (GFN + 4) << 12 | 1);
	assert_int_equal(sim_hdbss_read(log, 2), 0);	/* beyond the index */
	destroy(&m);
}

/* H31 of the failures in the field, with the capacity that hardware has. */
static void a_full_log_aborts_the_store_and_loses_nothing(void **state)
{
	struct sim_hdbss *log;
	struct machine m;
	struct sim_walk w;
	uint64_t i;

	(void)state;
	create(&m, true);
	assert_int_equal(sim_mmu_hdbss_arm(m.mmu, 0, BUFFER, NENTRIES), WEIR_OK);
	log = sim_mmu_hdbss(m.mmu, 0);
	for (i = 0; i < NENTRIES; i++)
		assert_true(store(&m, 0, GFN + i, &w));
	assert_true(sim_hdbss_full(log));
	assert_false(store(&m, 0, GFN + i, &w));
	assert_int_equal(w.fault, SIM_FAULT_HDBSS);
	assert_int_equal(w.fsc, SIM_FSC_PERMISSION + 3);
	assert_int_equal(w.level, 3);
	assert_string_equal(sim_fault_name(w.fault), "dirty log full");
	assert_int_equal(leaf(&m, GFN + i), (GFN + i) << 12 | WC | 3);	/* still clean */
	assert_int_equal(log->fsc, 0);
	assert_int_equal(log->index, NENTRIES);
	for (i = 0; i < NENTRIES; i++)
		assert_int_equal(sim_hdbss_read(log, (uint32_t)i), (GFN + i) << 12 | 1);
	sim_hdbss_rewind(log);
	assert_true(store(&m, 0, GFN + i, &w));
	assert_int_equal(sim_hdbss_read(log, 0), (GFN + i) << 12 | 1);
	assert_int_equal(log->appended, NENTRIES + 1);
	assert_int_equal(log->refused, 1);
	destroy(&m);
}

static void only_who_is_armed_logs(void **state)
{
	struct machine m;
	struct sim_walk w;

	(void)state;
	create(&m, true);
	assert_int_equal(sim_mmu_hdbss_arm(m.mmu, 0, BUFFER, NENTRIES), WEIR_OK);
	/* armed too late for this one: DBM was there first, and the write leaves no entry */
	assert_true(store(&m, 1, GFN, &w));
	assert_true(w.dirty_set);
	assert_int_equal(sim_mmu_hdbss(m.mmu, 1)->index, 0);
	assert_int_equal(sim_mmu_hdbss(m.mmu, 0)->index, 0);
	assert_int_equal(sim_mmu_hdbss_arm(m.mmu, 0, BUFFER, NENTRIES), WEIR_EBUSY);
	destroy(&m);
	/* HDBSS without HD says nothing */
	create(&m, false);
	assert_int_equal(sim_mmu_hdbss_arm(m.mmu, 0, BUFFER, NENTRIES), WEIR_EOPNOTSUPP);
	sim_mmu_hdbss_set(m.mmu, 0, true);
	assert_false(store(&m, 0, GFN, &w));
	assert_int_equal(w.fault, SIM_FAULT_PERMISSION);
	destroy(&m);
}

/* Review point: VTCR was armed before the buffers existed. */
static void a_log_without_a_buffer_writes_to_address_zero(void **state)
{
	struct sim_hdbss *log;
	struct machine m;
	struct sim_walk w;

	(void)state;
	create(&m, true);
	sim_mmu_hdbss_set(m.mmu, 0, true);
	log = sim_mmu_hdbss(m.mmu, 0);
	/* nothing answers there: the error path, with the leaf as it was */
	assert_false(store(&m, 0, GFN, &w));
	assert_int_equal(w.fault, SIM_FAULT_HDBSS);
	assert_int_equal(log->fsc, SIM_HDBSS_FSC_EABORT);
	assert_int_equal(log->index, 0);
	assert_int_equal(leaf(&m, GFN), GFN << 12 | WC | 3);
	/* or somebody's memory does, and is overwritten */
	m.mem.has_zero = true;
	sim_hdbss_rewind(log);
	assert_true(store(&m, 0, GFN, &w));
	assert_int_equal(m.mem.zero[0], GFN << 12 | 1);
	destroy(&m);
}

/* Review point: the buffer was freed right after the kick, with the vCPU still in the guest. */
static void a_buffer_freed_too_early_is_still_written(void **state)
{
	struct sim_hdbss *log;
	struct machine m;
	struct sim_walk w;

	(void)state;
	create(&m, true);
	assert_int_equal(sim_mmu_hdbss_arm(m.mmu, 1, BUFFER, NENTRIES), WEIR_OK);
	log = sim_mmu_hdbss(m.mmu, 1);
	assert_true(store(&m, 1, GFN, &w));
	/* the orderly way refuses: an entry is left */
	assert_int_equal(sim_mmu_hdbss_disarm(m.mmu, 1), WEIR_EBUSY);
	assert_true(store(&m, 1, GFN + 1, &w));
	assert_int_equal(log->index, 2);
	/* freed and used for something else: the vCPU's registers point there */
	memset(m.mem.buffer, 0, sizeof(m.mem.buffer));
	assert_true(store(&m, 1, GFN + 2, &w));
	assert_int_equal(m.mem.buffer[2], (GFN + 2) << 12 | 1);
	/* freed and gone: an abort, and no page is dirty unseen */
	m.mem.has_buffer = false;
	assert_false(store(&m, 1, GFN + 3, &w));
	assert_int_equal(w.fault, SIM_FAULT_HDBSS);
	assert_int_equal(log->fsc, SIM_HDBSS_FSC_EABORT);
	assert_int_equal(leaf(&m, GFN + 3), (GFN + 3) << 12 | WC | 3);
	sim_hdbss_rewind(log);
	assert_int_equal(sim_mmu_hdbss_disarm(m.mmu, 1), WEIR_OK);
	assert_int_equal(log->br, 0);
	assert_int_equal(sim_mmu_hdbss_disarm(m.mmu, 1), WEIR_OK);
	/* HD stays as it was: with DBM left in the leaves, writes go unseen from here on */
	assert_true(store(&m, 1, GFN + 3, &w));
	assert_true(w.dirty_set);
	assert_int_equal(log->index, 0);
	destroy(&m);
}

/* Review point: a misaligned base was masked silently. */
static void a_misaligned_base_is_refused(void **state)
{
	static const struct {
		uint64_t base, n;
		enum weir_status status;
		uint64_t br;
	} cases[] = {
		{ BUFFER, 512, WEIR_OK, BUFFER | 0 },
		{ BUFFER, 262144, WEIR_OK, BUFFER | 9 },
		{ BUFFER + 0x1000, 512, WEIR_OK, (BUFFER + 0x1000) | 0 },
		{ BUFFER + 0x1000, 1024, WEIR_EINVAL, 0 },	/* 8 KiB, on 4 KiB */
		{ BUFFER + 0x800, 512, WEIR_EINVAL, 0 },
		{ BUFFER + 8, 512, WEIR_EINVAL, 0 },
		{ BUFFER, 256, WEIR_EINVAL, 0 },
		{ BUFFER, 524288, WEIR_EINVAL, 0 },
		{ BUFFER, 513, WEIR_EINVAL, 0 },
		{ BUFFER, 0, WEIR_EINVAL, 0 },
		{ UINT64_C(1) << 56, 512, WEIR_EINVAL, 0 },
		{ UINT64_C(0xfffffffffff000), 512, WEIR_OK, UINT64_C(0xfffffffffff000) },
	};
	struct machine m;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t br = 0;

		assert_int_equal(sim_hdbss_encode(cases[i].base, cases[i].n, &br),
				 cases[i].status);
		assert_int_equal(br, cases[i].br);
	}
	create(&m, true);
	assert_int_equal(sim_mmu_hdbss_arm(m.mmu, 0, BUFFER + 0x1000, 1024), WEIR_EINVAL);
	assert_int_equal(sim_mmu_hdbss(m.mmu, 0)->br, 0);
	/* what the hardware would have made of it */
	sim_mmu_hdbss(m.mmu, 0)->br = (BUFFER + 0x1000) | 1;
	assert_int_equal(sim_hdbss_base(sim_mmu_hdbss(m.mmu, 0)), BUFFER);
	assert_int_equal(sim_hdbss_capacity(sim_mmu_hdbss(m.mmu, 0)), 1024);
	destroy(&m);
}

static void take_write_away(void *ctx, uint64_t *desc)
{
	unsigned int *calls = ctx;

	if (!(*calls)++)
		*desc &= ~SIM_DESC_DBM;
}

/* The update loses to software that takes DBM away: an entry in memory, and none that counts. */
static void an_update_that_lost_does_not_count(void **state)
{
	struct machine m;
	struct sim_walk w;
	unsigned int calls = 0;

	(void)state;
	create(&m, true);
	assert_int_equal(sim_mmu_hdbss_arm(m.mmu, 0, BUFFER, NENTRIES), WEIR_OK);
	sim_mmu_set_walk_hook(m.mmu, (struct sim_walk_hook){ take_write_away, &calls });
	assert_false(store(&m, 0, GFN, &w));
	assert_int_equal(w.fault, SIM_FAULT_PERMISSION);
	assert_int_equal(sim_mmu_hdbss(m.mmu, 0)->index, 0);
	destroy(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dirty_update_has_its_entry),
		cmocka_unit_test(a_full_log_aborts_the_store_and_loses_nothing),
		cmocka_unit_test(only_who_is_armed_logs),
		cmocka_unit_test(a_log_without_a_buffer_writes_to_address_zero),
		cmocka_unit_test(a_buffer_freed_too_early_is_still_written),
		cmocka_unit_test(a_misaligned_base_is_refused),
		cmocka_unit_test(an_update_that_lost_does_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
