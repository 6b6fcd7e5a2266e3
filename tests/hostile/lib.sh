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

# fresh_program FILE SOURCE [OPTION…]: compiles a program of hostile/programs, or a library, whose build-id no cache has
fresh_program() {
	fresh=$1
	fresh_source=$2
	shift 2
	"${CC:-cc}" -O2 -g -Wl,--build-id=0x"$(od -An -N20 -tx1 /dev/urandom | tr -d ' \n')" "$@" -o "$fresh" "$fresh_source"
}

# recording_of: a recording on stdout with a sample in each file of stdin, lines "BUILD-ID PATH"
recording_of() {
	awk 'BEGIN { print "flametap-recording 2\nevent 0 on-cpu samples 1001001 cpu\ntask 0 1 1 1 victim" }
		{
			n = NR - 1
			printf "map %d 1 1 7f0000000000 7f0000100000 0 %s %s -\n", n, $1, $2
			printf "frame %d user pc %d 1000\nstack %d user root - %d\nrow 0 0 %d - 1 1\n", n, n, n, n, n
		}
		END { print "end " 3 + 4 * NR }'
}

# measured ARG…: records, for at most $longest (60) seconds; what it used, `used` says
measured() {
	/usr/bin/time -f '%e %U %S %M' -o "$T/used" timeout -k 5 "${longest:-60}" "$BIN" --engine bpf --min-quality 0 "$@"
}

# used WHAT: of what was measured last: elapsed or CPU seconds, or memory in KiB
used() {
	tail -n 1 "$T/used" | awk -v what="$1" '{ print what == "elapsed" ? $1 : what == "cpu" ? $2 + $3 : $4 }'
}
