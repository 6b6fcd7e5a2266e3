#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tier: all
# load: the account of CPU time beside busy programs.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/hostile/lib.sh"

recorder() {
	"$BIN" --engine bpf --min-quality 0 "$@"
}

# Four busy programs for each processor beside the target: what it says of its own CPU time is what is kept and lost, and what the account
# says of CPUs. Ticks include time that a host steals from its guest, which no process's CPU time includes: it is assumed to hit all
# programs alike. Missed ticks count for the task of the next one, which makes a few per cent more; a hole in the recording makes far less.
# The middle of three recordings counts: the machine may have stood still in one.
load=
n=$(($(getconf _NPROCESSORS_ONLN) * 4))
while [ "$n" -gt 0 ]; do
	timeout 300 sh -c 'while :; do :; done' &
	load="$load $!"
	n=$((n - 1))
done
# shellcheck disable=SC2086 # $load: pids
at_end 'kill $load 2>/dev/null'

# "BUSY STOLEN", of all processors, in ticks of /proc/stat
processors() {
	awk '/^cpu / { print $2 + $3 + $4 + $7 + $8, $9 }' /proc/stat
}

# cpus NAME: "USED SECONDS" of the recording
cpus() {
	"$(dirname "$BIN")/bt-report" --summary --json "$T/$1.rec" 2>/dev/null | grep -oE '"(cpus_used|seconds)": [0-9.]+' | sort |
		awk '{ printf "%s ", $2 }'
}

for run in 1 2 3; do
	before=$(processors)
	expect_record "load$run" 0 -uk -F 4999 -- "$CASES/exits" 700
	expected=$(echo "$before $(processors) $(tail -n 1 "$T/load$run.out")" | awk '{ print $5 * (1 + ($4 - $2) / ($3 - $1)) }')
	echo "$(account kept "load$run") $(account lost "load$run") $expected" | awk '{ print ($1 + $2) / 4.999 / $3 * 100 }' >>"$T/ticks"
	cpus "load$run" | awk -v expected="$expected" '{ print $1 * $2 * 1000 / expected * 100 }' >>"$T/cpus"
done
# The time of a recording begins with its ticks, not with its command: between them the mappings of all processes are read.
expect_record during 0 -a -uk -- sleep 0.2
# shellcheck disable=SC2086
kill $load
near 'load: all CPUs, all the time' "$(cpus during | cut -d ' ' -f 1)" "$(getconf _NPROCESSORS_ONLN)" 15%
near 'load: CPU time of kept and lost samples, per cent' "$(sort -g "$T/ticks" | sed -n 2p)" 100 20
near 'load: CPU time by the account, per cent' "$(sort -g "$T/cpus" | sed -n 2p)" 100 20
