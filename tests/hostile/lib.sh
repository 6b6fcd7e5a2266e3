#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# hostile/lib.sh: sourced by tests/hostile/t/*.sh after lib.sh. Needs TOP, BIN (sample-bt) and CASES (the compiled programs).

. "$TOP/tests/record.sh"

# as_nobody COMMAND…: becomes a target that has no rights; to be called with &, so that $! is the target
as_nobody() {
	exec nice -n -10 setpriv --reuid nobody --regid nogroup --clear-groups --pdeathsig TERM "$@"
}

# within SECONDS COMMAND…: $status is its exit code, 124 when it did not end in time: it is killed then
within() {
	within_seconds=$1
	shift
	status=0
	timeout -k 5 "$within_seconds" "$@" || status=$?
}

# memory_of COMMAND…: runs it; prints the most memory that it and its children used, each by itself, in KiB
memory_of() {
	/usr/bin/time -f %M -o "$T/memory" "$@" >"$T/memory.out" 2>"$T/memory.err" || :
	tail -n 1 "$T/memory"
}
