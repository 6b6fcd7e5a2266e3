#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 60-endings: ends a recording in every possible way, and checks the exit code, the time, the kept samples and what is left behind. The
# table is a note.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

BURN=$CASES/recurse RECORD='--engine bpf -u' TERMINAL=$TOP/tests/programs/terminal.pl
. "$TOP/tests/endings.sh"

left_of_engine() {
	objects_left
	named sample-bt
	for file in /sys/fs/bpf/*; do
		case $file in *flametap* | *sample-bt*) echo pin ;; esac
	done
}

objects_before
endings_of_driver
endings_of_target
if command -v perl >/dev/null; then
	endings_of_output
else
	skip 'terminal closed' 'no perl'
fi
endings_show
