#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 40-check: what --check says of the built-in engine on this kernel is what happens, for each kind of recording, and for a user who may not.
# vm-limit: 400
# vm-weight: 50
set -eu
. /lab/lib.sh
. /lab/stacks.sh

BIN=sample-bt
programs=/lab/made/40-check/programs

prepare() {
	sh /lab/programs/build "$programs"
}

# said NAME ARG…: what --check says, in $T/NAME.said; $status
said() {
	said_name=$1
	shift
	sample-bt --check --engine=bpf "$@" >"$T/$said_name.said" 2>&1 && status=0 || status=$?
}

# works NAME ARG…: it is said to work, and does
works() {
	said "$@"
	check_eq "$1: it would work" "0 a recording would work" "$status $(tail -n 1 "$T/$1.said")"
	note "$T/$1.said" | grep ' trial '
	check "$1: a trial with whole stacks" \
		awk '$1 == "found" && $2 == "trial" && $3 > 0 && $8 * 100 >= $3 * 99 { found = 1 } END { exit !found }' "$T/$1.said"
	record_for "$1" 1 "$@"
	expect_account "$1: it works" "$1" 0
	note_account "$1" "$1"
}

in_guest() {
	lab_start "$programs/ladder" 600 1
	for kind in '-u' '-uk' '--children -u'; do
		# shellcheck disable=SC2086
		works "$kind" $kind -p "$target"
	done
	lab_finish
}

vm_main "$@"
