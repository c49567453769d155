// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: a stream is replayed in its order, by the guest's own queue: an interrupt before its
 * mapping is refused, one before a command was translated by the tables as they were before it, one
 * after by those after; and figures add up.
 *
 * Method: small streams, each interrupt of which has one possible fate, under every design and both
 * profiles, at a speed at which the stream's times do not matter.
 */
#include "inject_params.h"

#include <unistd.h>

#define HEAD "time_us,op,operands\n"
/* PEs 0 and 1 as collections 0 and 1, device 8 with four events, 0 and 1 on PE 0. */
#define BOOT                                                                                     \
	HEAD "0,mapc,0,0,1\n0,sync\n0,mapc,1,1,1\n0,sync\n0,mapd,8,2,123456,1\n"                  \
	"0,mapti,8,0,8192,0\n0,mapti,8,1,8193,0\n0,inv,8,0\n0,inv,8,1\n0,sync\n"

static char path[64];

static struct inject_result replay(const char *text, const char *assignments,
				   enum sim_its_design_kind kind)
{
	char all[512];
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	snprintf(all, sizeof(all), "workload.trace=%s guest.vcpus=2 %s", path, assignments);
	return simulate("", all, kind);
}

/* Under every design, both profiles, and at two speeds; the checkers and the sums look on. */
static void everywhere(const char *text, void (*look)(const struct inject_result *r))
{
	static const char *const variants[] = {
		"its.profile=qemu workload.speedup=1", "its.profile=qemu workload.speedup=1000000",
		"its.profile=kvm workload.speedup=1", "its.profile=kvm workload.speedup=1000000",
	};

	for (unsigned int k = 0; k < SIM_ITS_DESIGNS; k++) {
		for (unsigned int v = 0; v < 4; v++) {
			struct inject_result r = replay(text, variants[v],
							(enum sim_its_design_kind)k);

			assert_int_equal(r.violations, 0);
			assert_int_equal(r.lost, 0);
			look(&r);
		}
	}
}

static void mapped_interrupts(const struct inject_result *r)
{
	assert_int_equal(r->msis, 3);
	assert_int_equal(r->refused, 0);
	assert_int_equal(r->lpis + r->coalesced, 3);
	assert_int_equal(r->commands, 10);
}

static void interrupts_come_where_they_are_mapped(void **state)
{
	(void)state;
	everywhere(BOOT "10,msi,8,0\n100,msi,8,1\n200,msi,8,0\n", mapped_interrupts);
}

static void early_and_late(const struct inject_result *r)
{
	assert_int_equal(r->msis, 6);
	/* before all, of another device, of an event that is not mapped, and after DISCARD */
	assert_int_equal(r->refused, 4);
	assert_int_equal(r->commands, 12);
}

static void what_is_not_mapped_is_refused(void **state)
{
	(void)state;
	everywhere(HEAD "0,msi,8,0\n"
		   "0,mapc,0,0,1\n0,sync\n0,mapc,1,1,1\n0,sync\n0,mapd,8,2,123456,1\n"
		   "0,mapti,8,0,8192,0\n0,mapti,8,1,8193,0\n0,inv,8,0\n0,inv,8,1\n0,sync\n"
		   "10,msi,8,0\n10,msi,16,0\n10,msi,8,3\n100,discard,8,1\n100,sync\n"
		   "100,msi,8,1\n101,msi,8,0\n", early_and_late);
}

/*
 * A thousand pairs of a move and an interrupt: were the order not kept, some would be translated by
 * the wrong tables, and the completion checker would say so.
 */
static void moves(const struct inject_result *r)
{
	assert_int_equal(r->msis, 1000);
	assert_int_equal(r->lpis + r->coalesced, 1000);
	assert_int_equal(r->commands, 10 + 2000);
	assert_int_equal(r->warm_lookups, 0);
	assert_int_equal(r->hits, 0);
}

