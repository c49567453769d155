// SPDX-License-Identifier: BSD-2-Clause
//
// shim.cc - the cases, run by Google Benchmark. The only C++ of the project.
//
// Each case's time is measured around its run() and handed over as manual time, with a fixed number
// of iterations, since what happens between two runs costs far more than the runs. Google Benchmark
// would append both facts to the names ("/iterations:3/manual_time"); names are published, so they
// are taken off again before anything is reported.

#include <benchmark/benchmark.h>

#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "bench.h"

namespace {

void run_case(benchmark::State &st, const bench_case *c)
{
	uint64_t items = 0, total_ns = 0;

	if (const char *missing = bench_missing(c)) {
		std::string what = std::string("missing: ") + missing;
		st.SkipWithError(what.c_str());
		return;
	}
	void *state = c->impl->setup(&c->params);
	for (auto _ : st) {
		uint64_t ns = 0;

		items += bench_timed_run(c, state, &ns);
		total_ns += ns;
		st.SetIterationTime(static_cast<double>(ns) * 1e-9);
	}
	c->impl->teardown(state);
	st.counters["ns_per_item"] = static_cast<double>(total_ns) / static_cast<double>(items);
}

// Another reporter, with the names as they were registered.
class Renamed : public benchmark::BenchmarkReporter {
public:
	explicit Renamed(benchmark::BenchmarkReporter *to) : to_(to) {}

	bool ReportContext(const Context &context) override
	{
		to_->SetOutputStream(&GetOutputStream());
		to_->SetErrorStream(&GetErrorStream());
		return to_->ReportContext(context);
	}

	void ReportRuns(const std::vector<Run> &runs) override
	{
		std::vector<Run> renamed(runs);

		for (Run &run : renamed) {
			run.run_name.iterations.clear();
			run.run_name.time_type.clear();
			run.run_name.repetitions.clear();
		}
		to_->ReportRuns(renamed);
	}

	void Finalize() override
	{
		to_->Finalize();
	}

private:
	std::unique_ptr<benchmark::BenchmarkReporter> to_;
};

bool writes_file(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!std::strncmp(argv[i], "--benchmark_out=", 16))
			return true;
	return false;
}

}  // namespace

int bench_google(int argc, char **argv, bool (*selected)(const char *name))
{
	bool file = writes_file(argc, argv);
	size_t n;
	const bench_case *cases = bench_cases(&n);

	benchmark::Initialize(&argc, argv);
	if (benchmark::ReportUnrecognizedArguments(argc, argv))
		return 2;
	for (size_t i = 0; i < n; i++) {
		const bench_case *c = &cases[i];

		if (!selected(c->name))
			continue;
		benchmark::RegisterBenchmark(c->name, run_case, c)
			->UseManualTime()
			->Iterations(c->runs)
			->Unit(benchmark::kMicrosecond);
	}
	Renamed display(benchmark::CreateDefaultDisplayReporter());
	if (file) {
		Renamed out(new benchmark::JSONReporter);
		benchmark::RunSpecifiedBenchmarks(&display, &out);
	} else {
		benchmark::RunSpecifiedBenchmarks(&display);
	}
	benchmark::Shutdown();
	return 0;
}
