/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/cli/events.h - event histories as text, for `trace` and `diff`.
 */
#ifndef SIM_CLI_EVENTS_H
#define SIM_CLI_EVENTS_H

#include <stdio.h>

#include "sim/engine/history.h"

/** sim_event_print() - `12345678 fault vcpu=0 gfn=0x40123 write=1` and a newline */
void sim_event_print(const struct sim_history_reader *reader, const struct sim_record *record,
		     FILE *out);

/**
 * sim_trace_path() - the trace that an argument means
 * @arg: a trace file, a directory with a trace.zst, or a run directory with several
 * @err: names the sub-directories if there are several
 *
 * Return: a path to free(), or NULL with @err set.
 */
char *sim_trace_path(const char *arg, struct sim_error *err);

#endif
