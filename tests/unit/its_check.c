// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: each checker of a cache says so when what it holds is broken, and nothing when it is not.
 *
 * Method: completion is told of commands and interrupts, good and bad ones, without any machine.
 * Transparency: a machine and its twin, of which one is done to what the other is not. The bound by
 * numbers.
 */
#include "its_machine.h"

#include "sim/check/its_check.h"

static char said[256];

static void on_violation(void *ctx, enum sim_its_checker checker, const char *what)
{
	(void)ctx;
	snprintf(said, sizeof(said), "%s: %s", sim_its_checker_names[checker], what);
}

static struct sim_its_check check;
static struct sim_its_completion *completion;

static void begin(enum sim_its_profile profile)
{
	check = (struct sim_its_check){ .report = on_violation };
	said[0] = '\0';
	completion = sim_its_completion_create(&check, 65536, sim_its_profile(profile));
}

static void end(uint64_t violations)
{
	assert_int_equal(sim_its_check_total(&check), violations);
	sim_its_completion_destroy(completion);
}

static void tell(uint64_t w0, uint64_t w1, uint64_t w2, uint64_t w3)
{
	const uint64_t cmd[4] = { w0, w1, w2, w3 };

	sim_its_completion_command(completion, cmd);
}

static void tell_event(enum sim_its_op op, uint64_t device, uint64_t event, uint64_t icid)
{
	tell((uint64_t)op | device << 32, event, icid, 0);
}

#define VALID (UINT64_C(1) << 63)

/* Collections 1 and 2 on PEs 1 and 2; device 8 with events 0 and 1: LPIs 8200 and 8201 on 1. */
static void boot(void)
{
	tell(SIM_ITS_MAPC, 0, VALID | UINT64_C(1) << 16 | 1, 0);
	tell(SIM_ITS_MAPC, 0, VALID | UINT64_C(2) << 16 | 2, 0);
	tell(SIM_ITS_MAPD | UINT64_C(8) << 32, 3, VALID | 0x40000000, 0);
	for (uint64_t e = 0; e < 2; e++) {
		sim_its_completion_configured(completion, (uint32_t)(8200 + e), 0xa1);
		tell(SIM_ITS_MAPTI | UINT64_C(8) << 32, (8200 + e) << 32 | e, 1, 0);
	}
}

static void deliver_and_take(uint32_t pe, uint32_t intid)
{
	sim_its_completion_delivered(completion, pe, intid);
	sim_its_completion_taken(completion, pe, intid);
}

static void what_is_mapped_may_come(void **state)
{
	(void)state;
	begin(SIM_ITS_PROFILE_QEMU);
	boot();
	deliver_and_take(1, 8200);
	deliver_and_take(1, 8201);
	tell_event(SIM_ITS_MOVI, 8, 0, 2);
	deliver_and_take(2, 8200);
	deliver_and_take(1, 8201);
	/* pending, and moves with its event */
	sim_its_completion_delivered(completion, 1, 8201);
	tell_event(SIM_ITS_MOVI, 8, 1, 2);
	sim_its_completion_taken(completion, 2, 8201);
	/* all that is pending on 2 moves to 1 */
	sim_its_completion_delivered(completion, 2, 8201);
	tell(SIM_ITS_MOVALL, 0, UINT64_C(2) << 16, UINT64_C(1) << 16);
	sim_its_completion_taken(completion, 1, 8201);
	/* discarded, and mapped to another LPI */
	tell_event(SIM_ITS_DISCARD, 8, 0, 0);
	sim_its_completion_configured(completion, 8300, 0xa1);
	tell(SIM_ITS_MAPTI | UINT64_C(8) << 32, UINT64_C(8300) << 32, 2, 0);
	deliver_and_take(2, 8300);
	/* by a command of the guest's */
	tell_event(SIM_ITS_INT, 8, 0, 0);
	sim_its_completion_taken(completion, 2, 8300);
	/* two events of one LPI: no judgement */
	tell(SIM_ITS_MAPTI | UINT64_C(8) << 32, UINT64_C(8300) << 32 | 1, 1, 0);
	deliver_and_take(1, 8300);
	deliver_and_take(2, 8300);
	end(0);
}

