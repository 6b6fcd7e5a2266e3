#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# graph: sample-bt-graph by the kernel's function_graph, with a program that knows how often it calls; and what is left behind.
# suites: sid trixie bookworm bullseye
# tier: all sid trixie bookworm
# engine: bpf
set -eu
. /lab/guest.sh

N=20
tracing=/sys/kernel/tracing

prepare() {
	cc -O1 -g -fno-inline -o "$LAB_WORK/target" /lab/programs/own_scripts.c
}

# idle NAME: checks that the tracer is as it was
idle() {
	check_eq "$1: no tracer" nop "$(cat $tracing/current_tracer)"
	check_eq "$1: no function" '#### all functions enabled ####' "$(cat $tracing/set_graph_function)"
	check_eq "$1: no process" 'no pid' "$(cat $tracing/set_ftrace_pid)"
	[ ! -e $tracing/set_ftrace_notrace_pid ] || check_eq "$1: nor without one" 'no pid' "$(cat $tracing/set_ftrace_notrace_pid)"
	check_eq "$1: the tracer's own options" 0 "$(cat $tracing/options/function-fork)"
	check_eq "$1: tracing is on, as it was" 1 "$(cat $tracing/tracing_on)"
}

# refused NAME CODE PATTERN ARG…: checks the exit code and the message
refused() {
	name=$1 code=$2 pattern=$3
	shift 3
	sample-bt-graph "$@" >"$T/out" 2>"$T/err" && status=0 || status=$?
	check_eq "$name: exit code" "$code" "$status"
	check "$name: why" grep -q "$pattern" "$T/err"
	note "$T/err"
}

in_guest() {
	mountpoint -q $tracing || mount -t tracefs none $tracing
	: >"$T/go"
	sample-bt-graph -g '*_sys_fsync' -o "$T/a.trace" -- "$LAB_WORK/target" "$T/go" "$LAB_WORK/file" $N 2>"$T/err" && status=0 || status=$?
	note "$T/err"
	check_eq 'exit code' 0 "$status"
	idle 'at the end'
	bt-collapse --event calls "$T/a.trace" >"$T/calls" 2>"$T/said" || note "$T/said"
	bt-collapse "$T/a.trace" >"$T/folded" 2>/dev/null
	head -n 5 "$T/folded" | note
	check_eq 'all calls' $N "$(awk '/^(target;)?__[a-z0-9]*_sys_fsync_\[k\] / { n += $NF } END { print n + 0 }' "$T/calls")"
	check 'they have callees' grep -q '_sys_fsync_\[k\];.*\[k\];.*\[k\] ' "$T/folded"
	# the times of the outermost calls lack some interrupts
	outermost=$(awk -F'|' '/^#/ { next } $NF ~ /^  [^ ]/ && $NF ~ /[};]/ && $NF !~ /[{] *$/ { match($(NF - 1), /[0-9.]+ us/)
		sum += substr($(NF - 1), RSTART, RLENGTH - 3) } END { printf "%.0f\n", sum * 1000 }' "$T/a.trace")
	all=$(awk '{ n += $NF } END { print n }' "$T/folded")
	check "the sum of all times: $all, of the outermost calls $outermost" test "$all" -ge "$outermost"
	bt-report --tree "$T/a.trace" 2>/dev/null | head -n 8 | note

	sample-bt-graph -g vfs_read >"$T/endless" 2>/dev/null &
	recorder=$!
	until_true grep -q vfs_read "$T/endless" && ok 'of the whole system' || not_ok 'of the whole system' 'nothing'
	refused 'in use' 2 "the tracer 'function_graph' is in use" -g vfs_read -t 1
	kill -KILL $recorder
	wait $recorder 2>/dev/null || :
	until_true sh -c "[ \"\$(cat $tracing/current_tracer)\" = nop ] && [ \"\$(cat $tracing/tracing_on)\" = 1 ]" || :
	idle 'killed'
	refused 'an unknown function' 2 "cannot trace a function 'no_such_function'" -g no_such_function -t 1
	idle 'refused'
	refused 'no process' 2 'no process 4000000' -g vfs_read -p 4000000 -t 1
	# older kernels also trace the rest of calls that are under way when tracing begins
	case $(uname -r) in
	5.* | 6.?.*) skip 'no call' 'this kernel also traces calls that had begun before' ;;
	*) refused 'no call' 1 'no call of __x64_sys_reboot' -g __x64_sys_reboot -t 0.2 ;;
	esac
	lab_keep "$T/a.trace" "$T/folded"
}

guest_main "$@"
