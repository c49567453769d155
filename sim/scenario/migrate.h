/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scenario/migrate.h - one live migration of a running guest under several dirty-tracking policies.
 *
 * The question: which policy costs the guest least, and what does it cost instead? The guest and
 * its writes are the same under each policy, and so is the machine; the library's real code decides
 * how often something happens, the cost model (parameters cost.*) what it takes.
 *
 * Pre-copy as QEMU does it. Logging starts with every page dirty (or protects all, migrate.
 * initially_set=off). Round 0 sends everything, later rounds what a GET at the end of the round
 * before reported. In a round, each chunk of memory is CLEARed just before its first page is sent,
 * and content is read as it goes onto the link. When what is left fits into the downtime limit - or
 * the rounds are used up - the guest's hardware-tracked groups are frozen while it still runs, it
 * is paused, GET is asked once more, the rest and the device state are sent, and it resumes.
 * docs/simulator.md describes the model and where each cost comes from.
 */
#ifndef SIM_SCENARIO_MIGRATE_H
#define SIM_SCENARIO_MIGRATE_H

#include "sim/scenario/scenario.h"

extern const struct sim_scenario sim_scenario_migrate;

#endif