/* Whatever ended it, an interrupt that comes all the same is noticed. */
static void what_has_ended_must_not_come(void **state)
{
	(void)state;
	begin(SIM_ITS_PROFILE_QEMU);
	boot();
	tell_event(SIM_ITS_MOVI, 8, 0, 2);
	sim_its_completion_delivered(completion, 1, 8200);
	assert_string_equal(said, "completion: LPI 8200 delivered to PE 1: device 0x8 event 0 is "
			    "of collection 2 since MOVI completed");
	end(1);

	begin(SIM_ITS_PROFILE_QEMU);
	boot();
	tell_event(SIM_ITS_DISCARD, 8, 1, 0);
	sim_its_completion_delivered(completion, 1, 8201);
	assert_string_equal(said, "completion: LPI 8201 delivered to PE 1: device 0x8 event 1 led "
			    "to it until DISCARD completed");
	end(1);

	begin(SIM_ITS_PROFILE_QEMU);
	boot();
	tell(SIM_ITS_MAPD | UINT64_C(8) << 32, 3, 0, 0);
	sim_its_completion_delivered(completion, 1, 8200);
	assert_non_null(strstr(said, "until MAPD completed"));
	end(1);

	begin(SIM_ITS_PROFILE_QEMU);
	boot();
	tell(SIM_ITS_MAPC, 0, VALID | UINT64_C(3) << 16 | 1, 0);
	sim_its_completion_delivered(completion, 3, 8200);
	assert_string_equal(said, "");
	sim_its_completion_delivered(completion, 1, 8200);
	end(1);

	begin(SIM_ITS_PROFILE_QEMU);
	boot();
	tell(SIM_ITS_MAPC, 0, 1, 0);
	sim_its_completion_delivered(completion, 1, 8200);
	assert_non_null(strstr(said, "is of collection 1, which MAPC has unmapped"));
	end(1);
}

static void what_has_ended_must_not_be_acknowledged(void **state)
{
	(void)state;
	/* pending when it was discarded */
	begin(SIM_ITS_PROFILE_QEMU);
	boot();
	sim_its_completion_delivered(completion, 1, 8200);
	tell_event(SIM_ITS_DISCARD, 8, 0, 0);
	sim_its_completion_taken(completion, 1, 8200);
	end(1);
	/* where DISCARD keeps it, it may come */
	begin(SIM_ITS_PROFILE_KVM);
	boot();
	sim_its_completion_delivered(completion, 1, 8200);
	tell_event(SIM_ITS_DISCARD, 8, 0, 0);
	sim_its_completion_taken(completion, 1, 8200);
	end(0);
	/* moved, and acknowledged where it was */
	begin(SIM_ITS_PROFILE_QEMU);
	boot();
	sim_its_completion_delivered(completion, 1, 8200);
	tell_event(SIM_ITS_MOVI, 8, 0, 2);
	sim_its_completion_taken(completion, 1, 8200);
	assert_string_equal(said, "completion: LPI 8200 acknowledged by PE 1, pending on PE 2");
	end(1);
	/* disabled: without INV it may still come, with INV not */
	begin(SIM_ITS_PROFILE_QEMU);
	boot();
	sim_its_completion_configured(completion, 8200, 0xa0);
	deliver_and_take(1, 8200);
	assert_string_equal(said, "");
	tell_event(SIM_ITS_INV, 8, 0, 0);
	deliver_and_take(1, 8200);
	assert_non_null(strstr(said, "after INV of its disabled configuration completed"));
	end(1);
	/* twice for one */
	begin(SIM_ITS_PROFILE_QEMU);
	boot();
	deliver_and_take(1, 8200);
	sim_its_completion_taken(completion, 1, 8200);
	end(1);
}

static void what_is_off_must_not_come(void **state)
{
	(void)state;
	begin(SIM_ITS_PROFILE_QEMU);
	boot();
	sim_its_completion_its(completion, false);
	sim_its_completion_delivered(completion, 1, 8200);
	assert_string_equal(said, "completion: LPI 8200 delivered to PE 1 after GITS_CTLR.Enabled "
			    "was cleared");
	sim_its_completion_its(completion, true);
	deliver_and_take(1, 8201);
	end(1);

	begin(SIM_ITS_PROFILE_QEMU);
	boot();
	sim_its_completion_lpis(completion, 2, false);
	sim_its_completion_delivered(completion, 1, 8200);
	assert_string_equal(said, "");
	sim_its_completion_lpis(completion, 1, false);
	sim_its_completion_taken(completion, 1, 8200);
	assert_string_equal(said, "completion: LPI 8200 acknowledged by PE 1 after EnableLPIs was "
			    "cleared");
	sim_its_completion_delivered(completion, 1, 8201);
	end(2);
}

