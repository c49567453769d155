// SPDX-License-Identifier: BSD-2-Clause
/*
 * table.c - the targets. Each row compares two cases, or holds one against a figure.
 *
 * Absolute times drift, on a shared machine by a third between one minute and the next. So the two
 * sides of a row run back to back, A B B A A B ..., each run prepared alike. Each such pair gives a
 * ratio; their median is judged. The times beside it are medians too, and are judged where there is
 * a target in nanoseconds.
 *
 * Rows of two threads say how many times as fast two are as one, beside the same of a peer. Their
 * runs have both CPUs to themselves (two.h): other work beside the one thread, and none beside the
 * two, would be scaling that is not there.
 */
#include <inttypes.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dirty_collect.h"

#define REPS_MAX 999u

/*
 * %u in a name is the region of bench_region_gib(). b NULL: nothing to compare with. 0: no limit.
 * ns_max negative: the limit is for a less b.
 */
struct row {
	const char *what;
	const char *a;
	const char *b;
	double ratio_max;
	double ns_max;
};

static const struct row rows[] = {
	{ "harvest, 0 % dirty", "dirty/harvest/weir/0/%u", "dirty/harvest/plain_read/0/%u",
	  1.15, 0 },
	{ "harvest, 1 % dirty", "dirty/harvest/weir/10/%u", "dirty/harvest/plain_read/10/%u",
	  1.5, 0 },
	{ "harvest, 10 % dirty", "dirty/harvest/weir/100/%u", "dirty/harvest/plain_read/100/%u",
	  2.0, 0 },
	{ "harvest, 100 % dirty", "dirty/harvest/weir/1000/%u", "dirty/harvest/series2023/1000/%u",
	  0.65, 5.0 },
	{ "  tables not exclusive", "dirty/harvest/weir_atomic/1000/%u",
	  "dirty/harvest/series2023/1000/%u", 0, 0 },
	{ "get, clean", "dirty/get/weir/0/48", NULL, 0, 10000 },
	{ "get, clean", "dirty/get/weir/0/480", NULL, 0, 10000 },
	{ "get, a word", "dirty/get/weir/0.01/48", "dirty/get/find_next_bit/0.01/48", 0, 250 },
	{ "get, a word", "dirty/get/weir/0.01/480", "dirty/get/find_next_bit/0.01/480", 0, 250 },
	{ "get, a word", "dirty/get/weir/1/480", "dirty/get/find_next_bit/1/480", 0, 250 },
	{ "get, a word", "dirty/get/weir/1000/480", "dirty/get/find_next_bit/1000/480", 0, 250 },
	{ "get_bitmap, clean", "dirty/get_bitmap/weir/0/480", "dirty/get_bitmap/memset/0/480",
	  1.5, 0 },
	{ "get_bitmap, 0.001 % dirty", "dirty/get_bitmap/weir/0.01/480",
	  "dirty/get_bitmap/memset/0.01/480", 1.5, 0 },
	{ "get_bitmap, 0.1 % dirty", "dirty/get_bitmap/weir/1/480", "dirty/get_bitmap/memset/1/480",
	  1.5, 0 },
	{ "get_bitmap, 1 % dirty", "dirty/get_bitmap/weir/10/480",
	  "dirty/get_bitmap/memset/10/480", 1.5, 0 },
	{ "get_bitmap, 100 % dirty", "dirty/get_bitmap/weir/1000/480",
	  "dirty/get_bitmap/memset/1000/480", 1.5, 0 },
	{ "peers: get, 0.1 %", "dirty/get/weir/1/480", "dirty/get/qemu_xchg/1/480", 0, 0 },
	{ "peers: get, 0.1 %", "dirty/get/weir/1/480", "dirty/get/croaring/1/480", 0, 0 },
	{ "peers: get, 0.1 %", "dirty/get/weir/1/480", "dirty/get/find_next_bit/1/480", 0, 0 },
	{ "peers: get, 1 %", "dirty/get/weir/10/480", "dirty/get/qemu_xchg/10/480", 0, 0 },
	{ "peers: get, 1 %", "dirty/get/weir/10/480", "dirty/get/croaring/10/480", 0, 0 },
	{ "peers: get, 1 %", "dirty/get/weir/10/480", "dirty/get/find_next_bit/10/480", 0, 0 },
	{ "peers: get, 100 %", "dirty/get/weir/1000/480", "dirty/get/qemu_xchg/1000/480", 0, 0 },
	{ "peers: get, 100 %", "dirty/get/weir/1000/480", "dirty/get/croaring/1000/480", 0, 0 },
	{ "peers: get, 100 %", "dirty/get/weir/1000/480", "dirty/get/find_next_bit/1000/480", 0,
	  0 },
	{ "peers: bitmap, 0.1 %", "dirty/get_bitmap/weir/1/480", "dirty/get_bitmap/qemu_xchg/1/480",
	  0, 0 },
	{ "peers: bitmap, 0.1 %", "dirty/get_bitmap/weir/1/480", "dirty/get_bitmap/croaring/1/480",
	  0, 0 },
	{ "peers: bitmap, 100 %", "dirty/get_bitmap/weir/1000/480",
	  "dirty/get_bitmap/qemu_xchg/1000/480", 0, 0 },
	{ "peers: bitmap, 100 %", "dirty/get_bitmap/weir/1000/480",
	  "dirty/get_bitmap/croaring/1000/480", 0, 0 },
	{ "peers: mark, clean", "dirty/mark/weir/0/48", "dirty/mark/set_bit/0/48", 0, 0 },
	{ "peers: mark, clean", "dirty/mark/weir/0/48", "dirty/mark/croaring/0/48", 0, 0 },
	{ "peers: mark, again", "dirty/mark/weir/1000/48", "dirty/mark/set_bit/1000/48", 0, 0 },
	{ "peers: mark, again", "dirty/mark/weir/1000/48", "dirty/mark/croaring/1000/48", 0, 0 },
	{ "fault, page promoted", "dirty/fault/weir/1000/48", NULL, 0, 0 },
	{ "fault, traps", "dirty/fault/weir_wp/0/48", NULL, 0, 0 },
	{ "fault, promotes 64", "dirty/fault/weir_fixed64/0/48", NULL, 0, 0 },
	{ "clear, 1 % dirty", "dirty/clear/weir/10/48", "dirty/clear/series2023/10/48", 0, 0 },
	{ "  under WP", "dirty/clear/weir_wp/10/48", "dirty/clear/series2023/10/48", 0, 0 },
	{ "clear, 100 % dirty", "dirty/clear/weir/1000/48", "dirty/clear/series2023/1000/48", 0,
	  0 },
	{ "freeze, 0 % dirty", "dirty/freeze/weir/0/48", "dirty/freeze/plain_read/0/48", 0, 0 },
	{ "freeze, 100 % dirty", "dirty/freeze/weir/1000/48", "dirty/freeze/plain_read/1000/48",
	  0, 0 },
	{ "hit inlined", "xlate/hit/weir_inline/1", "xlate/hit/flat/1", 2.5, 0 },
	{ "hit inlined", "xlate/hit/weir_inline/16", "xlate/hit/flat/16", 2.5, 0 },
	{ "hit inlined", "xlate/hit/weir_inline/64", "xlate/hit/flat/64", 2.5, 0 },
	{ "hit inlined", "xlate/hit/weir_inline/1024", "xlate/hit/flat/1024", 2.5, 0 },
	{ "hit inlined", "xlate/hit/weir_inline/65536", "xlate/hit/flat/65536", 2.5, 0 },
	{ "  in sequence", "xlate/hit/weir_inline_ordered/65536", "xlate/hit/flat_ordered/65536",
	  0, 0 },
	{ "  a bare entry, 24 bytes", "xlate/hit/bare24/65536", "xlate/hit/flat/65536", 0, 0 },
	{ "  a bare entry, 32 bytes", "xlate/hit/bare32/65536", "xlate/hit/flat/65536", 0, 0 },
	{ "  beside that", "xlate/hit/weir_inline/65536", "xlate/hit/bare32/65536", 0, 0 },
	{ "  16384", "xlate/hit/weir_inline/16384", "xlate/hit/flat/16384", 0, 0 },
	{ "  32768", "xlate/hit/weir_inline/32768", "xlate/hit/flat/32768", 0, 0 },
	{ "  262144", "xlate/hit/weir_inline/262144", "xlate/hit/flat/262144", 0, 0 },
	{ "hit called", "xlate/hit/weir/1", "xlate/hit/flat/1", 3.2, 0 },
	{ "hit called", "xlate/hit/weir/64", "xlate/hit/flat/64", 3.2, 0 },
	{ "hit called", "xlate/hit/weir/1024", "xlate/hit/flat/1024", 3.2, 0 },
	{ "hit irregular, half load", "xlate/hit/weir_inline/64/irregular",
	  "xlate/hit/flat/64/irregular", 4, 0 },
	{ "hit irregular, half load", "xlate/hit/weir_inline/1024/irregular",
	  "xlate/hit/flat/1024/irregular", 4, 0 },
	{ "hit irregular, half load", "xlate/hit/weir_inline/65536/irregular",
	  "xlate/hit/flat/65536/irregular", 4, 0 },
	{ "hit irregular, full", "xlate/hit/weir_inline/64/irregular/full",
	  "xlate/hit/flat/64/irregular", 6, 0 },
	{ "hit irregular, full", "xlate/hit/weir_inline/1024/irregular/full",
	  "xlate/hit/flat/1024/irregular", 6, 0 },
	{ "hit irregular, full", "xlate/hit/weir_inline/65536/irregular/full",
	  "xlate/hit/flat/65536/irregular", 6, 0 },
	{ "list of 2019, 25 times", "xlate/hit/weir/64", "xlate/hit/kvm2019/64", 0.04, 0 },
	{ "list of 2019, 250 times", "xlate/hit/weir/1024", "xlate/hit/kvm2019/1024", 0.004, 0 },
	{ "radix, RCU, references", "xlate/hit/weir/1", "xlate/hit/radix_rcu_ref/1", 0.65, 0 },
	{ "radix, RCU, references", "xlate/hit/weir/64", "xlate/hit/radix_rcu_ref/64", 0.65, 0 },
	{ "radix, RCU, references", "xlate/hit/weir/1024", "xlate/hit/radix_rcu_ref/1024", 0.65,
	  0 },
	{ "radix, irregular, half", "xlate/hit/weir/64/irregular",
	  "xlate/hit/radix_rcu_ref/64/irregular", 1, 0 },
	{ "radix, irregular, half", "xlate/hit/weir/1024/irregular",
	  "xlate/hit/radix_rcu_ref/1024/irregular", 1, 0 },
	{ "radix, RCU", "xlate/hit/weir/64", "xlate/hit/radix_rcu/64", 0, 0 },
	{ "rculfhash", "xlate/hit/weir/64", "xlate/hit/rculfhash/64", 0, 0 },
	{ "ck_ht", "xlate/hit/weir/64", "xlate/hit/ck_ht/64", 0, 0 },
	{ "2 threads, empty loop", "xlate/hit/empty/64/threads:2", "xlate/hit/empty/64", 0, 0 },
	{ "2 threads", "xlate/hit/weir_inline/64/threads:2", "xlate/hit/weir_inline/64", 1.05, 0 },
	{ "2 threads, radix", "xlate/hit/radix_rcu_ref/64/threads:2",
	  "xlate/hit/radix_rcu_ref/64", 0, 0 },
	{ "latency", "xlate/latency/weir_inline/64", "xlate/latency/flat/64", 0, 0 },
	{ "miss", "xlate/miss/weir/64", "xlate/hit/weir/64", 0, 0 },
	{ "invalidate all, net", "xlate/invalidate_all/weir_change/64",
	  "xlate/invalidate_all/change/64", 0, -5 },
	{ "invalidate all, net", "xlate/invalidate_all/weir_change/65536",
	  "xlate/invalidate_all/change/65536", 0, -5 },
	{ "  nothing between, net", "xlate/invalidate_all/weir/64",
	  "xlate/invalidate_all/empty/64", 0, 0 },
	{ "  an atomic add, called", "xlate/invalidate_all/weir/64",
	  "xlate/invalidate_all/atomic_add/64", 1.2, 0 },
	{ "invalidate device, net", "xlate/invalidate_device/weir/64",
	  "xlate/invalidate_all/empty/64", 0, -5 },
	{ "invalidate device, net", "xlate/invalidate_device/weir/65536",
	  "xlate/invalidate_all/empty/65536", 0, -5 },
	{ "invalidate tag, net", "xlate/invalidate_tag/weir/64", "xlate/invalidate_all/empty/64",
	  0, -12 },
	{ "serial, all, net", "xlate/invalidate_all/weir_serial_change/64",
	  "xlate/invalidate_all/change/64", 0, -5 },
	{ "  nothing between, net", "xlate/invalidate_all/weir_serial/64",
	  "xlate/invalidate_all/empty/64", 0, -5 },
	{ "  nothing between, net", "xlate/invalidate_all/weir_serial/65536",
	  "xlate/invalidate_all/empty/65536", 0, -5 },
	{ "serial, device, net", "xlate/invalidate_device/weir_serial/64",
	  "xlate/invalidate_all/empty/64", 0, -5 },
	{ "serial, device, net", "xlate/invalidate_device/weir_serial/65536",
	  "xlate/invalidate_all/empty/65536", 0, -5 },
	{ "serial, tag, net", "xlate/invalidate_tag/weir_serial/64",
	  "xlate/invalidate_all/empty/64", 0, -5 },
	{ "invalidate event, net", "xlate/invalidate_event/weir/64",
	  "xlate/invalidate_all/empty/64", 0, -10 },
	{ "invalidate event, net", "xlate/invalidate_event/weir/1024",
	  "xlate/invalidate_all/empty/1024", 0, -10 },
	{ "invalidate event, net", "xlate/invalidate_event/weir/65536",
	  "xlate/invalidate_all/empty/65536", 0, -10 },
	{ "  32768", "xlate/invalidate_event/weir/32768", "xlate/invalidate_all/empty/32768",
	  0, -10 },
	{ "  in sequence", "xlate/invalidate_event/weir_ordered/65536",
	  "xlate/invalidate_all/empty/65536", 0, -10 },
	{ "fill", "xlate/fill/weir/64", NULL, 0, 0 },
	{ "fill", "xlate/fill/weir/65536", NULL, 0, 0 },
	{ "events, 16 pending", "sim/events/weir/16", "sim/events/heap_binary/16", 0, 0 },
	{ "events, 256 pending", "sim/events/weir/256", "sim/events/heap_binary/256", 0, 0 },
	{ "events, 4096 pending", "sim/events/weir/4096", "sim/events/heap_binary/4096", 0, 0 },
	{ "events, 65536 pending", "sim/events/weir/65536", "sim/events/heap_binary/65536", 0, 0 },
};

