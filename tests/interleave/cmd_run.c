// SPDX-License-Identifier: BSD-2-Clause
/*
 * cmd_run.c - weir-explore run and replay.
 *
 * A schedule file is text: the program, the model, what was weakened, and the actions as letters:
 * r thread runs, d thread.entry a waiting store drains, l a load looks back, c a choice, f a
 * freeze.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

#define FILE_HEAD	"weir-explore schedule 1"

extern const struct wx_program *const __start_wx_programs[];
extern const struct wx_program *const __stop_wx_programs[];

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct wx_program *const *)a)->name,
		      (*(const struct wx_program *const *)b)->name);
}

unsigned int wx_program_count(void)
{
	return (unsigned int)(__stop_wx_programs - __start_wx_programs);
}

const struct wx_program *wx_program(unsigned int i)
{
	static const struct wx_program **sorted;
	unsigned int n = wx_program_count();

	if (!sorted) {
		sorted = malloc(n * sizeof(struct wx_program *));
		if (!sorted)
			exit(3);
		memcpy(sorted, __start_wx_programs, n * sizeof(struct wx_program *));
		qsort(sorted, n, sizeof(struct wx_program *), by_name);
	}
	return sorted[i];
}

struct wx_options wx_options_for(const struct wx_command *c, const struct wx_program *p,
				 enum wx_model model)
{
	struct wx_options o = c->opt;

	o.model = model;
	o.freeze = o.freeze || (p->flags & WX_F_FREEZE);
	if (!c->sched_given && (p->flags & WX_F_EXHAUSTIVE))
		o.sched = WX_S_DFS;
	return o;
}

/* The share of a program's schedules that a slow stage of the tests wants: 1 to 100. */
static uint64_t percent(void)
{
	const char *s = getenv("WEIR_TEST_PERCENT");
	uint64_t v = s ? wx_parse_number("WEIR_TEST_PERCENT", s) : 100;

	if (v < 1 || v > 100)
		wx_usage_error("WEIR_TEST_PERCENT", s, "1 to 100");
	return v;
}

uint64_t wx_schedules_for(const struct wx_command *c, const struct wx_program *p)
{
	uint64_t n = p->schedules ? p->schedules : 20000;

	if (c->schedules)
		return c->schedules;
	return p->must_fail || (p->flags & WX_F_EXHAUSTIVE) ? n : (n * percent() + 99) / 100;
}

static void write_schedule(const char *path, const struct wx_command *c)
{
	static const char letter[] = "rdlcf";
	FILE *f = fopen(path, "w");

	if (!f) {
		fprintf(stderr, "weir-explore: %s: %s\n", path, strerror(errno));
		exit(2);
	}
	fprintf(f, "%s\nprogram %s\nmodel %s\n", FILE_HEAD, wx.prog->name,
		wx_model_name[wx.opt.model]);
	if (c->weaken)
		fprintf(f, "weaken %s\n", c->weaken);
	if (c->opt.steps_max)
		fprintf(f, "steps %u\n", c->opt.steps_max);
	fprintf(f, "# %s\nactions", wx.fail_msg);
	for (uint32_t i = 0; i < wx.ntrace; i++)
		fprintf(f, "%s%c%u.%u", i % 16 ? " " : "\n", letter[WX_A_KIND(wx.trace[i])],
			WX_A_TID(wx.trace[i]), WX_A_ARG(wx.trace[i]));
	fprintf(f, "\nend\n");
	if (fclose(f)) {
		fprintf(stderr, "weir-explore: %s: %s\n", path, strerror(errno));
		exit(3);
	}
}

static void print_replayed(void)
{
	static uint16_t act[WX_TRACE_MAX];
	uint32_t n = wx.ntrace;

	memcpy(act, wx.trace, n * sizeof(*act));
	wx_run_replay(act, n, true);
	wx_print_schedule(stdout);
}

void wx_show_failure(const struct wx_command *c)
{
	uint32_t before = wx.ntrace, runs = 0;

	if (!c->full)
		runs = wx_minimise();
	if (c->out)
		write_schedule(c->out, c);
	printf("      %u decisions, minimised from %u in %u runs\n", wx.ntrace, before, runs);
	print_replayed();
}

/* Whether it went as it should. */
static bool run_one(const struct wx_command *c, const struct wx_program *p, enum wx_model model)
{
	struct wx_options o = wx_options_for(c, p, model);
	bool planted = (p->must_fail & WX_IN(model)) || c->weaken;
	struct wx_result r;

	r = wx_campaign(p, &o, c->from, c->from + wx_schedules_for(c, p), false);
	printf("%-32s %-4s ", p->name, wx_model_name[model]);
	if (r.failures) {
		printf("%s by schedule %llu: %s\n", planted ? "found" : "FAILED",
		       (unsigned long long)r.first_failure, wx.fail_msg);
		if (!planted || c->out || c->weaken) {
			wx_show_failure(c);
			printf("      again: weir-explore run %s --model %s --seed %llu "
			       "--from %llu --schedules 1%s%s\n", p->name, wx_model_name[model],
			       (unsigned long long)o.seed, (unsigned long long)r.first_failure,
			       c->weaken ? " --weaken " : "", c->weaken ? c->weaken : "");
		}
		return planted;
	}
	printf("%s: %llu schedules%s, %llu steps, digest %016llx\n",
	       p->must_fail & WX_IN(model) ? "NOT FOUND" : "ok", (unsigned long long)r.schedules,
	       r.complete ? " (all there are)" : "", (unsigned long long)r.steps,
	       (unsigned long long)r.digest);
	return !(p->must_fail & WX_IN(model));
}

