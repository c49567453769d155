// SPDX-License-Identifier: BSD-2-Clause
/*
 * main.c - the weir-explore command: options, and one function a verb.
 *
 * Exit codes: 0 everything as it should be, 1 a program failed or a planted fault was not found,
 * 2 usage, 3 internal.
 */
#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "litmus.h"

const char *const wx_model_name[WX_MODELS] = { "sc", "tso", "pso", "c11" };

static const char usage[] =
	"usage: weir-explore VERB [ARGUMENTS] [OPTIONS]\n"
	"  list [SET]         the programs\n"
	"  run SET            explore; prints each failure minimised, as columns\n"
	"  replay FILE        repeat a schedule that run --out wrote\n"
	"  mutants SET        weaken each site the programs reach, one at a time: is it found?\n"
	"  sites [SET]        the sites the programs reach, with their orders\n"
	"  soak SET           run with progress lines and a way to go on later\n"
	"  litmus             the litmus zoo, exhaustively and at random\n"
	"  bench              steps a second\n"
	"SET is a program's name or a pattern such as 'dirty/*'.\n"
	"  --model M          sc, tso, pso, c11 or all (default: what the program names)\n"
	"  --sched S          mix, random, pct:D or dfs (default: the program's: mix or dfs)\n"
	"  --schedules N      how many for each program and model (default: the program's)\n"
	"  --from N           first schedule (default 0)\n"
	"  --seed N           (default 1)\n"
	"  --steps N          a run with more steps fails\n"
	"  --preemptions N    bound for dfs\n"
	"  --freeze           freeze one thread for ever\n"
	"  --weaken SITE      weaken sites whose name contains SITE; SITE=relaxed|acquire|release\n"
	"  --out FILE         write the failing schedule\n"
	"  --full             print the failing schedule as it was, not minimised\n"
	"  --markdown         tables for docs/explore.md\n";

void wx_usage_error(const char *what, const char *found, const char *expected)
{
	fprintf(stderr, "weir-explore: %s: found '%s', expected %s\n", what, found, expected);
	exit(2);
}

uint64_t wx_parse_number(const char *what, const char *s)
{
	unsigned long long v;
	char *end;

	errno = 0;
	v = strtoull(s, &end, 10);
	if (errno || *end || end == s || *s == '-')
		wx_usage_error(what, s, "a decimal number");
	return v;
}

unsigned int wx_parse_models(const char *s)
{
	if (!strcmp(s, "all"))
		return WX_ALL_MODELS;
	for (unsigned int m = 0; m < WX_MODELS; m++)
		if (!strcmp(s, wx_model_name[m]))
			return WX_IN(m);
	wx_usage_error("--model", s, "sc, tso, pso, c11 or all");
	return 0;
}

static void parse_sched(struct wx_command *c, const char *s)
{
	c->sched_given = true;
	if (!strcmp(s, "mix")) {
		c->opt.sched = WX_S_MIX;
	} else if (!strcmp(s, "random")) {
		c->opt.sched = WX_S_RANDOM;
	} else if (!strcmp(s, "dfs")) {
		c->opt.sched = WX_S_DFS;
	} else if (!strncmp(s, "pct:", 4)) {
		c->opt.sched = WX_S_PCT;
		c->opt.pct_d = (unsigned int)wx_parse_number("--sched pct", s + 4);
		if (c->opt.pct_d < 1 || c->opt.pct_d > 8)
			wx_usage_error("--sched pct", s + 4, "1 to 8");
	} else {
		wx_usage_error("--sched", s, "mix, random, pct:D or dfs");
	}
}

void wx_weaken_named(const char *arg)
{
	const char *eq = strchr(arg, '=');
	size_t n = eq ? (size_t)(eq - arg) : strlen(arg);
	unsigned int done = 0;

	for (unsigned int i = 0; i < wx_sites_count(); i++) {
		char name[256], part[256];
		uint8_t order[2];

		snprintf(part, sizeof(part), "%.*s", (int)n, arg);
		wx_site_name(wx_site(i), name, sizeof(name));
		if (!strstr(name, part) || !wx_site_weaker(wx_site(i), order))
			continue;
		for (uint8_t o = 0; eq && o < WEIR_EXPLORE_FULL; o++)
			if (!strcmp(eq + 1, wx_order_name(o)))
				order[0] = o;
		wx_site_weaken(wx_site(i), order[0]);
		done++;
	}
	if (!done)
		wx_usage_error("--weaken", arg, "part of a site's name with an order to weaken "
			       "(weir-explore sites)");
}