/* From one thread (names[0]) to two (names[1]): so many times as fast, beside a peer's. */
struct scaling {
	const char *what;
	const char *names[2];
	const char *peers[2];
	double scaling_min;	/* 0: the limit is for the ratio */
	double ratio_min;
};

#define SCALING(gib, what, permille, scaling_min, ratio_min)                                \
	{ what,                                                                             \
	  { "dirty/harvest/weir/" permille "/" gib,                                         \
	    "dirty/harvest/weir/" permille "/" gib "/threads:2" },                          \
	  { "dirty/harvest/plain_read/" permille "/" gib,                                   \
	    "dirty/harvest/plain_read/" permille "/" gib "/threads:2" },                    \
	  scaling_min, ratio_min }

static const struct scaling scalings[] = {
	SCALING("%u", "2 threads, 0 % dirty", "0", 0, 0.95),
	SCALING("%u", "2 threads, 1 % dirty", "10", 0, 0.95),
	SCALING("%u", "2 threads, 10 % dirty", "100", 0, 0.95),
	SCALING("%u", "2 threads, 100 % dirty", "1000", 1.8, 0),
	SCALING("48", "2 threads, 0 % dirty", "0", 0, 0),
	SCALING("48", "2 threads, 100 % dirty", "1000", 0, 0),
};

