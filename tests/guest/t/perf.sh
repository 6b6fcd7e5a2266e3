#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf: perf.data in which the user half of a call chain comes later than its sample, when the thread returns to user mode, as current
# kernels write it. perf script gives each leaf and its caller the same sums.
# engine: bpf
# roots: perf-sid
# tier: all
set -eu
. /lab/guest.sh
. /lab/record.sh
. /lab/roots.sh

prepare() {
	cat >"$LAB_WORK/calls.c" <<-'END'
		#include <unistd.h>
		#include <sys/syscall.h>
		#include <stdlib.h>
		static volatile long sink;
		#define FUNCTION __attribute__((noinline)) long
		FUNCTION works(long n) { for (int i = 0; i < 3000; i++) n = n * 25 + i; return sink = n; }
		FUNCTION calls(long n) { for (int i = 0; i < 300; i++) n += syscall(SYS_getcwd, "", 0); return sink = n; }
		FUNCTION deep(int depth, long n) { return depth ? deep(depth - 1, n) + 1 : works(n) + calls(n); }
		int main(int argc, char **argv) { for (int i = 0; i < atoi(argv[argc - 1]); i++) deep(i % 20, i); return 0; }
	END
	cc -O1 -fno-optimize-sibling-calls -fno-omit-frame-pointer -o "$LAB_WORK/calls" "$LAB_WORK/calls.c"
}

of_program='^(works|calls|deep|main)$'

# theirs FILE, ours FILE: the sums of each function of the program and its caller, anywhere in a stack
theirs() {
	perf_of_root script -i "$1" -F period,ip,sym --no-inline 2>"$T/script.err" | awk -v of="$of_program" '
		function add() {
			for (i = 1; i < n; i++)
				if (name[i] ~ of && name[i + 1] ~ of)
					sum[name[i] " " name[i + 1]] += period
			n = 0
		}
		NF == 1 { add(); period = $1; next }
		NF { name[++n] = $2 }
		END { add(); for (pair in sum) print pair, sum[pair] }' | sort
}

ours() {
	bt-collapse --debuginfod=never "$1" 2>"$T/said" | awk -v of="$of_program" '
		{
			period = $NF
			sub(/ [0-9]+$/, "")
			n = split($0, name, ";")
			for (i = 2; i <= n; i++)
				if (name[i] ~ of && name[i - 1] ~ of)
					sum[name[i] " " name[i - 1]] += period
		}
		END { for (pair in sum) print pair, sum[pair] }' | sort
}

in_guest() {
	root=/lab/roots/perf-sid
	perf_of_root record -q -e cpu-clock -F 199 --call-graph fp,defer -o "$T/late.data" -- "$LAB_WORK/calls" 1000 2>"$T/err" || not_ok 'perf record' "$T/err"
	late=$(perf_of_root script -i "$T/late.data" -D 2>/dev/null | grep -c 'CALLCHAIN_DEFERRED' || :)
	check "user halves that come later: $late" test "$late" -gt 0
	sums=$(theirs "$T/late.data")
	check 'perf script has sums' test -n "$sums"
	check_eq 'each function and its caller' "$sums" "$(ours "$T/late.data")"
	bt-collapse --debuginfod=never "$T/late.data" >"$T/late.folded"
	check 'kernel and user halves are one stack' grep -qE ';main;(deep;)+syscall;entry_SYSCALL_64_after_hwframe_\[k\];(.*;)?__do_sys_getcwd_\[k\]' "$T/late.folded"
	lab_keep "$T"/late.* "$T/err" "$T/said"
}

guest_main "$@"
