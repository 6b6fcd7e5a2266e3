#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bpf-perl: Perl's own stacks, alone and between frames of C, with the suite's perl: a program that knows its stack at each moment, with
# workers, threads and 1,000 calls deep; and all processes.
# suites: sid trixie bookworm bullseye
# engine: bpf
# tier: all
set -eu
. /lab/guest.sh
. /lab/record.sh
. /lab/situations.sh

prepare() {
	check 'perl runs' perl -e 1
}

recorder() {
	sample-bt --engine bpf -F 199 --min-quality 1 "$@"
}

# In a recording of all processes, the processes that run Perl count.
of_everything() {
	sh -c 'while :; do :; done' &
	other=$!
	lab_start perl /lab/programs/work.pl 600
	record all --perl -k -a -t 3
	kill $other
	lab_finish
	note_account '--perl -k -a' all
	check '-a: Perl' grep -qE '^perl;main( |;)' "$T/all.folded"
	few '-a: stacks of Perl that are not its own' "$(weight "$T/all.folded" '^perl;\[')" "$(weight "$T/all.folded" '^perl;')"
}

in_guest() {
	situations perl '' 50 --perl
	note_account --perl perl
	situations mixed '' 50 --mixed
	note_account --mixed mixed
	of_everything
}

guest_main "$@"
