// SPDX-License-Identifier: BSD-2-Clause
/*
 * its_stream - ITS streams, and QEMU's trace logs as such.
 *
 * Goal: each event of a log becomes the event of a stream that docs/formats.md says; other events
 * are counted; what is no log, or no stream, is refused with the place and the reason; a stream
 * reads back as it was written.
 * Method: lines written by hand with the events they stand for; an excerpt of a recorded log
 * against the counts of its lines; a table of bad lines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sim/trace/qemu_log.h"

static bool same(const struct sim_its_event *a, const struct sim_its_event *b)
{
	return a->time_us == b->time_us && a->op == b->op &&
	       memcmp(a->operands, b->operands, sizeof(a->operands)) == 0;
}

#define LINE(name, text) "1@2.000003:gicv3_its_" name " GICv3 ITS" text "\n"
#define COMMAND(name, text) LINE("cmd_" name, ": command " text)

static const char log_text[] =
	"3@1.000000:gicv3_its_read GICv3 ITS read: offset 0x8 data 0x1 size 4\n"
	LINE("translation_write",
	     " TRANSLATER write: offset 0x40 data 0x7 size 4 requester_id 0x18")
	COMMAND("mapd", "MAPD DeviceID 0x8 Size 0x2 ITT_addr 0x42eafe V 1")
	COMMAND("mapc", "MAPC ICID 0x1 RDbase 0x3 V 0")
	COMMAND("mapti", "MAPTI DeviceID 0x8 EventID 0x1 ICID 0x5 pINTID 0x2001")
	COMMAND("mapi", "MAPI DeviceID 0x8 EventID 0x2002 ICID 0x4")
	COMMAND("movi", "MOVI DeviceID 0x18 EventID 0x1 ICID 0x2")
	COMMAND("movall", "MOVALL RDbase1 0x1 RDbase2 0x2")
	COMMAND("discard", "DISCARD DeviceID 0x18 EventID 0x3")
	COMMAND("int", "INT DeviceID 0x18 EventID 0x4")
	COMMAND("clear", "CLEAR DeviceID 0x18 EventID 0x5")
	COMMAND("inv", "INV DeviceID 0x18 EventID 0x6")
	COMMAND("invall", "INVALL")
	COMMAND("sync", "SYNC")
	"3@2.000002:gicv3_its_read GICv3 ITS read: offset 0x8 data 0x1 size 4\n"
	"3@2.000004:a_name_alone\n"
	"12@3.500000:gicv3_its_cmd_sync GICv3 ITS: command SYNC";

static const char stream_text[] =
	"time_us,op,operands\n"
	"2000003,msi,24,7\n"
	"2000003,mapd,8,3,1122696704,1\n" /* 0x42eafe00 */
	"2000003,mapc,1,3,0\n"
	"2000003,mapti,8,1,8193,5\n"
	"2000003,mapi,8,8194,4\n"
	"2000003,movi,24,1,2\n"
	"2000003,movall,1,2\n"
	"2000003,discard,24,3\n"
	"2000003,int,24,4\n"
	"2000003,clear,24,5\n"
	"2000003,inv,24,6\n"
	"2000003,invall\n"
	"2000003,sync\n"
	"3500000,sync\n";

static void a_log_becomes_a_stream(void **state)
{
	struct sim_qemu_log *log = sim_qemu_log_open_memory("log", log_text, strlen(log_text));
	struct sim_error err = { "" };
	struct sim_its_event event;
	uint64_t count = 0;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	sim_its_stream_head(out);
	while (sim_qemu_log_next(log, &event, &err) > 0)
		sim_its_stream_put(&event, out);
	fclose(out);
	assert_string_equal(err.text, "");
	assert_string_equal(text, stream_text);
	assert_int_equal(sim_qemu_log_nothers(log), 2);
	assert_string_equal(sim_qemu_log_other(log, 0, &count), "a_name_alone");
	assert_int_equal(count, 1);
	assert_string_equal(sim_qemu_log_other(log, 1, &count), "gicv3_its_read");
	assert_int_equal(count, 2);
	assert_int_equal(sim_qemu_log_steps_back(log), 1);
	sim_qemu_log_close(log);
	sim_qemu_log_close(NULL);
	free(text);
}

