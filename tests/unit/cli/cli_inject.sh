#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Goal: what the shell promises about the inject scenario: the picture's sums are the table's, and
# the heat map has each interrupt that was taken.
# Method: a second of a short run, so that a count is a rate.
. "$(dirname "$0")/common.sh"

sim run "$source/examples/scenarios/inject.yaml" --out a --format json \
	-C device.latency_ns=2000000 -C device.count=3 -C workload.warmup_ns=1000000 \
	-C workload.span_ns=1000000000 -C storm.movi_per_s=1000
expect 0
err_is ""

for policy in none list2019 xarray2024 weir; do
	row_of "$policy"
	total=0
	for cause in handler exit irq switch worker lock command; do
		pictured_lost "$policy" "$cause"
		total=$((total + table))
	done
	table=$(sed -n 's/.*"lost_compute_vcpu_ns": \([0-9]*\).*/\1/p' <<<"$row")
	[ "$table" = "$total" ] || fail "$policy: lost in all $table, by cause $total"
	table=$(sed -n 's/.*"lpis_per_s": \([0-9]*\).*/\1/p' <<<"$row")
	picture=$(awk '/"heat":/ { on = 1 }
		on && /^ *[0-9]+,?$/ { gsub(/[ ,]/, ""); sum += $0 }
		on && /^  \]/ { on = 0 }
		END { printf "%d", sum }' "a/$policy/series.json")
	[ "$table" = "$picture" ] || fail "$policy: $table LPIs, $picture in the picture"
done
finish
