#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 72-waits: for how long threads wait, against what they measured themselves.
# tier: all
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/off-cpu.sh"

recorder() {
	"$BIN-off-cpu" --engine bpf "$@"
}

cc -O2 -g -fomit-frame-pointer -o "$T/waits" "$TOP/tests/programs/waits.c" -lpthread

expect_record life 0 --state all -- "$T/waits" 10
judge_lives "$T/life.rec" "$T/life.out"
few 'life: stacks that are not whole' "$(rootless "$T/life.folded")" "$(weight "$T/life.folded")"

"$T/waits" 600 >"$T/target.out" 2>&1 &
target=$!
await_start $target
expect_record part 0 -p "$target" -t 5
finish
never=$(awk '$2 == "never" { print $1 }' "$T/target.out")
near 'what never woke waits all the time' "$(waited "$T/part.rec" "$never" S)" "$(awk '$2 == "seconds" { print int($3 * 1e6) }' "$T/part.rec")" 20000
