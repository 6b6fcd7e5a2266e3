#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 20-perl: Perl's own stacks, alone and within those of C, by the suite's perl: a program that knows its stack at each moment, with workers,
# threads and 1,000 calls deep; and of all processes.
# vm-limit: 900
# vm-weight: 40
set -eu
. /lab/lib.sh
. /lab/stacks.sh
. /lab/situations.sh

BIN=sample-bt

prepare() {
	check 'perl runs' perl -e 1
}

recorder() {
	name=$1
	shift
	sample-bt --engine bpf -v -F 199 -o "$T/$name.rec" -o "$T/$name.folded" "$@" >"$T/$name.out" 2>"$T/$name.err" &
	recorder=$!
	until_true 120 grep -q 'the probes are in place' "$T/$name.err" || not_ok "$name" 'it does not begin'
}

recorded() {
	wait "$recorder" && status=0 || status=$?
	check_eq "$1: exit code" 0 "$status"
}

# Of all processes those count that run Perl.
of_everything() {
	sh -c 'while :; do :; done' &
	other=$!
	lab_start perl /lab/programs/work.pl 600
	record_for all 3 --perl -k -a -F 199
	kill $other
	lab_finish
	note_account '--perl -k -a' all
	check '-a: Perl' grep -qE '^perl;main( |;)' "$T/all.folded"
	lab_few '-a: stacks of Perl that are not its own' "$(weight "$T/all.folded" '^perl;\[')" "$(weight "$T/all.folded" '^perl;')"
}

in_guest() {
	situations perl '' 50 --perl
	note_account --perl perl
	situations mixed '' 50 --mixed
	note_account --mixed mixed
	of_everything
}

vm_main "$@"