/* The options that take no value; whether arg is one. */
static bool parse_flag(struct wx_command *c, const char *arg)
{
	if (!strcmp(arg, "--freeze"))
		c->opt.freeze = true;
	else if (!strcmp(arg, "--full"))
		c->full = true;
	else if (!strcmp(arg, "--markdown"))
		c->markdown = true;
	else
		return false;
	return true;
}

static void parse_option(struct wx_command *c, const char *arg, const char *value)
{
	if (!value)
		wx_usage_error(arg, "", "a value, or an option of weir-explore --help");
	if (!strcmp(arg, "--model")) {
		c->models = wx_parse_models(value);
	} else if (!strcmp(arg, "--sched")) {
		parse_sched(c, value);
	} else if (!strcmp(arg, "--schedules")) {
		c->schedules = wx_parse_number(arg, value);
	} else if (!strcmp(arg, "--from")) {
		c->from = wx_parse_number(arg, value);
	} else if (!strcmp(arg, "--seed")) {
		c->opt.seed = wx_parse_number(arg, value);
	} else if (!strcmp(arg, "--steps")) {
		c->opt.steps_max = (unsigned int)wx_parse_number(arg, value);
		if (c->opt.steps_max > 60000)
			wx_usage_error(arg, value, "at most 60000");
	} else if (!strcmp(arg, "--preemptions")) {
		c->opt.preemptions_max = (unsigned int)wx_parse_number(arg, value);
	} else if (!strcmp(arg, "--weaken")) {
		c->weaken = value;
	} else if (!strcmp(arg, "--out")) {
		c->out = value;
	} else {
		wx_usage_error("option", arg, "one of weir-explore --help");
	}
}

static void crashed(int sig)
{
	char text[256];
	int n = snprintf(text, sizeof(text),
			 "weir-explore: signal %d in %s, model %s, seed %llu, step %u\n", sig,
			 wx.prog ? wx.prog->name : "no program", wx_model_name[wx.opt.model],
			 (unsigned long long)wx.opt.seed, wx.steps);

	if (n > 0 && write(STDERR_FILENO, text, (size_t)n) < 0)
		_exit(3);
	_exit(3);
}

/* A fault in the code under test, on a fiber's stack, ends with a line that names the run. */
static void catch_crashes(void)
{
	static char stack[65536];
	stack_t ss = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction sa = { .sa_handler = crashed, .sa_flags = SA_ONSTACK };

	sigaltstack(&ss, NULL);
	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
	sigaction(SIGILL, &sa, NULL);
	sigaction(SIGFPE, &sa, NULL);
}

bool wx_selected(const struct wx_command *c, const struct wx_program *p)
{
	return !c->set || !fnmatch(c->set, p->name, 0);
}

static int list(const struct wx_command *c)
{
	for (unsigned int i = 0; i < wx_program_count(); i++) {
		const struct wx_program *p = wx_program(i);

		if (wx_selected(c, p))
			printf("%-32s %u threads  %s%s\n", p->name, p->nthreads, p->what,
			       p->must_fail ? " (planted)" : "");
	}
	return 0;
}

static int litmus(const struct wx_command *c)
{
	return wx_litmus(c->schedules ? c->schedules : 20000, c->markdown) ? 0 : 1;
}

static const struct {
	const char *name;
	int (*fn)(const struct wx_command *c);
	bool needs_set;
} verbs[] = {
	{ "list", list, false },	{ "run", wx_cmd_run, true },
	{ "replay", wx_cmd_replay, true }, { "mutants", wx_cmd_mutants, true },
	{ "sites", wx_cmd_sites, false },  { "soak", wx_cmd_soak, true },
	{ "litmus", litmus, false },	{ "bench", wx_cmd_bench, false },
};

/* Results that could not be written are not results. */
static int flushed(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	fputs("weir-explore: standard output cannot be written\n", stderr);
	return 3;
}

int main(int argc, char **argv)
{
	struct wx_command c = { .opt = { .seed = 1, .sched = WX_S_MIX } };
	int i = 2;

	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		fputs(usage, argc < 2 ? stderr : stdout);
		return argc < 2 ? 2 : 0;
	}
	if (argc > 2 && argv[2][0] != '-')
		c.set = argv[i++];
	for (; i < argc; i++) {
		if (parse_flag(&c, argv[i]))
			continue;
		parse_option(&c, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
		i++;
	}
	for (size_t v = 0; v < sizeof(verbs) / sizeof(*verbs); v++) {
		if (strcmp(argv[1], verbs[v].name))
			continue;
		if (verbs[v].needs_set && !c.set)
			wx_usage_error(argv[1], "", "a program, a pattern or a file");
		setvbuf(stdout, NULL, _IOLBF, 0);
		wx_fiber_init();
		catch_crashes();
		return flushed(verbs[v].fn(&c));
	}
	wx_usage_error("verb", argv[1], "one of weir-explore --help");
}