static void commands_keep_their_place(void **state)
{
	static char text[65536];
	size_t len = (size_t)snprintf(text, sizeof(text), "%s", BOOT);

	(void)state;
	for (unsigned int i = 0; i < 1000; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"%u,movi,8,0,%u\n%u,sync\n%u,msi,8,0\n", i, (i + 1) % 2, i,
					i);
	everywhere(text, moves);
}

static void given_by_command(const struct inject_result *r)
{
	/* INT makes an LPI pending without a device; it counts as taken, and as nothing else */
	assert_int_equal(r->msis, 1);
	assert_int_equal(r->lpis, 2);
	assert_int_equal(r->refused + r->coalesced, 0);
}

static void an_interrupt_by_command_is_no_devices(void **state)
{
	(void)state;
	everywhere(BOOT "1000,int,8,1\n1000,sync\n2000,msi,8,0\n", given_by_command);
}

static void bound_anew(const struct inject_result *r)
{
	assert_int_equal(r->msis, 4);
	assert_int_equal(r->refused, 1);
	assert_int_equal(r->lpis, 3);
}

static void a_device_comes_back_with_an_empty_table(void **state)
{
	(void)state;
	everywhere(BOOT "1000,msi,8,0\n2000,msi,8,1\n3000,discard,8,0\n3000,discard,8,1\n"
		   "3000,mapd,8,2,123456,0\n3000,mapd,8,2,123456,1\n3000,mapti,8,1,8193,1\n"
		   "3000,inv,8,1\n3000,sync\n4000,msi,8,0\n4000,msi,8,1\n", bound_anew);
}

/* What QEMU wrote is taken as it is, by its name. */
static void a_log_is_as_good_as_its_stream(void **state)
{
	static const char *const log =
		"1@0.000000:gicv3_its_cmd_mapc GICv3 ITS: command MAPC ICID 0x0 RDbase 0x0 V 1\n"
		"1@0.000000:gicv3_its_cmd_mapd GICv3 ITS: command MAPD DeviceID 0x8 Size 0x1 "
		"ITT_addr 0x42eafe V 1\n"
		"1@0.000000:gicv3_its_cmd_mapti GICv3 ITS: command MAPTI DeviceID 0x8 EventID 0x0 "
		"ICID 0x0 pINTID 0x2000\n"
		"1@0.000000:gicv3_its_cmd_sync GICv3 ITS: command SYNC\n"
		"1@0.000010:gicv3_its_translation_write GICv3 ITS TRANSLATER write: offset 0x40 "
		"data 0x0 size 4 requester_id 0x8\n";
	char stream[sizeof(path)];
	struct inject_result r;

	(void)state;
	strcpy(stream, path);
	strcat(path, ".log");
	r = replay(log, "", SIM_ITS_WEIR);
	assert_int_equal(unlink(path), 0);
	strcpy(path, stream);
	assert_int_equal(r.commands, 4);
	assert_int_equal(r.lpis, 1);
	assert_int_equal(r.refused, 0);
}

static void time_passes_as_fast_as_it_shall(void **state)
{
	struct inject_result slow, fast;

	(void)state;
	slow = replay(BOOT "1000000,msi,8,0\n", "workload.speedup=1", SIM_ITS_WEIR);
	fast = replay(BOOT "1000000,msi,8,0\n", "workload.speedup=1000", SIM_ITS_WEIR);
	assert_in_range(slow.span_ns, UINT64_C(1000000000), UINT64_C(1000100000));
	assert_in_range(fast.span_ns, UINT64_C(1000000), UINT64_C(1100000));
}

static int set_up(void **state)
{
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/inject_replay.XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interrupts_come_where_they_are_mapped),
		cmocka_unit_test(what_is_not_mapped_is_refused),
		cmocka_unit_test(commands_keep_their_place),
		cmocka_unit_test(an_interrupt_by_command_is_no_devices),
		cmocka_unit_test(a_device_comes_back_with_an_empty_table),
		cmocka_unit_test(a_log_is_as_good_as_its_stream),
		cmocka_unit_test(time_passes_as_fast_as_it_shall),
	};

	return cmocka_run_group_tests_name("inject_replay", tests, set_up, tear_down);
}
