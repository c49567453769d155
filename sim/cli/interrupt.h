/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/cli/interrupt.h - what a person who stops a run is told: that it is unfinished, and where.
 *
 * The run ends by the signal, as anybody who waits for it expects. What it wrote stays: complete
 * files, and a directory without manifest.json, which --force replaces.
 */
#ifndef SIM_CLI_INTERRUPT_H
#define SIM_CLI_INTERRUPT_H

/** sim_interrupt_watch() - from here on, say that the run into @dir was interrupted */
void sim_interrupt_watch(const char *dir);

/** sim_interrupt_done() - the run has ended by itself */
void sim_interrupt_done(void);

#endif
