#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# account: processes that live for some microseconds, thousands a second. Each tick of the clock is kept or counted as lost, also those
# that do not come, and the end of a process is its time, too.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/hostile/lib.sh"

expect_record children 0 -uk -- "$CASES/exits" 1000
check "a process's end" grep -q 'do_exit_\[k\];.*exit_mmap_\[k\]' "$T/children.folded"

"$CASES/exits" 100000 >/dev/null &
target=$!
trap 'kill $target 2>/dev/null || :; test_end' EXIT
recorder() {
	"$BIN" --engine bpf --min-quality 0 "$@"
}
expect_record all 0 -a --idle -uk -F 10000 -t 2
near 'all ticks' $(($(account kept all) + $(account lost all))) $(($(getconf _NPROCESSORS_ONLN) * 20000)) 0.3%
kill "$target"

# The clock of an idle processor may stand still: what it would have shown is no loss of the next program's. The target runs for so short
# that there may be no sample.
sh -c 'while :; do sleep 0.1; done' &
target=$!
record sleeper -p "$target" -k -t 3
note "$T/sleeper.err"
check 'sleeper: exit code' test "$status" -le 1
check 'sleeper: an idle processor loses nothing' test "$(account lost sleeper)" -le $(($(getconf _NPROCESSORS_ONLN) * 300))

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
trap 'kill $target $load 2>/dev/null || :; test_end' EXIT

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
