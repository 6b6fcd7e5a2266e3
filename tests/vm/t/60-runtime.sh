#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 60-runtime: a machine with systemtap-runtime alone: a module compiled elsewhere runs there.
# vm-image: runtime
# vm-weight: 20
set -eu
. /lab/lib.sh

prepare() {
	cc -g -O2 -o "$LAB_WORK/target" /lab/t/00-lab.c
	cd "$LAB_WORK"
	stap -p4 -r "$KVER" -m lab_runtime /lab/t/00-lab.stp "$LAB_WORK/target"
}

# absent WHAT COMMAND…: a check that the command fails
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
	absent 'no cache of modules' test -e /root/.systemtap
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
}

vm_main "$@"