/* A machine and its twin, given the same. */
struct pair {
	struct machine m;
	struct sim_its_twin *twin;
};

static void both(struct pair *p, uint64_t w0, uint64_t w1, uint64_t w2)
{
	uint8_t bytes[32] = { 0 };

	sim_put_le64(bytes, w0);
	sim_put_le64(bytes + 8, w1);
	sim_put_le64(bytes + 16, w2);
	sim_its_twin_store(p->twin, QUEUE + p->m.write, bytes, sizeof(bytes));
	run(&p->m, w0, w1, w2, 0);
	sim_its_twin_write(p->twin, SIM_GITS_CWRITER, 8, p->m.write);
}

static void pair_up(struct pair *p, enum sim_its_profile profile)
{
	const struct sim_its_config its = { .choices = *sim_its_profile(profile) };
	const struct sim_gic_config gic = { .npes = 4, .state = its.choices.state };
	struct sim_error err = { "" };
	uint8_t bytes[0x10000];
	struct sim_gic *other;

	check = (struct sim_its_check){ .report = on_violation };
	said[0] = '\0';
	machine_up(&p->m, &its, SIM_GIC_V4_NONE);
	p->twin = sim_its_twin_create(&check, RAM, RAM_BYTES, &gic, &its, &err);
	assert_non_null(p->twin);
	memset(bytes, 0x81, sizeof(bytes));
	sim_its_twin_store(p->twin, PROP, bytes, sizeof(bytes));
	other = sim_its_twin_gic(p->twin);
	sim_gicd_write(other, SIM_GICD_CTLR, SIM_GICD_CTLR_GRP1 | SIM_GICD_CTLR_ARE);
	for (uint32_t pe = 0; pe < 4; pe++) {
		sim_gicr_write(other, pe, SIM_GICR_WAKER, 4, 0);
		sim_gicr_write(other, pe, SIM_GICR_PROPBASER, 8, PROP | 15);
		sim_gicr_write(other, pe, SIM_GICR_PENDBASER, 8, PEND(pe));
		sim_gicr_write(other, pe, SIM_GICR_CTLR, 4, SIM_GICR_CTLR_ENABLE_LPIS);
		sim_gic_set_pmr(other, pe, 0xff);
	}
	sim_its_twin_write(p->twin, SIM_GITS_CBASER, 8, SIM_GITS_VALID | QUEUE | 15);
	sim_its_twin_write(p->twin, SIM_GITS_BASER, 8, SIM_GITS_VALID | DEVICES | UINT64_C(2) << 8);
	sim_its_twin_write(p->twin, SIM_GITS_BASER + 8, 8,
			   SIM_GITS_VALID | COLLECTIONS | UINT64_C(2) << 8);
	sim_its_twin_write(p->twin, SIM_GITS_CTLR, 4, SIM_GITS_CTLR_ENABLED);
	for (uint64_t icid = 0; icid < 4; icid++)
		both(p, SIM_ITS_MAPC, 0, VALID | icid << 16 | icid);
	both(p, SIM_ITS_MAPD | UINT64_C(8) << 32, 3, VALID | ITT(8));
	both(p, SIM_ITS_MAPTI | UINT64_C(8) << 32, UINT64_C(8200) << 32, 1);
	both(p, SIM_ITS_MAPTI | UINT64_C(8) << 32, UINT64_C(8201) << 32 | 1, 1);
}

static void pair_down(struct pair *p)
{
	sim_its_twin_destroy(p->twin);
	machine_down(&p->m);
}

static void msi(struct pair *p, uint32_t event)
{
	struct sim_its_route route;
	enum sim_its_code code = sim_its_translate(p->m.its, 8, event, &route);

	if (code == SIM_ITS_OK)
		sim_its_deliver(p->m.its, &route);
	sim_its_twin_msi(p->twin, 8, event, code, &route);
}

