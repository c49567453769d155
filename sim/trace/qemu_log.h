/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/trace/qemu_log.h - trace logs of QEMU: `THREAD@SECONDS.MICROSECONDS:EVENT TEXT`, a line an
 * event, as its log backend writes them with time stamps.
 *
 * Interrupts of devices and ITS commands are handed out as events of an ITS stream; all other
 * events are counted by name. A known event whose text is not what QEMU 7.2 prints is an offence,
 * as is a line that is none. A time before the one before counts as that one, and is counted:
 * threads stamp their lines before they write them.
 */
#ifndef SIM_TRACE_QEMU_LOG_H
#define SIM_TRACE_QEMU_LOG_H

#include "sim/trace/its_stream.h"

struct sim_qemu_log;

/** sim_qemu_log_open() - NULL with @err set if it cannot be opened; as sim_text_open() */
struct sim_qemu_log *sim_qemu_log_open(const char *path, struct sim_error *err);

/** sim_qemu_log_open_memory() - read from memory; as sim_text_open_memory() */
struct sim_qemu_log *sim_qemu_log_open_memory(const char *name, const void *bytes, size_t len);

/** sim_qemu_log_next() - 1 with @event filled in; 0 at the end; -1 with @err set, ever after */
int sim_qemu_log_next(struct sim_qemu_log *log, struct sim_its_event *event, struct sim_error *err);

/** sim_qemu_log_steps_back() - how many lines so far had a time before the one before */
uint64_t sim_qemu_log_steps_back(const struct sim_qemu_log *log);

/** sim_qemu_log_nothers() - how many names of other events there were so far */
size_t sim_qemu_log_nothers(const struct sim_qemu_log *log);

/** sim_qemu_log_other() - the i-th name, in alphabetical order, and its count */
const char *sim_qemu_log_other(const struct sim_qemu_log *log, size_t i, uint64_t *count);

void sim_qemu_log_close(struct sim_qemu_log *log);

#endif