/* One side of a row. */
struct side {
	const struct bench_case *c;
	void *state;
	double ns[REPS_MAX];
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, unsigned int n)
{
	qsort(v, n, sizeof(*v), compare);
	return n % 2u ? v[n / 2u] : (v[n / 2u - 1u] + v[n / 2u]) / 2.0;
}

static const struct bench_case *find(const char *name)
{
	const struct bench_case *c;
	char full[BENCH_NAME_BYTES];
	const char *hole = strstr(name, "%u");

	if (hole)
		snprintf(full, sizeof(full), "%.*s%" PRIu32 "%s", (int)(hole - name), name,
			 bench_region_gib(), hole + 2);
	else
		snprintf(full, sizeof(full), "%s", name);
	c = bench_find(full);
	if (!c)
		host_die("%s: no such case", full);
	return c;
}

static void run_side(struct side *s, unsigned int rep)
{
	uint64_t ns = 0, items;

	if (!s->c)
		return;
	items = bench_timed_run(s->c, s->state, &ns);
	s->ns[rep] = (double)ns / (double)items;
}

/* Whether the targets are met. */
static bool judge(const struct row *row, struct side *a, struct side *b, unsigned int reps)
{
	char limit[64] = "-", peer[24] = "-", times[24] = "-";
	static double ratios[REPS_MAX], nets[REPS_MAX];
	bool met = true;
	unsigned int i;
	double ns;

	for (i = 0; b->c && i < reps; i++) {
		ratios[i] = a->ns[i] / b->ns[i];
		nets[i] = a->ns[i] - b->ns[i];
	}
	ns = median(row->ns_max < 0 ? nets : a->ns, reps);
	if (row->ns_max != 0)
		met = ns <= fabs(row->ns_max);
	if (b->c) {
		double ratio = median(ratios, reps);

		met = met && (row->ratio_max <= 0 || ratio <= row->ratio_max);
		snprintf(peer, sizeof(peer), "%.3f", median(b->ns, reps));
		snprintf(times, sizeof(times), "%.3f", ratio);
	}
	if (row->ratio_max > 0 && row->ns_max != 0)
		snprintf(limit, sizeof(limit), "%gx, %g ns", row->ratio_max,
			 fabs(row->ns_max));
	else if (row->ratio_max > 0)
		snprintf(limit, sizeof(limit), "%gx", row->ratio_max);
	else if (row->ns_max != 0)
		snprintf(limit, sizeof(limit), "%g ns", fabs(row->ns_max));
	printf("%-24s %-36s %12.3f %-36s %12s %8s %14s %s\n", row->what, a->c->name, ns,
	       b->c ? b->c->name : "-", peer, times, limit,
	       row->ratio_max <= 0 && row->ns_max == 0 ? "" : met ? "met" : "MISSED");
	fflush(stdout);
	return met;
}

