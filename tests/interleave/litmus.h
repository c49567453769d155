/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * litmus.h - the litmus zoo: the explorer's own test. See litmus.c.
 */
#ifndef WX_LITMUS_H
#define WX_LITMUS_H

#include <stdbool.h>
#include <stdint.h>

/* Runs every test under every model, exhaustively and at random; prints it. True: all well. */
bool wx_litmus(uint64_t random_schedules, bool markdown);

#endif