static void a_stream_reads_back(void **state)
{
	struct sim_qemu_log *log = sim_qemu_log_open_memory("log", log_text, strlen(log_text));
	struct sim_error err = { "" };
	struct sim_its_stream *stream =
		sim_its_stream_open_memory("stream", stream_text, strlen(stream_text), &err);
	struct sim_its_event a, b;

	(void)state;
	assert_non_null(stream);
	for (int pass = 0; pass < 2; pass++) {
		while (sim_qemu_log_next(log, &a, &err) > 0) {
			assert_int_equal(sim_its_stream_next(stream, &b, &err), 1);
			assert_true(same(&a, &b));
		}
		sim_qemu_log_close(log);
		log = sim_qemu_log_open_memory("log", log_text, strlen(log_text));
		assert_int_equal(sim_its_stream_next(stream, &b, &err), 0);
		assert_true(sim_its_stream_rewind(stream, &err));
	}
	assert_string_equal(err.text, "");
	sim_qemu_log_close(log);
	sim_its_stream_close(stream);
	sim_its_stream_close(NULL);
}

/* How often each event stands in the excerpt: counted with grep. */
static void a_recorded_log(void **state)
{
	static const struct { enum sim_its_event_op op; unsigned int count; } want[] = {
		{ SIM_ITS_EVENT_MSI, 19 }, { SIM_ITS_EVENT_MAPD, 1 },
		{ SIM_ITS_EVENT_MAPTI, 5 }, { SIM_ITS_EVENT_INV, 9 },
		{ SIM_ITS_EVENT_SYNC, 17 }, { SIM_ITS_EVENT_DISCARD, 4 },
	};
	struct sim_error err = { "" };
	struct sim_qemu_log *log =
		sim_qemu_log_open(WEIR_SOURCE_DIR "/tests/data/its/rebind.log", &err);
	unsigned int counts[SIM_ITS_EVENT_OPS] = { 0 }, events = 0, wanted = 0;
	struct sim_its_event event;
	uint64_t others = 0, n;

	(void)state;
	assert_non_null(log);
	while (sim_qemu_log_next(log, &event, &err) > 0) {
		counts[event.op]++;
		events++;
	}
	assert_string_equal(err.text, "");
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_int_equal(counts[want[i].op], want[i].count);
		wanted += want[i].count;
	}
	assert_int_equal(events, wanted);
	for (size_t i = 0; i < sim_qemu_log_nothers(log); i++) {
		sim_qemu_log_other(log, i, &n);
		others += n;
	}
	assert_int_equal(events + others, 200);
	sim_qemu_log_close(log);
}

struct bad {
	const char *text;
	const char *says;
};