static bool is_missing(const char *what, const struct bench_case *c)
{
	const char *missing = bench_missing(c);

	if (missing)
		printf("%-24s %-36s missing: %s\n", what, c->name, missing);
	return missing != NULL;
}

static bool measure(const struct row *row, unsigned int reps)
{
	static struct side sides[2];
	struct side *a = &sides[0], *b = &sides[1];
	unsigned int rep, i;
	bool met;

	a->c = find(row->a);
	b->c = row->b ? find(row->b) : NULL;
	if (b->c && is_missing(row->what, b->c))
		return true;
	for (i = 0; i < 2; i++)
		if (sides[i].c)
			sides[i].state = sides[i].c->impl->setup(&sides[i].c->params);
	for (rep = 0; rep < reps; rep++) {
		run_side(rep % 2u ? b : a, rep);
		run_side(rep % 2u ? a : b, rep);
	}
	met = judge(row, a, b, reps);
	for (i = 0; i < 2; i++)
		if (sides[i].c)
			sides[i].c->impl->teardown(sides[i].state);
	return met;
}

/* Times of one thread over times of two; the peer's sides follow ours. */
static bool judge_scaling(const struct scaling *row, const struct side *sides, unsigned int reps)
{
	static double ours[REPS_MAX], peers[REPS_MAX], ratios[REPS_MAX];
	double scaling, peer, ratio;
	char limit[24] = "-";
	unsigned int i;
	bool met;

	for (i = 0; i < reps; i++) {
		ours[i] = sides[0].ns[i] / sides[1].ns[i];
		peers[i] = sides[2].ns[i] / sides[3].ns[i];
		ratios[i] = ours[i] / peers[i];
	}
	scaling = median(ours, reps);
	peer = median(peers, reps);
	ratio = median(ratios, reps);
	met = scaling >= row->scaling_min && ratio >= row->ratio_min;
	if (row->scaling_min > 0)
		snprintf(limit, sizeof(limit), "a >= %g", row->scaling_min);
	else if (row->ratio_min > 0)
		snprintf(limit, sizeof(limit), "a/b >= %g", row->ratio_min);
	printf("%-24s %-36s %11.3fx %-36s %11.3fx %8.3f %14s %s\n", row->what,
	       sides[1].c->name, scaling, sides[3].c->name, peer, ratio, limit,
	       limit[0] == '-' ? "" : met ? "met" : "MISSED");
	fflush(stdout);
	return met;
}

