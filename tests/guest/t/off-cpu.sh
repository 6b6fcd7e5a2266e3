#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# off-cpu: where threads wait, for how long and in which state, compared with what they measured themselves.
# tier: all
set -eu
. /lab/guest.sh
. /lab/record.sh
. /lab/off-cpu.sh

programs=/lab/made/off-cpu/programs

prepare() {
	sh /lab/programs/build "$programs"
	lab_module life --script off-cpu --stap-arg $lab_lock_wait --state all -- "$programs/waits"
	lab_start "$programs/waits" 600
	lab_module part --script off-cpu --stap-arg $lab_lock_wait -p "$target"
	lab_finish
	lab_module all --script off-cpu --stap-arg $lab_lock_wait -k -a --state all
}

# the module was built ahead: in the guest stap takes half a minute to find it in its cache
recorder() {
	sample-bt-off-cpu --module "$LAB_WORK/$module.ko" "$@"
}

# off MODULE NAME ARG…: records waits with MODULE
off() {
	module=$1 off_name=$2
	shift 2
	expect_record "$off_name" 0 -o "$T/$off_name.svg" "$@"
	check "$off_name: nothing is lost" grep -q ' kept, 0 lost' "$T/$off_name.err"
}

whole_lives() {
	off life life --state all -- "$programs/waits" 10
	judge_lives "$T/life.rec" "$T/life.out"
	check 'life: where the sleeper sleeps' \
		grep -qE ';sleep_and_work;sleep_for;.*nanosleep;.*;hrtimer_nanosleep_\[k\];\[sleeping\] ' "$T/life.folded"
	check 'life: where turns are awaited' grep -qE ';work_in_turns;await_turn;.*;futex_wait_\[k\];.*;\[sleeping\] ' "$T/life.folded"
	check 'life: where it is preempted' grep -qE ';compete;work_for.*\[preempted\] ' "$T/life.folded"
	check_eq 'life: none of the frames of the probe' 0 "$(grep -c 'tracepoint_probe_' "$T/life.folded")"
	# stacks in the vdso, stacks of the driver before the program was executed, and stacks of threads that never ran cannot be whole
	few 'life: stacks that should be whole and are not' \
		"$(awk '!/^(_start|__clone3|\[truncated: (\[vdso\]|sample-bt|before the recording)\]|\[no stack\];\[waiting for CPU\])[; ]/ { n += $NF }
			END { print n + 0 }' "$T/life.folded")" "$(weight "$T/life.folded")"
}

# A part of the life of threads that waited before and go on afterwards.
a_part() {
	lab_start "$programs/waits" 600
	off part part -p "$target" -t 6 --asleep
	off part long -p "$target" -t 4 --min 40000 --max 70000
	off all all -a -t 4 --state all --asleep
	lab_finish
	never=$(awk '$2 == "never" { print $1 }' "$T/target.out")
	judge_whole_wait "$T/part.rec" "$never"
	# stap wakes the threads whose mappings it follows, so some stacks of earlier waits are seen
	check 'part: where it waits' \
		grep -qE '^(\[truncated: before the recording\]|.*;wait_to_the_end);.*;ksys_read_\[k\];.*anon_pipe_read_\[k\][; ]' "$T/part.folded"
	check_eq 'part: blocked states alone' '' "$(states "$T/part.rec" | grep -v '^[SDTt] ')"
	check_eq 'long: no others' '' "$(awk '$1 == "row" && ($7 < 40000 * $6 || $7 > 70000 * $6)' "$T/long.rec")"
	check 'long: the sleeper' grep -q sleep_and_work "$T/long.folded"
	check_eq 'all: not the idle ones' 0 "$(grep -c '^swapper' "$T/all.folded")"
	check 'all: where threads wait that never ran' grep -qE '^waits;.*;ksys_read_\[k\];.*anon_pipe_read_\[k\];\[sleeping\] ' "$T/all.folded"
	check 'all: idle kernel threads' grep -q '^kworker.*\[idle\] ' "$T/all.folded"
	check 'all: preempted ones' grep -q '^waits;.*\[preempted\] ' "$T/all.folded"
}

in_guest() {
	whole_lives
	a_part
	lab_keep "$T"/*.*
}

guest_main "$@"