int wx_cmd_run(const struct wx_command *c)
{
	unsigned int n = 0;
	bool good = true;

	if (c->weaken)
		wx_weaken_named(c->weaken);
	for (unsigned int i = 0; i < wx_program_count(); i++) {
		const struct wx_program *p = wx_program(i);
		unsigned int models = c->models ? c->models : p->models ? p->models : WX_ALL_MODELS;

		if (!wx_selected(c, p))
			continue;
		n++;
		for (unsigned int m = 0; m < WX_MODELS; m++)
			if (models & WX_IN(m))
				good &= run_one(c, p, (enum wx_model)m);
	}
	if (!n)
		wx_usage_error("program", c->set, "one of weir-explore list");
	return good ? 0 : 1;
}

static void bad_file(const char *path, unsigned int line, const char *found, const char *expected)
{
	fprintf(stderr, "weir-explore: %s:%u: found '", path, line);
	for (size_t i = 0; found[i] && i < 80; i++)	/* the file may be anything */
		fputc(found[i] >= ' ' && found[i] < 0x7f ? found[i] : '?', stderr);
	fprintf(stderr, "', expected %s\n", expected);
	exit(2);
}

static const struct wx_program *program_named(const char *name)
{
	for (unsigned int i = 0; i < wx_program_count(); i++)
		if (!strcmp(wx_program(i)->name, name))
			return wx_program(i);
	return NULL;
}

static bool read_action(const char *word, uint16_t *a)
{
	static const char letter[] = "rdlcf";
	unsigned int tid, arg;
	const char *k = strchr(letter, word[0]);
	int used = 0;

	if (!k || sscanf(word + 1, "%u.%u%n", &tid, &arg, &used) != 2 || word[1 + used])
		return false;
	if (tid >= WX_THREADS_MAX || arg > 255)
		return false;
	*a = WX_ACTION((unsigned int)(k - letter), tid, arg);
	return true;
}

int wx_cmd_replay(const struct wx_command *c)
{
	static uint16_t act[WX_TRACE_MAX];
	static char weaken[512];
	FILE *f = fopen(c->set, "r");
	char line[512];
	unsigned int no = 0;
	uint32_t n = 0;
	bool actions = false, end = false;

	if (!f) {
		fprintf(stderr, "weir-explore: %s: %s\n", c->set, strerror(errno));
		return 2;
	}
	wx.opt = c->opt;
	while (!end && fgets(line, sizeof(line), f)) {
		no++;
		line[strcspn(line, "\n")] = 0;
		if (no == 1 && strcmp(line, FILE_HEAD))
			bad_file(c->set, no, line, FILE_HEAD);
		if (no == 1 || line[0] == '#')
			continue;
		if (!strncmp(line, "program ", 8)) {
			wx.prog = program_named(line + 8);
			if (!wx.prog)
				bad_file(c->set, no, line + 8, "one of weir-explore list");
		} else if (!strncmp(line, "model ", 6)) {
			wx.opt.model = (enum wx_model)__builtin_ctz(wx_parse_models(line + 6));
		} else if (!strncmp(line, "weaken ", 7)) {
			snprintf(weaken, sizeof(weaken), "%s", line + 7);
			wx_weaken_named(weaken);
		} else if (!strncmp(line, "steps ", 6)) {
			wx.opt.steps_max = (unsigned int)wx_parse_number("steps", line + 6);
		} else if (!strcmp(line, "actions")) {
			actions = true;
		} else if (!strcmp(line, "end")) {
			end = true;
		} else if (actions) {
			for (char *w = strtok(line, " "); w; w = strtok(NULL, " "))
				if (n == WX_TRACE_MAX || !read_action(w, &act[n++]))
					bad_file(c->set, no, w, "an action such as r0.0");
		} else {
			bad_file(c->set, no, line, "program, model, weaken, steps or actions");
		}
	}
	if (ferror(f)) {
		fprintf(stderr, "weir-explore: %s: %s\n", c->set, strerror(errno));
		fclose(f);
		return 2;
	}
	fclose(f);
	if (!end || !wx.prog)
		bad_file(c->set, no, "end of file", !wx.prog ? "a program line" : "end");
	wx_run_replay(act, n, true);
	wx_print_schedule(stdout);
	printf("%s %s: %s\n", wx.prog->name, wx_model_name[wx.opt.model],
	       wx.failed ? wx.fail_msg : "no failure");
	return wx.failed ? 1 : 0;
}
