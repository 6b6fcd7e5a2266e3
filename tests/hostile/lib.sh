#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# hostile/lib.sh: functions for tests/hostile/t/*.sh. Needs TOP, BIN (sample-bt) and CASES (the folder of the compiled programs).

. "$TOP/tests/lib.sh"
. "$TOP/tests/record.sh"

# as_nobody COMMAND…: becomes a target without rights; call it with &, so that $! is the target
as_nobody() {
	exec nice -n -10 setpriv --reuid nobody --regid nogroup --clear-groups --pdeathsig TERM "$@"
}

# others_enter NAME: checks that other users can run programs of the tree, or skips NAME: nobody but root can enter /root
others_enter() {
	setpriv --reuid nobody --regid nogroup --clear-groups test -x "$BIN" && return 0
	skip "$1" "other users cannot enter '$TOP'"
	return 1
}

# start WORD COMMAND…: starts a target without rights, $target, and returns when it has printed WORD
start() {
	start_word=$1
	shift
	: >"$T/out"
	as_nobody "$@" >"$T/out" 2>&1 &
	target=$!
	until_true grep -q "$start_word" "$T/out" || note "$T/out"
}

# bounded COMMAND…: runs COMMAND; $status is its exit code, or 124 if it did not end and was killed, after a time that no machine needs.
bounded() {
	status=0
	timeout -s KILL 300 "$@" || status=$?
}

# expect_samples RECORDING: checks that there are samples. Their number depends on the machine.
expect_samples() {
	check "$1: samples" test "$(account kept "$1")" -gt 0
}

# memory_of COMMAND…: runs COMMAND; prints the largest memory of any one process of it and its children, in KiB
memory_of() {
	/usr/bin/time -f %M -o "$T/memory" "$@" >"$T/memory.out" 2>"$T/memory.err" || :
	tail -n 1 "$T/memory"
}

# fresh_program FILE SOURCE [OPTION…]: compiles a program of hostile/programs, or a library, whose build-id is in no cache
fresh_program() {
	fresh=$1
	fresh_source=$2
	shift 2
	"${CC:-cc}" -O2 -g -Wl,--build-id=0x"$(od -An -N20 -tx1 /dev/urandom | tr -d ' \n')" "$@" -o "$fresh" "$fresh_source"
}

# recording_of: prints a recording with a sample in each file that stdin names, in lines "BUILD-ID PATH"
recording_of() {
	awk 'BEGIN { print "flametap-recording 2\nevent 0 on-cpu samples 1001001 cpu\ntask 0 1 1 1 victim" }
		{
			n = NR - 1
			printf "map %d 1 1 7f0000000000 7f0000100000 0 %s %s -\n", n, $1, $2
			printf "frame %d user pc %d 1000\nstack %d user root - %d\nrow 0 0 %d - 1 1\n", n, n, n, n, n
		}
		END { print "end " 3 + 4 * NR }'
}

# recorder ARG…: runs the recorder; $T/used is the most memory that it used, in KiB
recorder() {
	/usr/bin/time -f %M -o "$T/used" timeout -s KILL 300 "$BIN" --engine bpf --min-quality 0 ${no_jvm:+"$no_jvm"} "$@"
}

# let_nobody_record: prepares $T for record_as_nobody
let_nobody_record() {
	chmod 755 "$T_top"
	chmod 777 "$T"
	cp "$BIN" "$T/sample-bt"
}

# record_as_nobody CAPABILITIES ARG…: runs the recorder as a user with these capabilities
record_as_nobody() {
	capabilities=-all,$1
	shift
	HOME=$T timeout -s KILL 300 setpriv --reuid nobody --regid nogroup --clear-groups --inh-caps="$capabilities" \
		--ambient-caps="$capabilities" "$T/sample-bt" --engine bpf --min-quality 0 "$@"
}

# expect_memory NAME KIB: checks that the last recording did not use more
expect_memory() {
	used=$(tail -n 1 "$T/used")
	check "$1: memory $used KiB, at most $2" test "$used" -le "$2"
}

# instructions ARG…: prints how many instructions the recorder executes with these arguments; this count does not depend on the machine's
# load. Its messages are in $T/valgrind.err.
instructions() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="$T/valgrind" "$BIN" --engine bpf --min-quality 0 "$@" \
		>"$T/valgrind.out" 2>"$T/valgrind.err" || grep -q 'no samples' "$T/valgrind.err" || return 1
	# its children end before it, so its count is the last
	sed -n 's/.*Collected : //p' "$T/valgrind" | tail -n 1
}