static void twins_are_the_same(void **state)
{
	struct pair p;

	(void)state;
	for (int profile = SIM_ITS_PROFILE_QEMU; profile <= SIM_ITS_PROFILE_KVM; profile++) {
		pair_up(&p, (enum sim_its_profile)profile);
		msi(&p, 0);
		msi(&p, 5);
		sim_its_twin_take(p.twin, 1, sim_gic_iar(p.m.gic, 1));
		sim_gic_eoir(p.m.gic, 1);
		sim_gic_eoir(sim_its_twin_gic(p.twin), 1);
		msi(&p, 1);
		sim_its_twin_compare(p.twin, p.m.ram, p.m.gic, p.m.its);
		assert_string_equal(said, "");
		pair_down(&p);
	}
}

static void a_wrong_answer_is_noticed(void **state)
{
	const struct sim_its_route wrong = { .intid = 8201, .pe = 2, .icid = 2 };
	struct pair p;

	(void)state;
	pair_up(&p, SIM_ITS_PROFILE_QEMU);
	sim_its_deliver(p.m.its, &wrong);
	sim_its_twin_msi(p.twin, 8, 0, SIM_ITS_OK, &wrong);
	assert_string_equal(said, "transparency: device 0x8 event 0: LPI 8201 of PE 2, without a "
			    "cache LPI 8200 of PE 1");
	check.violations[SIM_ITS_CHECK_TRANSPARENCY] = 0;
	sim_its_twin_msi(p.twin, 8, 1, SIM_ITS_UNMAPPED_INTERRUPT, &wrong);
	assert_string_equal(said, "transparency: device 0x8 event 1: event not mapped, without a "
			    "cache done");
	check.violations[SIM_ITS_CHECK_TRANSPARENCY] = 0;
	sim_its_twin_take(p.twin, 2, sim_gic_iar(p.m.gic, 2));
	assert_string_equal(said, "transparency: PE 2 acknowledges 8201, without a cache 1023");
	pair_down(&p);
}

static void another_end_is_noticed(void **state)
{
	struct pair p;
	uint8_t byte = 1;

	(void)state;
	/* a byte of memory */
	pair_up(&p, SIM_ITS_PROFILE_QEMU);
	assert_true(sim_ram_store(p.m.ram, RAM + 0x123456, &byte, 1));
	sim_its_twin_compare(p.twin, p.m.ram, p.m.gic, p.m.its);
	assert_string_equal(said, "transparency: memory at 0x40123456 holds 0x01, without a cache "
			    "0x00");
	pair_down(&p);
	/* a register */
	pair_up(&p, SIM_ITS_PROFILE_QEMU);
	its_write(&p.m, SIM_GITS_CTLR, 0);
	sim_its_twin_compare(p.twin, p.m.ram, p.m.gic, p.m.its);
	assert_non_null(strstr(said, "GITS register 0x0 is"));
	pair_down(&p);
	/* a redistributor's */
	pair_up(&p, SIM_ITS_PROFILE_QEMU);
	sim_gicr_write(p.m.gic, 2, SIM_GICR_CTLR, 4, 0);
	sim_its_twin_compare(p.twin, p.m.ram, p.m.gic, p.m.its);
	assert_string_equal(said, "transparency: GICR register 0x0 of PE 2 is 0x6, without a cache "
			    "0x7");
	assert_int_equal(check.violations[SIM_ITS_CHECK_TRANSPARENCY], 1);
	pair_down(&p);
	/* the answer to a command */
	pair_up(&p, SIM_ITS_PROFILE_QEMU);
	both(&p, SIM_ITS_INT | UINT64_C(8) << 32, 0, 0);
	both(&p, SIM_ITS_CLEAR | UINT64_C(8) << 32, 0, 0);
	sim_its_twin_compare(p.twin, p.m.ram, p.m.gic, p.m.its);
	assert_string_equal(said, "");
	/* the twin's queue has nothing in this place, which is no command */
	run(&p.m, SIM_ITS_CLEAR | UINT64_C(8) << 32, 5, 0, 0);
	both(&p, SIM_ITS_SYNC, 0, 0);
	said[0] = '\0';
	check.violations[SIM_ITS_CHECK_TRANSPARENCY] = 0;
	sim_its_twin_compare(p.twin, p.m.ram, p.m.gic, p.m.its);
	assert_string_equal(said, "transparency: 11 commands, 1 failed, last 0x010507, without a "
			    "cache 11, 1, 0x000000");
	pair_down(&p);
	/* what is pending; and, held, only shows when it is saved */
	pair_up(&p, SIM_ITS_PROFILE_KVM);
	sim_its_msi(p.m.its, 8, 0);
	sim_its_twin_compare(p.twin, p.m.ram, p.m.gic, p.m.its);
	assert_string_equal(said, "transparency: PE 1: best pending 8200, without a cache 1023");
	assert_int_equal(check.violations[SIM_ITS_CHECK_TRANSPARENCY], 2);
	pair_down(&p);
}

