// SPDX-License-Identifier: BSD-2-Clause
/*
 * script.c - reading conformance scripts: see script.h.
 */
#include "sim/machine/script.h"
#include "sim/trace/text.h"

#include <stdlib.h>
#include <string.h>

#define SCRIPT_LINES_MIN	64u

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_head(const struct sim_script_line *line)
{
	return strcmp(line->words[0], "scenario") == 0;
}

bool sim_script_is_head(const struct sim_script_line *line)
{
	return is_head(line);
}

/* The words of a line up to its comment, in one piece of memory with the pointers to them. */
static void split(struct sim_script_line *line, const struct sim_line *text)
{
	const char *hash = memchr(text->text, '#', text->len);
	size_t len = hash ? (size_t)(hash - text->text) : text->len, n = 0, at = 0;
	char *copy;

	for (size_t i = 0; i < len; i++)
		n += !is_blank(text->text[i]) && (i == 0 || is_blank(text->text[i - 1]));
	line->number = text->number;
	line->nwords = n;
	if (n == 0)
		return;
	line->words = sim_alloc(1, n * sizeof(char *) + len + 1, "script");
	copy = (char *)(line->words + n);
	for (size_t i = 0; i < len; i++) {
		copy[i] = is_blank(text->text[i]) ? '\0' : text->text[i];
		if (copy[i] && (i == 0 || !copy[i - 1]))
			line->words[at++] = &copy[i];
	}
}

static bool check_line(const struct sim_script *s, const struct sim_script_line *line,
		       struct sim_error *err)
{
	if (is_head(line) && line->nwords < 2)
		sim_error_at(err, s->path, line->number,
			     "scenario: found %zu words, expected `scenario NAME`", line->nwords);
	else if (!is_head(line) && s->nlines == 0)
		sim_error_at(err, s->path, line->number,
			     "operation %s before any scenario, expected `scenario NAME`",
			     sim_quote(line->words[0], strlen(line->words[0])).text);
	else
		return true;
	return false;
}

struct sim_script *sim_script_read(const char *path, struct sim_error *err)
{
	struct sim_text *text = sim_text_open(path, err);
	struct sim_script *s;
	struct sim_line in;
	size_t room = 0;
	int got;

	if (!text)
		return NULL;
	s = sim_alloc(1, sizeof(*s), "script");
	s->path = sim_strdup(path);
	while ((got = sim_text_next(text, &in, err)) > 0) {
		struct sim_script_line line = { 0 };

		split(&line, &in);
		if (line.nwords == 0)
			continue;
		if (!check_line(s, &line, err)) {
			free(line.words);
			got = -1;
			break;
		}
		if (s->nlines == room) {
			room = room ? room * 2 : SCRIPT_LINES_MIN;
			s->lines = sim_realloc(s->lines, room, sizeof(*s->lines), "script");
		}
		s->lines[s->nlines++] = line;
	}
	sim_text_close(text);
	if (got == 0)
		return s;
	sim_script_free(s);
	return NULL;
}

void sim_script_free(struct sim_script *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nlines; i++)
		free(s->lines[i].words);
	free(s->lines);
	free(s->path);
	free(s);
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

bool sim_script_number(const char *word, uint64_t *value)
{
	unsigned int base = word[0] == '0' && word[1] == 'x' ? 16 : 10;
	const char *p = base == 16 ? word + 2 : word;
	uint64_t v = 0;

	if (!*p)
		return false;
	for (; *p; p++) {
		unsigned int digit = (unsigned int)digit_of(*p);

		if (digit >= base || v > (UINT64_MAX - digit) / base)
			return false;
		v = v * base + digit;
	}
	*value = v;
	return true;
}

bool sim_script_selected(const char *name, const char *const *names, size_t nnames)
{
	for (size_t i = 0; i < nnames; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return nnames == 0;
}

static bool has_scenario(const struct sim_script *s, const char *name)
{
	for (size_t i = 0; i < s->nlines; i++)
		if (is_head(&s->lines[i]) && strcmp(s->lines[i].words[1], name) == 0)
			return true;
	return false;
}

bool sim_script_select(const struct sim_script *s, const char *const *names, size_t nnames,
		       struct sim_error *err)
{
	if (s->nlines == 0) {
		sim_error_at(err, s->path, 0, "no scenario in it, expected `scenario NAME`");
		return false;
	}
	for (size_t i = 0; i < nnames; i++) {
		if (has_scenario(s, names[i]))
			continue;
		sim_error_at(err, s->path, 0, "no scenario %s, expected a name of this file",
			     sim_quote(names[i], strlen(names[i])).text);
		return false;
	}
	return true;
}

void sim_script_echo(FILE *out, const struct sim_script_line *line)
{
	for (size_t i = 0; i < line->nwords; i++)
		fprintf(out, "%s%s", i ? " " : "", line->words[i]);
}
