/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/engine/error.h - how the simulator says what is wrong: with its input, and with itself.
 *
 * Whoever reads input (a trace, a configuration, an option) takes a `struct sim_error *`, fills it
 * with one line and fails; whoever called it prints that line and ends with exit code 2. The line
 * names the thing, its value and what would be right:
 *
 *	FILE:LINE: what, found V, expected W
 *
 * Values found in input are untrusted bytes: sim_quote() makes them printable and short. The first
 * error set is the cause and is kept; later ones are its consequences and are dropped.
 */
#ifndef SIM_ENGINE_ERROR_H
#define SIM_ENGINE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_ERROR_BYTES 512

/** One line without its newline; the empty string is "no error". Start from `{ "" }`. */
struct sim_error {
	char text[SIM_ERROR_BYTES];
};

/**
 * sim_error_set() - say what is wrong
 * @err: where; NULL drops the message; left alone if an error is there already
 * @fmt: as printf; what does not fit is cut off
 */
void sim_error_set(struct sim_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * sim_error_at() - as sim_error_set(), with the `FILE:LINE: ` in front
 * @file: name as the user gave it ("-" is standard input)
 * @line: number of the line, from 1; 0 where the whole file is meant: the prefix is `FILE: `
 */
void sim_error_at(struct sim_error *err, const char *file, uint64_t line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** sim_error_clear() - back to "no error" */
static inline void sim_error_clear(struct sim_error *err)
{
	if (err)
		err->text[0] = '\0';
}

/** sim_error_is_set() - true if a message is there; false for NULL */
static inline bool sim_error_is_set(const struct sim_error *err)
{
	return err && err->text[0];
}

#define SIM_QUOTE_BYTES 48

/** A printable rendering of untrusted bytes; lives as long as the caller's variable. */
struct sim_quoted {
	char text[SIM_QUOTE_BYTES];
};

/**
 * sim_quote() - bytes of input as printable ASCII in single quotes
 * @bytes: may hold anything, need not end in NUL
 * @len: how many; what does not fit is replaced by "..."
 *
 * Return: the text by value: use as `sim_quote(p, n).text` within one full expression.
 */
struct sim_quoted sim_quote(const char *bytes, size_t len);

/**
 * sim_assert() - a state that only a fault of the program can reach; checked in every build
 *
 * Prints where and what, and ends the process with exit code 3.
 */
#define sim_assert(cond)                                                                           \
	do {                                                                                       \
		if (__builtin_expect(!(cond), 0))                                                  \
			sim_assert_failed(__FILE__, __LINE__, #cond);                              \
	} while (0)

void sim_assert_failed(const char *file, int line, const char *cond)
	__attribute__((noreturn, cold));

/**
 * sim_alloc() - memory, zeroed, or the end of the process
 *
 * The simulator does not limp on without memory: a failure prints how much was wanted and for what,
 * and ends the process with exit code 3. Free with free().
 * @what: names the thing in that message
 */
void *sim_alloc(size_t count, size_t size, const char *what);

/** sim_realloc() - as sim_alloc(), for a block that grows; the new part is not zeroed */
void *sim_realloc(void *old, size_t count, size_t size, const char *what);

/** sim_out_of_memory() - how those end the process, for other allocators */
void sim_out_of_memory(size_t count, size_t size, const char *what) __attribute__((noreturn, cold));

/** sim_strdup() - a copy of a string, or the end of the process */
char *sim_strdup(const char *text);

#endif
