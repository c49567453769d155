#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Goal: what the shell promises about the real scenario: the picture's sums are the table's, the
# resolved configuration repeats the digest, and the table has the columns that FORMATS names.
# Method: examples/scenarios/migrate.yaml, run twice.
. "$(dirname "$0")/common.sh"

sim run "$source/examples/scenarios/migrate.yaml" --out a --format json
expect 0
err_is ""
for key in lost_pages false_positive_pages blackout_ns get_ns clear_ns freeze_ns total_ns rounds \
	bytes_sent ptes_scanned faults tlbis lost_compute_vcpu_ns lost_fault_vcpu_ns \
	lost_lock_vcpu_ns lost_split_vcpu_ns lost_scan_vcpu_ns lost_throttle_vcpu_ns \
	lost_blackout_vcpu_ns memory_equal; do
	[ "$(grep -c "\"$key\":" out)" = "$(grep -c '"policy":' out)" ] ||
		fail "no $key in each row"
done

# sums of series.json, a policy and a cause at a time, against compare.json
for policy in wp dbm_all fixed64 adaptive; do
	row_of "$policy"
	for cause in fault lock split scan throttle blackout; do
		pictured_lost "$policy" "$cause"
	done
done

sim run a/config.resolved.yaml --out b --format json
expect 0
cmp -s a/compare.json b/compare.json || fail "the resolved configuration gave other figures"
sim diff a b
expect 0
out_has "same: 4 policies"

# a trace from a pipe is read once
mkfifo pipe.csv
printf 'epoch,vcpu,gfn,writes\n0,0,262144,1\n' >pipe.csv &
sim run "$source/examples/scenarios/migrate.yaml" --out p -C policy.names=wp \
	-C workload.trace=pipe.csv
expect 0
grep -q '"inputs": \[\]' p/manifest.json || fail "a pipe is among the inputs"
finish