static bool measure_scaling(const struct scaling *row, unsigned int reps)
{
	static struct side sides[4];
	unsigned int rep, i;
	bool met;

	for (i = 0; i < 4u; i++)
		sides[i].c = find(i < 2u ? row->names[i] : row->peers[i - 2u]);
	if (is_missing(row->what, sides[1].c))
		return true;
	for (i = 0; i < 4u; i++)
		sides[i].state = sides[i].c->impl->setup(&sides[i].c->params);
	for (rep = 0; rep < reps; rep++)
		for (i = 0; i < 4u; i++)
			run_side(&sides[rep % 2u ? 3u - i : i], rep);
	met = judge_scaling(row, sides, reps);
	for (i = 0; i < 4u; i++)
		sides[i].c->impl->teardown(sides[i].state);
	return met;
}

static bool chosen(const regex_t *filter, const char *what, const char *a, const char *b)
{
	char text[256];

	snprintf(text, sizeof(text), "%s %s %s", what, a, b ? b : "");
	return !regexec(filter, text, 0, NULL, 0);
}

int bench_table(unsigned int reps, const char *only, bool alone)
{
	unsigned int missed = 0;
	regex_t filter;
	size_t i;

	if (regcomp(&filter, only, REG_EXTENDED | REG_NOSUB)) {
		fprintf(stderr, "weir-bench: --table=%s: not a regular expression\n", only);
		return 2;
	}
	printf("last-level cache %" PRIu64 " MiB, descriptors of %" PRIu32 " GiB: %" PRIu32
	       " MiB; medians of %u, ns an item\n",
	       host_llc_bytes() >> 20, bench_region_gib(), bench_region_gib() * 2u, reps);
	printf("%-24s %-36s %12s %-36s %12s %8s %14s\n", "what", "a", "ns", "b", "ns", "a/b",
	       "at most");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (chosen(&filter, rows[i].what, rows[i].a, rows[i].b))
			missed += !measure(&rows[i], reps);
	bench_alone(true);
	for (i = 0; i < sizeof(scalings) / sizeof(scalings[0]); i++)
		if (chosen(&filter, scalings[i].what, scalings[i].names[1], scalings[i].peers[1]))
			missed += !measure_scaling(&scalings[i], reps);
	bench_alone(alone);
	bench_table_collect(reps, &filter);
	regfree(&filter);
	if (missed)
		printf("%u missed\n", missed);
	return missed ? 1 : 0;
}