static void bad_logs_are_refused(void **state)
{
	static const struct bad bads[] = {
		{ "hello\n", "x:1: line, found 'hello', expected THREAD@SECONDS.MICROSECONDS:" },
		{ "1@2.03:a b\n", "x:1: line, found '1@2.03:a b'" },
		{ "1@2.0000003:a b\n", "x:1: line, " },
		{ "@2.000003:a b\n", "x:1: line, " },
		{ "1@99999999999999999.000003:a b\n", "x:1: line, " },
		{ "1@2.000003: b\n", "x:1: event, found ' b', expected the name" },
		{ "1@2.000003:a-b c\n", "x:1: event, " },
		{ "1@2.000003:a b\n1@2", "x:2: line, found '1@2'" },
		{ COMMAND("sync", "SYNC 5"), "x:1: gicv3_its_cmd_sync, found " },
		{ COMMAND("int", "INT DeviceID 0x18"), "x:1: gicv3_its_cmd_int, found " },
		{ COMMAND("int", "INT DeviceID 0x18 EventID x"), "x:1: gicv3_its_cmd_int, " },
		{ COMMAND("int", "INT DeviceID 0x18 EventID 0x10000000000000000"), "x:1: " },
		{ COMMAND("mapd", "MAPD DeviceID 0x8 Size 0x20 ITT_addr 0x42eafe V 1"), "x:1: " },
		{ COMMAND("mapd", "MAPD DeviceID 0x8 Size 0x1 ITT_addr 0x100000000000 V 1"),
		  "x:1: gicv3_its_cmd_mapd, found " },
		{ COMMAND("mapc", "MAPC ICID 0x10000 RDbase 0x0 V 1"), "x:1: " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++) {
		struct sim_qemu_log *log =
			sim_qemu_log_open_memory("x", bads[i].text, strlen(bads[i].text));
		struct sim_error err = { "" };
		struct sim_its_event event;

		while (sim_qemu_log_next(log, &event, &err) > 0)
			;
		if (strncmp(err.text, bads[i].says, strlen(bads[i].says)) != 0)
			fail_msg("found '%s', expected '%s'", err.text, bads[i].says);
		assert_int_equal(sim_qemu_log_next(log, &event, &err), -1);
		sim_qemu_log_close(log);
	}
}

#define HEAD "time_us,op,operands\n"

static void bad_streams_are_refused(void **state)
{
	static const struct bad bads[] = {
		{ "", "x:1: is empty, expected time_us,op,operands" },
		{ "time_us,op\n", "x:1: first line, found 'time_us,op'" },
		{ HEAD "\n", "x:2: time_us, found '', expected a decimal number" },
		{ HEAD "-1,sync\n", "x:2: time_us, found '-1'" },
		{ HEAD "1\n", "x:2: op, found '', expected an op" },
		{ HEAD "1,\n", "x:2: op, found '', expected an op of ITS streams" },
		{ HEAD "1,mapx,1\n", "x:2: op, found 'mapx'" },
		{ HEAD "1,SYNC\n", "x:2: op, found 'SYNC'" },
		{ HEAD "1,sync,\n", "x:2: operand too many, found ''" },
		{ HEAD "1,msi,1\n", "x:2: event, found '', expected a decimal number up to 42949" },
		{ HEAD "1,msi,1,2,3\n", "x:2: operand too many, found '3'" },
		{ HEAD "1,msi,4294967296,2\n", "x:2: device, found '4294967296'" },
		{ HEAD "1,msi,0x1,2\n", "x:2: device, found '0x1'" },
		{ HEAD "1,mapc,1,2,2\n", "x:2: valid, found '2', expected a decimal number" },
		{ HEAD "1,mapd,1,33,0,1\n", "x:2: bits, found '33'" },
		{ HEAD "2,sync\n# remark\n1,sync\n", "x:4: time_us, found '1', expected no less" },
		{ HEAD "18446744073709551616,sync\n", "x:2: time_us, found " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++) {
		struct sim_error err = { "" };
		struct sim_its_stream *stream = sim_its_stream_open_memory(
			"x", bads[i].text, strlen(bads[i].text), &err);
		struct sim_its_event event;

		while (stream && sim_its_stream_next(stream, &event, &err) > 0)
			;
		if (strncmp(err.text, bads[i].says, strlen(bads[i].says)) != 0)
			fail_msg("found '%s', expected '%s'", err.text, bads[i].says);
		if (stream)
			assert_int_equal(sim_its_stream_next(stream, &event, &err), -1);
		sim_its_stream_close(stream);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_log_becomes_a_stream),
		cmocka_unit_test(a_stream_reads_back),
		cmocka_unit_test(a_recorded_log),
		cmocka_unit_test(bad_logs_are_refused),
		cmocka_unit_test(bad_streams_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
