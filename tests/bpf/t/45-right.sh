# SPDX-License-Identifier: GPL-2.0-or-later
# 45-right: tests/right/right, which compares the callers of leaves with the true ones, on programs of which both are known.
# tier: all
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

right=$TOP/${O:-build}/tests/right/right

# callers NAME WHICH LEAST COMMAND: its leaves return, and at least LEAST % of their callers, as the tables have them, are WHICH: right,
# none, wrong
callers() {
	# shellcheck disable=SC2086
	start "$CASES/"$4
	timeout 300 "$right" -n 40 -s 5000 "$target" >"$T/$1" 2>&1 || :
	finish
	note "$T/$1"
	check "$1: the callers are $2" awk -v which="$2" -v least="$3" 'NR == 1 {
		n["right"] = $4; n["none"] = $5; n["wrong"] = $6
		exit !($1 == 40 && $3 >= 10 && 100 * n[which] >= least * $3)
	}' "$T/$1"
}

if [ ! -x "$right" ]; then
	skip 'callers' "no $right"
	exit 0
fi
callers 'a function of C' right 100 'returns 600 plain'
callers 'beginnings and ends' right 100 'alternate 600'
callers 'jit code with frame pointers' right 95 'jit-frames 600 call'
callers 'jit code that jumps' right 95 'jit-frames 600 jump'
callers 'jit code without frame pointer' none 50 'jit-frames 600 frameless'
check 'jit code without frame pointer: no caller is wrong' awk 'NR == 1 { exit $6 > 0 }' "$T/jit code without frame pointer"
callers 'false unwind information' wrong 50 'returns 600 lies'
check 'the place is named' grep -q '^# wrong [0-9]* returns+0x[0-9a-f]*: caller returns+0x[0-9a-f]*, not returns+0x' \
	"$T/false unwind information"
