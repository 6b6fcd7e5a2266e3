#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# userfault: reads of the target's memory are not served: they wait until the reader is killed. The recording ends, has the other threads'
# stacks, and reports the problem.
set -eu
. "$TOP/tests/hostile/lib.sh"

"$CASES/userfault" >"$T/out" 2>&1 &
target=$!
sleep 1000 &
other=$!
at_end 'kill -9 $target $other 2>/dev/null'
if ! until_true grep -q waiting "$T/out"; then
	skip userfault "$(cat "$T/out")"
	exit 0
fi

record_both() {
	expect_record "$1" 0 --script off-cpu -p "$target,$other" -u -t 1
	check "$1: it says whose memory it is" grep -q "^sample-bt: memory or files of process $target do not answer" "$T/$1.err"
	check "$1: the other process" grep -Eq '^sleep;_start;.*nanosleep' "$T/$1.folded"
}

record_both root
expect_record on-cpu 0 -p "$target" -u -t 1
expect_samples on-cpu

recorder() {
	record_as_nobody +bpf,+perfmon,+sys_ptrace "$@"
}
let_nobody_record
record_both capabilities
