#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Slices of time, of a program whose phases follow each other.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

bin=$TOP/bin
cc -O1 -g -pthread -I "$TOP/tests/programs" -o "$T/phases" "$TOP/tests/programs/phases.c"

# slices NAME FN: prints the slices in which the function is
slices() {
	"$bin/bt-report" --by slice --only "$2" "$T/$1.rec" 2>"$T/err" | sed -n 's/^\([0-9.]*\),.*/\1/p' | sort -n
}

# total FILE OPTION…: prints the weight of a recording, or a part of it
total() {
	"$bin/bt-collapse" "$@" 2>"$T/err" | awk '{ n += $NF } END { print n + 0 }'
}

# sums NAME: checks that parts of a recording are the whole
sums() {
	check_eq "$1: the slices are the whole" "$(total "$T/$1.rec")" \
		"$("$bin/bt-report" --by slice "$T/$1.rec" 2>"$T/err" | awk -F, 'NR > 1 { n += $2 } END { print n + 0 }')"
	check_eq "$1: two parts are the whole" "$(total "$T/$1.rec")" \
		$(($(total "$T/$1.rec@-0.7s") + $(total "$T/$1.rec" --from 700ms)))
}

seen_phases() {
	record phases --slice 20ms -u -- "$T/phases"
	slices phases first_phase >"$T/first" && slices phases second_phase >"$T/second"
	[ -s "$T/first" ] && [ -s "$T/second" ]
}
until_true seen_phases || :
check 'the length of a slice' grep -q '^slices 20000000 [0-9]*$' "$T/phases.rec"
check 'both phases were sampled' test -s "$T/first" -a -s "$T/second"
check 'the first phase is before the second' awk -v first="$(tail -n 1 "$T/first")" -v second="$(head -n 1 "$T/second")" \
	'BEGIN { exit !(first < second) }'
sums phases
middle=$(head -n 1 "$T/second")
check_eq 'before the second phase' 0 "$(total "$T/phases.rec@0-${middle}s" --only second_phase)"
check_eq 'from the second phase on' 0 "$(total "$T/phases.rec@${middle}s-" --only first_phase)"

# a wait is shared out: the thread that sleeps all the time waits 20,000 us in each slice but the first and the last
record waits --script off-cpu --slice 20ms -u -t 1.2 -- "$T/phases"
grep -A 1 '^row ' "$T/waits.rec" | sed -n 's,^series .*\*0/20000+\([0-9]*\) .*,\1,p' | sort -n >"$T/full"
check 'a long wait is in all slices' test "$(tail -n 1 "$T/full")" -ge 40
sums waits

# what was before the last 0.5 s is gone; the reader checks that each row is the sum of its slices
rm -f "$T/incident"
(
	sleep 2
	: >"$T/incident"
) &
record last --script off-cpu --last 0.5s --trigger "file=$T/incident" -- sh -c 'seq 300 | while read -r _; do sleep 0.1; done'
check 'the trigger is told' grep -q 'the recording ends by --trigger: there is' "$T/last.err"
check 'the last half second' grep -qE '^slices 10000000 50 [1-9][0-9]*$' "$T/last.rec"
check 'all threads wait less than that' sh -c "awk '/^row 0/ && \$7 > 500000 { exit 1 }' '$T/last.rec'"
sums last

record none --slice 0 -u -- "$T/phases"
check 'no slices' sh -c "! grep -qE '^(slices|series) ' '$T/none.rec'"
record short -t 1 -u -- "$T/phases"
check 'slices of 10 ms by default' grep -q '^slices 10000000 100$' "$T/short.rec"
status=0
"$BIN" --engine bpf --slice 20ms -u -- "$T/phases" >"$T/text.bt" 2>"$T/err" || status=$?
check_eq 'slices of what is no recording' 0 "$status"
