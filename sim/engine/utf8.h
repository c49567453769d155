/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/engine/utf8.h - is this UTF-8 (RFC 3629)?
 */
#ifndef SIM_ENGINE_UTF8_H
#define SIM_ENGINE_UTF8_H

#include <stddef.h>

/**
 * sim_utf8_first_bad() - where the bytes stop being UTF-8
 *
 * Return: the index of the first byte of the first malformed sequence (overlong forms, surrogates
 *	and a sequence cut off by the end included); @len if there is none.
 */
size_t sim_utf8_first_bad(const char *bytes, size_t len);

#endif
