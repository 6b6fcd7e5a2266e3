#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# user: user stacks of a perl, an xz and a threaded program whose work is known, through shared libraries and libc's callbacks.
# tier: all
set -eu
. /lab/guest.sh
. /lab/record.sh

programs=/lab/made/user/programs

start() {
	case $1 in
	ladder) lab_start "$programs/ladder" 600 2 ;;
	perl) lab_start perl "$programs/work.pl" 600 ;;
	xz) lab_start xz -9 -T1 -c /dev/zero ;;
	esac
}

prepare() {
	sh /lab/programs/build "$programs"
	for program in ladder perl xz; do
		start $program
		lab_module $program -F 200 -p "$target" -u
		lab_finish
	done
	start perl
	lab_record -p "$target" -u
	lab_finish
}

recorder() {
	# xz's library has no names for functions that it does not export
	lab_module "$record_name" -u --min-quality 10 "$@"
}

# record_program NAME: records for as long as it takes to get 200 samples
record_program() {
	start "$1"
	record "$1" -p "$target" -o "$T/$1.svg" -o "$T/$1.bt" -o "$T/$1.csv" -t 6
	check_eq "$1 is recorded" 0 "$status"
	note "$T/$1.err"
	lab_finish
	mv "$T/target.out" "$T/$1.out"
	lab_keep "$T/$1".*
}

in_guest() {
	for program in ladder perl xz; do
		record_program $program
		all=$(weight "$T/$program.folded")
		check "$program: samples" test "$all" -gt 200
		few "$program: stacks that do not reach the first function" "$(rootless "$T/$program.folded")" "$all"
		few "$program: stacks that are not whole" "$(weight "$T/$program.folded" '^\[(broken|truncated)')" "$all"
	done
	check 'perl: main is below the interpreter' grep -q 'main;.*Perl_runops_standard' "$T/perl.folded"

	# the expected share: the program prints how it split its work
	seven=$(awk '{ print 100 * $2 / ($2 + $4) }' "$T/ladder.out")
	expect_share 'ladder: share of work_seven' "$T/ladder.folded" ';work_seven[ ;]' "$seven"
	few 'ladder: not 40 calls high' "$(awk '{ n = gsub(/(one|two)_step/, "&"); if ($0 ~ /work_/ && n != 41) bad += $NF }
		END { print bad + 0 }' "$T/ladder.folded")" "$(weight "$T/ladder.folded")"
	check 'ladder: two threads' test "$(grep -c '^task ' "$T/ladder.rec")" = 2

	# the default rate, and a second start without compiling
	start perl
	lab_record -v -p "$target" -u -t 3 -o "$T/tick.folded" -o "$T/tick.rec" 2>"$T/tick.err" && status=0 || status=$?
	check_eq 'the default tick' 0 "$status"
	lab_finish
	lab_keep "$T"/tick.*
	check 'no compiling' grep -q 'Pass 4: using cached' "$T/tick.err"
	grep -v '^WARNING' "$T/tick.err" | tail -n 5 | note
}

guest_main "$@"
