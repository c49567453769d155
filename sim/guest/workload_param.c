// SPDX-License-Identifier: BSD-2-Clause
/*
 * workload_param.c - the parameters workload.*, and how they become a configuration.
 */
#include "sim/guest/workload.h"

static const char *const kinds[] = {
	"trace", "uniform", "zipf", "sequential", "stride", "phase", "hot", NULL
};

const struct sim_param sim_workload_params[] = {
	SIM_PARAM_ENUM_ENTRY("workload.kind", "trace", kinds, "choice",
		"a recorded trace, or what a synthetic writer does"),
	SIM_PARAM_PATH_ENTRY("workload.trace", "", "choice",
		"page-write trace to replay, .csv or .csv.zst (kind trace)"),
	SIM_PARAM_U64_ENTRY("workload.epoch_ns", "ns", "1000000", 1, 1000000000,
		"a million instructions of the recorded guests",
		"span of an epoch of a vCPU's steady clock"),
	SIM_PARAM_U64_ENTRY("workload.rate_stores_per_s", "stores/s", "1000000", 1, 1000000000,
		"choice", "stores a second of each vCPU (synthetic)"),
	SIM_PARAM_U64_ENTRY("workload.burst_stores", "stores", "1", 1, 1000000,
		"choice", "stores of one visit to a page, spread to the epoch's end (synthetic)"),
	SIM_PARAM_U64_ENTRY("workload.set_bytes", "bytes", "64Mi", 4096, UINT64_C(1) << 52,
		"choice", "working set, shared by the vCPUs (synthetic)"),
	SIM_PARAM_U64_ENTRY("workload.set_offset_bytes", "bytes", "0", 0, UINT64_C(1) << 52,
		"choice", "where in guest memory the working set begins (synthetic)"),
	SIM_PARAM_U64_ENTRY("workload.set_spread_pages", "pages", "1", 1, UINT64_C(1) << 40,
		"choice", "pages of the working set lie this far apart (synthetic)"),
	SIM_PARAM_U64_ENTRY("workload.zipf_theta_milli", "1/1000", "990", 0, 8000,
		"YCSB (SoCC 2010)", "exponent of kind zipf, in thousandths"),
	SIM_PARAM_U64_ENTRY("workload.stride_pages", "pages", "512", 1, UINT64_C(1) << 40,
		"one page a 2 MiB block", "distance of neighbouring visits of kind stride"),
	SIM_PARAM_U64_ENTRY("workload.phase_ns", "ns", "500000000", 1, UINT64_C(1) << 60,
		"choice", "how long kind phase stays with one working set"),
	SIM_PARAM_U64_ENTRY("workload.hot_pages_percent", "percent", "10", 0, 100,
		"choice", "size of the hot set of kind hot, in percent of the working set"),
	SIM_PARAM_U64_ENTRY("workload.hot_stores_percent", "percent", "90", 0, 100,
		"choice", "share of the visits that go to the hot set"),
	SIM_PARAM_U64_ENTRY("workload.hot_drift_ns", "ns", "1000000", 0, UINT64_C(1) << 60,
		"choice", "the hot set moves on by one page in this time; 0: it stays"),
};

/* Rows of a synthetic epoch are made together: 24 bytes each. */
#define EPOCH_VISITS_MAX	UINT64_C(10000000)

/* Is the last page of the working set one of the guest's? */
static bool set_fits(const struct sim_workload_config *cfg)
{
	return cfg->set_first_page < cfg->npages &&
	       cfg->set_pages - 1 <=
		       (cfg->npages - 1 - cfg->set_first_page) / cfg->set_spread_pages;
}

bool sim_workload_config_read(struct sim_workload_config *cfg, const struct sim_params *params,
			      struct sim_error *err)
{
	cfg->kind = (enum sim_workload_kind)sim_params_enum(params, "workload.kind");
	cfg->trace = sim_params_str(params, "workload.trace");
	cfg->epoch_ns = sim_params_u64(params, "workload.epoch_ns");
	cfg->rate_stores_per_s = sim_params_u64(params, "workload.rate_stores_per_s");
	cfg->burst_stores = sim_params_u64(params, "workload.burst_stores");
	cfg->set_pages = sim_params_u64(params, "workload.set_bytes") / 4096;
	cfg->set_first_page = sim_params_u64(params, "workload.set_offset_bytes") / 4096;
	cfg->set_spread_pages = sim_params_u64(params, "workload.set_spread_pages");
	cfg->zipf_theta_milli = (uint32_t)sim_params_u64(params, "workload.zipf_theta_milli");
	cfg->stride_pages = sim_params_u64(params, "workload.stride_pages");
	cfg->phase_ns = sim_params_u64(params, "workload.phase_ns");
	cfg->hot_pages_percent = (uint32_t)sim_params_u64(params, "workload.hot_pages_percent");
	cfg->hot_stores_percent = (uint32_t)sim_params_u64(params, "workload.hot_stores_percent");
	cfg->hot_drift_ns = sim_params_u64(params, "workload.hot_drift_ns");

	if (cfg->kind == SIM_WORKLOAD_TRACE && !cfg->trace[0]) {
		sim_error_set(err, "workload.trace=: no file named, expected a page-write trace "
			      "(or workload.kind other than trace)");
		return false;
	}
	if (cfg->kind != SIM_WORKLOAD_TRACE && !set_fits(cfg)) {
		sim_error_set(err, "workload.set_bytes=%llu: with set_offset_bytes=%llu and "
			      "set_spread_pages=%llu it must end within the guest's %llu pages",
			      (unsigned long long)sim_params_u64(params, "workload.set_bytes"),
			      (unsigned long long)sim_params_u64(params,
								 "workload.set_offset_bytes"),
			      (unsigned long long)cfg->set_spread_pages,
			      (unsigned long long)cfg->npages);
		return false;
	}
	if (cfg->kind != SIM_WORKLOAD_TRACE &&
	    cfg->rate_stores_per_s * cfg->epoch_ns / 1000000000 / cfg->burst_stores >
		    EPOCH_VISITS_MAX) {
		sim_error_set(err, "workload.epoch_ns=%llu: %llu stores/s in bursts of %llu are "
			      "more than %llu visits an epoch", (unsigned long long)cfg->epoch_ns,
			      (unsigned long long)cfg->rate_stores_per_s,
			      (unsigned long long)cfg->burst_stores,
			      (unsigned long long)EPOCH_VISITS_MAX);
		return false;
	}
	return true;
}
