// SPDX-License-Identifier: BSD-2-Clause
/*
 * utf8.c - well-formed byte sequences of RFC 3629, section 4.
 */
#include "sim/engine/utf8.h"

/* Length of the sequence a lead byte begins, 0 if none, and the range of the byte after it. */
static size_t lead(unsigned char c, unsigned char *low, unsigned char *high)
{
	*low = 0x80;
	*high = 0xbf;
	if (c < 0x80)
		return 1;
	if (c >= 0xc2 && c <= 0xdf)
		return 2;
	if (c >= 0xe0 && c <= 0xef) {
		*low = c == 0xe0 ? 0xa0 : 0x80;
		*high = c == 0xed ? 0x9f : 0xbf;
		return 3;
	}
	if (c >= 0xf0 && c <= 0xf4) {
		*low = c == 0xf0 ? 0x90 : 0x80;
		*high = c == 0xf4 ? 0x8f : 0xbf;
		return 4;
	}
	return 0;
}

size_t sim_utf8_first_bad(const char *bytes, size_t len)
{
	size_t i = 0;

	while (i < len) {
		unsigned char low, high;
		size_t n = lead((unsigned char)bytes[i], &low, &high);

		if (n == 0 || n > len - i)
			return i;
		for (size_t k = 1; k < n; k++) {
			unsigned char c = (unsigned char)bytes[i + k];

			if (c < low || c > high)
				return i;
			low = 0x80;
			high = 0xbf;
		}
		i += n;
	}
	return len;
}
