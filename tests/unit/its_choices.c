// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_choices - the parameters its.*, each by itself.
 *
 * Goal: a profile makes all choices, a parameter makes its own and no other, whatever the profile;
 * sizes arrive where they belong; what does not go together is refused. Method: one assignment, the
 * configuration that comes of it, and the profile's with one field changed by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "sim/engine/param.h"
#include "sim/machine/its.h"

static bool configure(const char *profile, const char *assignment, struct sim_its_config *its,
		      struct sim_gic_config *gic, struct sim_error *err)
{
	struct sim_params *params = sim_params_new();
	bool ok;

	*its = (struct sim_its_config){ .devbits = 0 };
	*gic = (struct sim_gic_config){ .npes = 1 };
	sim_its_params(params);
	assert_true(sim_params_assign(params, profile, err));
	assert_true(!assignment || sim_params_assign(params, assignment, err));
	ok = sim_its_configure(params, its, gic, err);
	sim_params_free(params);
	return ok;
}

static void same(const struct sim_its_choices *a, const struct sim_its_choices *b, const char *what)
{
	if (a->state != b->state || a->stall != b->stall || a->remap != b->remap ||
	    a->discard_keeps_pending != b->discard_keeps_pending ||
	    a->invall_everywhere != b->invall_everywhere || a->pages_64k != b->pages_64k ||
	    a->cached_tables != b->cached_tables ||
	    a->enable_needs_tables != b->enable_needs_tables ||
	    a->retry_always != b->retry_always ||
	    a->cbaser_resets_cwriter != b->cbaser_resets_cwriter ||
	    a->cwriter_oor_dropped != b->cwriter_oor_dropped ||
	    a->quiescent_is_empty != b->quiescent_is_empty)
		fail_msg("%s: another choice than was made", what);
}

/* What an assignment chooses; nothing, left to the profile, if there is no field. */
struct row {
	const char *assignment;
	size_t field, nbytes;
	unsigned int value;
};

#define FIELD(name)                                                                                \
	offsetof(struct sim_its_choices, name), sizeof(((struct sim_its_choices *)0)->name)

static const struct row rows[] = {
	{ "its.state=memory", FIELD(state), SIM_GIC_TABLE },
	{ "its.state=held", FIELD(state), SIM_GIC_HELD },
	{ "its.stall=never", FIELD(stall), SIM_ITS_STALL_NEVER },
	{ "its.stall=fault", FIELD(stall), SIM_ITS_STALL_FAULT },
	{ "its.stall=error", FIELD(stall), SIM_ITS_STALL_ERROR },
	{ "its.remap=overwrite", FIELD(remap), SIM_ITS_REMAP_OVERWRITE },
	{ "its.remap=ignore", FIELD(remap), SIM_ITS_REMAP_IGNORE },
	{ "its.discard=clear", FIELD(discard_keeps_pending), false },
	{ "its.discard=keep", FIELD(discard_keeps_pending), true },
	{ "its.invall=all", FIELD(invall_everywhere), true },
	{ "its.invall=collection", FIELD(invall_everywhere), false },
	{ "its.pages=written", FIELD(pages_64k), false },
	{ "its.pages=64k", FIELD(pages_64k), true },
	{ "its.enable=always", FIELD(enable_needs_tables), false },
	{ "its.enable=tables", FIELD(enable_needs_tables), true },
	{ "its.retry=bit", FIELD(retry_always), false },
	{ "its.retry=any_write", FIELD(retry_always), true },
	{ "its.state=profile", 0, 0, 0 },
	{ "its.stall=profile", 0, 0, 0 },
	{ "its.remap=profile", 0, 0, 0 },
	{ "its.discard=profile", 0, 0, 0 },
	{ "its.invall=profile", 0, 0, 0 },
	{ "its.pages=profile", 0, 0, 0 },
	{ "its.enable=profile", 0, 0, 0 },
	{ "its.retry=profile", 0, 0, 0 },
};

static void choose(struct sim_its_choices *choices, const struct row *row)
{
	bool flag = row->value;

	memcpy((char *)choices + row->field,
	       row->nbytes == sizeof(flag) ? (const void *)&flag : &row->value, row->nbytes);
}

static void a_choice_is_made_alone(void **state)
{
	static const char *const profiles[] = { "its.profile=qemu", "its.profile=kvm" };
	struct sim_its_config its;
	struct sim_gic_config gic;
	struct sim_error err = { "" };

	(void)state;
	for (unsigned int p = 0; p < 2; p++) {
		struct sim_its_choices want = *sim_its_profile((enum sim_its_profile)p);

		assert_true(configure(profiles[p], NULL, &its, &gic, &err));
		same(&its.choices, &want, profiles[p]);
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			want = *sim_its_profile((enum sim_its_profile)p);
			choose(&want, &rows[i]);
			assert_true(configure(profiles[p], rows[i].assignment, &its, &gic, &err));
			same(&its.choices, &want, rows[i].assignment);
			assert_int_equal(gic.state, want.state);
		}
	}
}

static void sizes_arrive(void **state)
{
	struct sim_its_config its;
	struct sim_gic_config gic;
	struct sim_error err = { "" };

	(void)state;
	assert_true(configure("its.devbits=20", "its.eventbits=11", &its, &gic, &err));
	assert_int_equal(its.devbits, 20);
	assert_int_equal(its.eventbits, 11);
	assert_true(configure("its.icidbits=9", "its.vpebits=7", &its, &gic, &err));
	assert_int_equal(its.icidbits, 9);
	assert_int_equal(its.vpebits, 7);
	assert_true(configure("its.intidbits=17", "its.held_events=123", &its, &gic, &err));
	assert_int_equal(gic.idbits, 17);
	assert_int_equal(its.held_max, 123);
	assert_true(configure("its.burst_commands=3", "its.v4=4.1", &its, &gic, &err));
	assert_int_equal(its.commands_max, 3);
	assert_int_equal(gic.v4, SIM_GIC_V4_1);
	assert_string_equal(err.text, "");
	assert_false(configure("its.profile=kvm", "its.v4=4.0", &its, &gic, &err));
	assert_string_equal(err.text, "its.v4=4.0: needs its.state=memory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_choice_is_made_alone),
		cmocka_unit_test(sizes_arrive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
