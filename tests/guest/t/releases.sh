#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# releases: the SystemTap of Debian's releases on their own kernels, which records with a patched copy of its runtime: each kind of stack,
# waits, and some of the ways in which a recording ends.
# suites: trixie bookworm
# tier: all
set -eu
. /lab/guest.sh
. /lab/record.sh
. /lab/off-cpu.sh

programs=/lab/made/releases/programs
BIN=sample-bt BURN=$programs/ladder RECORD='-u --module /lab/made/releases/u.ko' SLACK=15
. /lab/endings.sh

prepare() {
	sh /lab/programs/build "$programs"
	sample-bt --check -r "$KVER" -a | grep '^[a-z]*  *kernel  ' | note
	lab_start "$BURN" 600 2
	lab_record -F 200 -p "$target" -u -o "$LAB_WORK/u.ko"
	lab_finish
	lab_start perl /lab/programs/work.pl 600
	lab_record -F 100 -p "$target" --perl -o "$LAB_WORK/perl.ko"
	lab_record -F 100 -p "$target" --mixed --perl -o "$LAB_WORK/mixed.ko"
	lab_finish
	lab_record --script off-cpu --state all --stap-arg $lab_lock_wait -o "$LAB_WORK/waits.ko" -- "$programs/waits"
	# this module stays in the cache
	lab_record -F 200 -a -k
}

recorder() {
	sample-bt "$@"
}

# whole NAME: checks that there are samples, and that hardly any stack is cut or broken
whole() {
	check "$1: samples" test "$(weight "$T/$1.folded")" -gt 100
	few "$1: stacks that are not whole" "$(weight "$T/$1.folded" '^[[](broken|truncated)')" "$(weight "$T/$1.folded")"
}

user_stacks() {
	lab_start "$BURN" 600 2
	expect_record u 0 -u --module "$LAB_WORK/u.ko" -p "$target" -t 4
	lab_finish
	whole u
	few 'u: stacks that do not start at the first function' \
		"$(rootless "$T/u.folded")" "$(weight "$T/u.folded")"
}

# Recorded by the command that made the module, from stap's cache, with the same copy of the runtime.
kernel_stacks() {
	lab_start dd if=/dev/zero of=/dev/null bs=64k
	lab_record -v -F 200 -a -k -t 4 -o "$T/k.folded" -o "$T/k.rec" 2>"$T/k.err" && status=0 || status=$?
	lab_finish
	check_eq 'k: exit code' 0 "$status"
	echo "k: $(grep -a 'kept,' "$T/k.err")" | note
	whole k
	check 'k: from the cache' grep -q 'Pass 4: using cached' "$T/k.err"
	check 'k: the path of read' grep -qE '^dd;entry_SYSCALL_64_after_hwframe_\[k\];.*ksys_read_\[k\]' "$T/k.folded"
}

perl_stacks() {
	lab_start perl /lab/programs/work.pl 600
	expect_record perl 0 --perl --module "$LAB_WORK/perl.ko" -p "$target" -t 4
	expect_record mixed 0 --mixed --perl --module "$LAB_WORK/mixed.ko" -p "$target" -t 4
	lab_finish
	check 'perl: samples' test "$(weight "$T/perl.folded")" -gt 100
	few 'perl: without Perl' "$(weight "$T/perl.folded" '[[]perl: ')" "$(weight "$T/perl.folded")"
	whole mixed
	check 'mixed: Perl above the interpreter' grep -qE '^_start;.*;Perl_runops_standard;main[; ]' "$T/mixed.folded"
}

waits() {
	expect_record waits 0 --script off-cpu --state all --module "$LAB_WORK/waits.ko" -- "$programs/waits" 10
	check 'waits: nothing is lost' grep -q ' kept, 0 lost' "$T/waits.err"
	judge_lives "$T/waits.rec" "$T/waits.out"
	check 'waits: where the sleeper sleeps' grep -qE ';sleep_and_work;sleep_for;.*nanosleep' "$T/waits.folded"
}

endings() {
	target "$BURN" 60
	driver
	recorded 1
	kill -INT "$driver"
	ended 'ctrl-c' 0 5 some

	target "$BURN" 60
	driver -t 60
	recorded 1
	kill -KILL "$target"
	ended 'target killed' 0 4 some

	target "$BURN" 60
	driver
	recorded 1
	kill -KILL "$driver"
	ended 'driver killed' 137 2 none

	target "$BURN" 60
	driver -t 1
	recorded 0
	ended 'time is over' 0 4 some
	endings_show
}

# described ARG…: prints the stap command that would be run
described() {
	sample-bt --engine stap -d -a -k "$@"
}

in_guest() {
	sample-bt --check -a >"$T/check"
	grep '^[a-z]*  *kernel  ' "$T/check" | note
	check 'the check says that the runtime is patched' grep -q '^found  *kernel .* works with a patched copy of its runtime' "$T/check"
	described >"$T/described"
	check 'so does the description' grep -q "^# with a patched copy of SystemTap's runtime (" "$T/described"
	check 'the copy is there' test -d "$(sed -n 's/^# stap .* -R \([^ ]*\) .*/\1/p' "$T/described")"
	described --stap-arg -R/usr/share/systemtap/runtime >"$T/described"
	check_eq "a runtime of the user's is taken as it is" 0 "$(grep -c flametap/runtime "$T/described")"
	user_stacks
	kernel_stacks
	perl_stacks
	waits
	lab_keep "$T"/*.rec "$T"/*.folded "$T"/*.err
	endings
}

guest_main "$@"
