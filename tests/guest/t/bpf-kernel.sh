#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bpf-kernel: stacks that this kernel changes: return addresses that probes have replaced, threads of io_uring, signals; and code in huge
# pages, coroutines, a thread that exits, and a processor that is offline.
# suites: sid trixie bookworm bullseye
# engine: bpf
# tier: all
set -eu
. /lab/guest.sh
. /lab/record.sh

BIN=sample-bt decided_seconds=1

prepare() {
	mkdir -p "$LAB_WORK/cases"
	for case in retprobe uring signal hugify coroutine; do
		cc -std=gnu11 -D_GNU_SOURCE -O2 -g0 -fomit-frame-pointer -o "$LAB_WORK/cases/$case" "/lab/bpf/programs/$case.c"
	done
}

# of NAME ERE PROGRAM WORD…: checks that stacks of PROGRAM match
of() {
	of_name=$1
	of_ere=$2
	of_program=$3
	shift 3
	"$LAB_WORK/cases/$of_program" 600 "$@" >"$T/target.out" 2>&1 &
	target=$!
	until_true grep -q . "$T/target.out" || :
	if kill -0 "$target" 2>/dev/null; then
		record_until_decided "$of_name" "$of_ere" -p "$target" -u -F 499
	else
		skip "$of_name" "this kernel has none: $(head -n 1 "$T/target.out")"
	fi
	lab_finish
}

# Processor 1 is offline for a while: the program on it is sampled again after that, and missed samples are reported.
offline() {
	cpu=/sys/devices/system/cpu/cpu1/online
	if [ ! -w $cpu ]; then
		skip offline 'this kernel cannot take a processor offline'
		return
	fi
	lab_start taskset -c 1 sh -c 'while :; do :; done'
	begin_record offline -a -u -t 12 -F 199
	echo 0 >$cpu
	sleep 1
	echo 1 >$cpu
	taskset -pc 1 "$target" >/dev/null
	end_record
	lab_finish
	note "$T/offline.err"
	check_eq 'offline: exit code' 0 "$status"
	check 'offline: it is said' grep -q 'a processor came online during the recording, processor 1 last' "$T/offline.err"
	check 'offline: it is sampled again' test "$(weight "$T/offline.folded" '^sh;')" -gt 1000
}

in_guest() {
	of 'return probes' 'main(;down){0,5}(;between(;probed(;work)?)?)?' retprobe
	of io_uring '^(\[no user stack: kernel thread\]|_start;.*)' uring
	of signal 'main;poke;[^;]*kill[^;]*;[^;]+;on_signal;spin' signal kill
	of 'code in memory of its own' 'main;moved;spin' hugify
	of coroutine '^\[truncated: coroutine\];coroutine;deeper;spin' coroutine
	of 'coroutine, no caller' '^\[truncated: coroutine\];coroutine;deeper;spin' coroutine zero
	lab_start perl -e 'while (1) { my $pid = fork; if (!$pid) { my @a = (1) x 300_000; exit } waitpid $pid, 0 }'
	record_until_decided 'processes that exit' '^((perl;)?main.*|(perl;)?\[perl: not running\])' --perl -F 499 -p "$target" --children
	lab_finish
	offline
	lab_keep "$T"/*.folded "$T"/*.err
}

guest_main "$@"
