#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# at: where in a function the probe is. Each call is one hit with its argument, and the function's data survive.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/at.sh"

N=1000
HITS=$T/places
cc -O2 -g0 -o "$HITS" "$TOP/tests/programs/places.c"
sum=$((N * (N + 1) / 2))

# passes NAME FUNCTION: checks the hits, and what the program says
passes() {
	check_eq "$1: hits" $N "$(weight "$T/$1.folded" "^_start;.*;main;$2\$")"
	check_eq "$1: its data" '0 wrong' "$(tail -n 1 "$T/target.out")"
}

for function in nop_first branch_first loop_first frame_first push_second no_place; do
	at $function $N --at "process.function(\"$function\")" -u
	passes $function $function
done
at inner $N --at 'process.function("inner")' -u
passes inner '(nop_inside|inner)'
at value $N --at 'process.function("frame_first")' --value '$arg1' -u
check_eq 'value: sum' $sum "$(weight "$T/value.folded")"
at pattern $N --at 'process.function("*_first")' -u
check_eq 'pattern: hits' $((4 * N)) "$(weight "$T/pattern.folded")"
check_eq 'pattern: its data' '0 wrong' "$(tail -n 1 "$T/target.out")"
for function in branch_first frame_first push_second; do
	at returned $N --at "process.function(\"$function\").return" --value '$return' -u
	check_eq "returned: $function" $sum "$(weight "$T/returned.folded")"
	at latency $N --at "process.function(\"$function\")" --latency -u
	check "latency: $function: all return" sh -c "! grep -q 'did not return' '$T/latency.err'"
	check_eq "latency: $function: stacks" 1 "$(grep -cE "^_start;.*;main;$function [0-9]+\$" "$T/latency.folded")"
	check_eq "latency: $function: its data" '0 wrong' "$(tail -n 1 "$T/target.out")"
done
