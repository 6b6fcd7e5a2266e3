#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 10-user: user stacks of a perl, an xz and a threaded program whose work is known, through shared libraries and libc's callbacks.
# vm-limit: 800
# prepare-limit: 1200
# vm-weight: 120
set -eu
. /lab/lib.sh

programs=/lab/made/10-user/programs

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
		lab_record -F 200 -p "$target" -u
		lab_finish
	done
	start perl
	lab_record -p "$target" -u
	lab_finish
}

# xz's library has no names for what it does not export
quality=10

# share FUNCTION FOLDED: per cent of the weight whose stacks hold it
share() {
	awk -v f="$1" '{ n = $NF; sub(/ [0-9]+$/, ""); all += n; if (index(";" $0 ";", ";" f ";")) part += n }
		END { printf "%.2f\n", all ? 100 * part / all : 0 }' "$2"
}

# rootless FOLDED: the weight of stacks that do not start at a thread's first function
rootless() {
	awk '{ if ($0 !~ /^(_start|clone3?|__clone3?|start_thread)[; ]/) n += $NF } END { print n + 0 }' "$1"
}

# record_program NAME: for as long as it takes to get 200 samples
record_program() {
	start "$1"
	for seconds in 6 20 60; do
		lab_record -F 200 -p "$target" -u -t $seconds --min-quality $quality -o "$T/$1.rec" -o "$T/$1.folded" -o "$T/$1.svg" -o "$T/$1.bt" \
			-o "$T/$1.csv" 2>"$T/$1.err" && status=0 || status=$?
		[ "$(lab_kept "$T/$1.folded")" -le 200 ] || break
	done
	check_eq "$1 is recorded" 0 "$status"
	note "$T/$1.err"
	lab_finish
	mv "$T/target.out" "$T/$1.out"
	lab_keep "$T/$1".*
}

in_guest() {
	for program in ladder perl xz; do
		record_program $program
		check "$program: samples" test "$(lab_kept "$T/$program.folded")" -gt 200
		lab_few "$program: stacks that do not reach the first function" "$(rootless "$T/$program.folded")" "$(lab_kept "$T/$program.folded")"
		lab_few "$program: stacks that are not whole" \
			"$(awk '/^\[(broken|truncated)/ { n += $NF } END { print n + 0 }' "$T/$program.folded")" "$(lab_kept "$T/$program.folded")"
	done
	check 'perl: main is below the interpreter' grep -q 'main;.*Perl_runops_standard' "$T/perl.folded"

	# truth: the program says how it split its work
	seven=$(awk '{ print 100 * $2 / ($2 + $4) }' "$T/ladder.out")
	near 'ladder: share of work_seven' "$(share work_seven "$T/ladder.folded")" "$seven" "$(lab_spread 0.7 "$T/ladder.folded")"
	lab_few 'ladder: not 40 calls high' "$(awk '{ n = gsub(/(one|two)_step/, "&"); if ($0 ~ /work_/ && n != 41) bad += $NF }
		END { print bad + 0 }' "$T/ladder.folded")" "$(lab_kept "$T/ladder.folded")"
	check 'ladder: two threads' test "$(grep -c '^task ' "$T/ladder.rec")" = 2

	# the default tick, and a second start without compiling
	start perl
	lab_record -v -p "$target" -u -t 3 -o "$T/tick.folded" -o "$T/tick.rec" 2>"$T/tick.err" && ok 'the default tick' || not_ok 'the default tick' "exit $?"
	lab_finish
	lab_keep "$T"/tick.*
	check 'no compiling' grep -q 'Pass 4: using cached' "$T/tick.err"
	grep -v '^WARNING' "$T/tick.err" | tail -n 5 | note
}

vm_main "$@"