static void a_bound_is_a_bound(void **state)
{
	(void)state;
	check = (struct sim_its_check){ .report = on_violation };
	said[0] = '\0';
	sim_its_check_bound(&check, 16, 16);
	assert_int_equal(sim_its_check_total(&check), 0);
	sim_its_check_bound(&check, 17, 16);
	assert_string_equal(said, "residency: 17 entries, 16 is the bound");
	assert_int_equal(check.violations[SIM_ITS_CHECK_RESIDENCY], 1);
}

/* Events up to here, besides the two that are there. */
static void map_below(struct pair *p, uint64_t end)
{
	for (uint64_t e = 2; e < end; e++)
		both(p, SIM_ITS_MAPTI | UINT64_C(8) << 32, (8200 + e) << 32 | e, 1);
}

/* A design that has more room than it was given, whatever it says itself. */
static void room_that_was_not_given_is_noticed(void **state)
{
	const struct sim_its_design_config cfg = { .capacity = 8 };
	struct sim_its_residency residency = { .bound = 4 };
	struct sim_error err = { "" };
	struct sim_its_design *design = sim_its_design_create(SIM_ITS_LIST2019, &cfg, &err);
	struct sim_its_route route;
	struct pair p;

	(void)state;
	pair_up(&p, SIM_ITS_PROFILE_QEMU);
	map_below(&p, 8);
	for (uint32_t e = 0; e < 5; e++) {
		assert_string_equal(said, "");
		sim_its_design_resolve(design, p.m.its, 8, e, &route);
		sim_its_check_residency(&check, &residency, design);
	}
	assert_string_equal(said, "residency: 5 entries, 4 is the bound");
	sim_its_design_destroy(design);
	pair_down(&p);
}

/* It asks again before the fill that could reach the bound, and then at each one. */
static void the_bound_is_looked_at_in_time(void **state)
{
	const struct sim_its_design_config cfg = { .nvcpus = 1 };
	struct sim_its_residency residency = { 0 };
	struct sim_error err = { "" };
	struct sim_its_design *design = sim_its_design_create(SIM_ITS_LIST2019, &cfg, &err);
	struct sim_its_route route;
	struct pair p;

	(void)state;
	pair_up(&p, SIM_ITS_PROFILE_QEMU);
	map_below(&p, 16);
	sim_its_check_residency(&check, &residency, design);
	assert_int_equal(residency.fills, 16);
	for (uint32_t e = 0; e < 16; e++)
		sim_its_design_resolve(design, p.m.its, 8, e, &route);
	sim_its_check_residency(&check, &residency, design);
	assert_int_equal(residency.fills, 17);
	assert_int_equal(check.violations[SIM_ITS_CHECK_RESIDENCY], 0);
	sim_its_design_destroy(design);
	pair_down(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_mapped_may_come),
		cmocka_unit_test(what_has_ended_must_not_come),
		cmocka_unit_test(what_has_ended_must_not_be_acknowledged),
		cmocka_unit_test(what_is_off_must_not_come),
		cmocka_unit_test(twins_are_the_same),
		cmocka_unit_test(a_wrong_answer_is_noticed),
		cmocka_unit_test(another_end_is_noticed),
		cmocka_unit_test(a_bound_is_a_bound),
		cmocka_unit_test(the_bound_is_looked_at_in_time),
		cmocka_unit_test(room_that_was_not_given_is_noticed),
	};

	return cmocka_run_group_tests_name("its_check", tests, NULL, NULL);
}
