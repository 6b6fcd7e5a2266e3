#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# runtime: a machine with only systemtap-runtime runs a module that was compiled elsewhere.
# suites: runtime
# tier: all
set -eu
. /lab/guest.sh
. /lab/record.sh

prepare() {
	cc -g -O2 -o "$LAB_WORK/target" /lab/t/lab.c
	cd "$LAB_WORK"
	stap -p4 -r "$KVER" -m lab_runtime /lab/t/lab.stp "$LAB_WORK/target"
	sh /lab/programs/build "$LAB_WORK/programs"
	lab_start "$LAB_WORK/programs/ladder" 600
	lab_record -F 200 -u -p "$target" -o "$LAB_WORK/user.ko"
	lab_finish
	lab_record -u -o "$LAB_WORK/dd.ko" -- dd
	lab_record -k -o "$LAB_WORK/kernel.ko"
	lab_record -k -a -o "$LAB_WORK/all.ko"
}

recorder() {
	sample-bt -t 3 "$@"
}

modules() {
	lab_start "$LAB_WORK/programs/ladder" 600
	expect_record user 0 --module "$LAB_WORK/user.ko" -p "$target"
	few 'user: not whole' "$(rootless "$T/user.folded")" "$(weight "$T/user.folded")"
	expect_record wrong 2 --module "$LAB_WORK/user.ko" -p "$target" -k
	check 'wrong: says what the module is for' grep -q 'built for another recording' "$T/wrong.err"
	lab_finish

	lab_start perl -e '1 while 1'
	expect_record unknown 0 --module "$LAB_WORK/user.ko" -p "$target" -u --min-quality 1
	check 'unknown: says which file' grep -q 'not in the module, .*perl' "$T/unknown.err"
	check 'unknown: stacks end there' grep -q '^\[truncated: .*perl' "$T/unknown.folded"
	lab_finish

	lab_start dd if=/dev/zero of=/dev/null bs=64k
	expect_record kernel 0 --module "$LAB_WORK/kernel.ko" -p "$target"
	check 'kernel: any process' grep -q 'read_zero_\[k\]\|clear_user' "$T/kernel.folded"
	expect_record program 0 --module "$LAB_WORK/dd.ko" -p "$target" -u --min-quality 1
	few 'program: not whole' "$(rootless "$T/program.folded")" "$(weight "$T/program.folded")"
	other=$target
	lab_start dd if=/dev/zero of=/dev/null bs=1M
	expect_record list 0 --module "$LAB_WORK/kernel.ko" -p "$target,$other" -k
	check_eq 'list: both' 2 "$(grep -c '^task ' "$T/list.rec")"
	expect_record all 0 --module "$LAB_WORK/all.ko" -a -k
	kill "$other"
	lab_finish
	sample-bt --check --module "$LAB_WORK/user.ko" >"$T/check.out" && status=0 || status=$?
	check_eq 'check: it works with a module' 0 "$status"
	note "$T/check.out"
	sample-bt --check >"$T/check.out" && status=0 || status=$?
	check_eq 'check: it does not without' 2 "$status"
	note "$T/check.out"
}

# absent WHAT COMMAND…: checks that the command fails
absent() {
	name=$1
	shift
	if "$@" >/dev/null 2>&1; then not_ok "$name" 'is there'; else ok "$name"; fi
}

in_guest() {
	for command in stap gcc cc cpp as ld make; do
		absent "no $command" command -v $command
	done
	absent 'no kernel headers' test -e "/lib/modules/$KVER/build"
	absent 'no debug files' test -e /usr/lib/debug
	absent 'no cache of modules' test -e "$HOME/.systemtap"
	for program in sample-bt bt-collapse bt-resolve bt-flame bt-report; do
		check "$program starts" $program --version
	done

	"$LAB_WORK/target" &
	staprun "$LAB_WORK/lab_runtime.ko" >"$T/out" 2>"$T/err" && ok 'staprun runs the module' || not_ok 'staprun runs the module' "exit $?"
	note "$T/err"
	for line in 'ticks 0' 'ticks 1' switches calls reads; do
		check "its output: $line" grep -qx "$line [1-9][0-9]*" "$T/out"
	done
	note "$T/out"
	modules
}

guest_main "$@"
