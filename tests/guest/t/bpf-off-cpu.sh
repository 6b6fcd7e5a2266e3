#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bpf-off-cpu: where threads wait, for how long and in which state, compared with what they measured themselves.
# suites: sid trixie bookworm bullseye
# engine: bpf
# tier: all
set -eu
. /lab/guest.sh
. /lab/record.sh
. /lab/off-cpu.sh

BIN=sample-bt
programs=/lab/made/bpf-off-cpu/programs

prepare() {
	sh /lab/programs/build "$programs"
}

# off NAME ARG…: records waits
off() {
	off_name=$1
	shift
	expect_record "$off_name" 0 --script off-cpu "$@"
	check "$off_name: nothing is lost" grep -q ' kept, 0 lost' "$T/$off_name.err"
	note_account "off-cpu $off_name" "$off_name"
}

whole_lives() {
	off life --state all -- "$programs/waits" 8
	judge_lives "$T/life.rec" "$T/life.out"
	check 'life: where the sleeper sleeps' \
		grep -qE ';sleep_and_work;sleep_for;.*nanosleep;.*;hrtimer_nanosleep_\[k\];\[sleeping\] ' "$T/life.folded"
	check 'life: where turns are awaited' grep -qE ';work_in_turns;await_turn;.*;futex_wait_\[k\];.*\[sleeping\] ' "$T/life.folded"
	check 'life: where it is preempted' grep -qE ';compete;work_for.*\[preempted\] ' "$T/life.folded"
	few 'life: stacks that are not whole' "$(rootless "$T/life.folded")" "$(weight "$T/life.folded")"
}

# Threads that already wait when the recording begins.
a_part() {
	lab_start "$programs/waits" 600
	off part --asleep -p "$target" -t 4
	lab_finish
	never=$(awk '$2 == "never" { print $1 }' "$T/target.out")
	judge_whole_wait "$T/part.rec" "$never"
	check 'part: where it waits, from its first function on' \
		grep -qE '^(_*clone3?|libc[^;]*[+]0x[0-9a-f]+);.*;wait_to_the_end;.*read.*;ksys_read_\[k\];.*pipe_read_\[k\]' "$T/part.folded"
	check_eq 'part: blocked states alone' '' "$(states "$T/part.rec" | grep -v '^[SDTt] ')"
}

# Where Perl waits, between the frames of C.
of_perl() {
	cat >"$T/naps.pl" <<-'END'
		sub naps { select undef, undef, undef, 0.05 }
		sub sorts { my @sorted = sort { naps(); 0 } 1, 2 }
		while (1) { sorts(); 1 for 1 .. 20_000 }
	END
	lab_start perl "$T/naps.pl"
	off perl --perl -k -p "$target" -t 3
	off mixed --mixed -p "$target" -t 3
	lab_finish
	check '--perl: where it waits' grep -qE '^main;main::sorts;main::naps;.*_\[k\].* [0-9]+$' "$T/perl.folded"
	check_eq '--perl: nothing else' '' "$(grep -vE '^main(;main::sorts(;main::naps)?)?[; ]' "$T/perl.folded")"
	check '--mixed: where it waits' grep -qE '^_start;.*;main::sorts;.*;main::naps;.*select.*_\[k\].* [0-9]+$' "$T/mixed.folded"
}

in_guest() {
	whole_lives
	a_part
	of_perl
	lab_keep "$T"/*.folded "$T"/*.err
}

guest_main "$@"
