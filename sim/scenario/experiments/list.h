/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * list.h - the experiments, each defined in the file of its name.
 */
#ifndef SIM_SCENARIO_EXPERIMENTS_LIST_H
#define SIM_SCENARIO_EXPERIMENTS_LIST_H

#include "sim/scenario/experiments/experiment.h"

extern const struct experiment experiment_perf2023;
extern const struct experiment experiment_answer2023;
extern const struct experiment experiment_auc2023;
extern const struct experiment experiment_redis2023;
extern const struct experiment experiment_memaslap2023;
extern const struct experiment experiment_koller;
extern const struct experiment experiment_initially_set;
extern const struct experiment experiment_scans2021;
extern const struct experiment experiment_gardon;
extern const struct experiment experiment_autoconverge;
extern const struct experiment experiment_sparse;
extern const struct experiment experiment_matrix;
extern const struct experiment experiment_assume;
extern const struct experiment experiment_blackout;
extern const struct experiment experiment_lpi2024;
extern const struct experiment experiment_inject2019;
extern const struct experiment experiment_costs_list;
extern const struct experiment experiment_fit;

#endif
