// SPDX-License-Identifier: BSD-2-Clause
/*
 * number.c - a strict reader of unsigned numbers.
 */
#include "sim/engine/number.h"

#include <string.h>

static int digit_of(char c, unsigned int base)
{
	const char *digits = "0123456789abcdef";
	const char *at;

	if (c >= 'A' && c <= 'F')
		c = (char)(c - 'A' + 'a');
	at = c ? memchr(digits, c, base) : NULL;
	return at ? (int)(at - digits) : -1;
}

static bool suffix_factor(const char *suffix, uint64_t *factor)
{
	static const char letters[] = "kMGT";
	static const char binary_letters[] = "KMGT";
	uint64_t base = suffix[0] && suffix[1] == 'i' ? 1024 : 1000;
	const char *set = base == 1024 ? binary_letters : letters;
	const char *at = suffix[0] ? strchr(set, suffix[0]) : NULL;

	*factor = 1;
	if (!suffix[0])
		return true;
	if (!at || suffix[base == 1024 ? 2 : 1])
		return false;
	for (const char *p = set; p <= at; p++)
		*factor *= base;
	return true;
}

bool sim_number_parse(const char *text, uint64_t *value)
{
	unsigned int base = text[0] == '0' && text[1] == 'x' ? 16 : 10;
	const char *p = base == 16 ? text + 2 : text;
	uint64_t sum = 0, factor;
	int digit = digit_of(*p, base);

	if (digit < 0 || (base == 10 && *p == '0' && digit_of(p[1], 10) >= 0) ||
	    (base == 10 && *p == '0' && p[1] == '_'))
		return false;
	while (digit >= 0) {
		if (__builtin_mul_overflow(sum, (uint64_t)base, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)digit, &sum))
			return false;
		p++;
		if (*p == '_' && digit_of(p[1], base) >= 0)
			p++;
		digit = digit_of(*p, base);
	}
	if (!suffix_factor(p, &factor) || __builtin_mul_overflow(sum, factor, &sum))
		return false;
	*value = sum;
	return true;
}
