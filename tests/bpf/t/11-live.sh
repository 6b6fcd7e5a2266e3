#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 11-live: records some of the cases that tests/steps has found to be right.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

# live NAME ERE PROGRAM [WORD…]
live() {
	live_name=$1
	live_ere=$2
	live_program=$3
	shift 3
	start "$CASES/$live_program" 600 "$@"
	record_until_decided "$live_name" "$live_ere" -p "$target" -u
	check_eq "$live_name: exit code" 0 "$status"
	check_eq "$live_name: its stacks are all that was kept" "$(account kept "$live_name")" "$(weight "$T/$live_name.folded")"
	finish
}

live plain 'main;one;two;three;spin' plain
live '500 deep' 'main(;down){500};spin' recurse 500
live signal 'main;poke;[^;]*kill[^;]*;[^;]+;on_signal;spin' signal kill
live 'code in memory of its own' 'main;moved;spin' hugify
# a coroutine's stack is never whole: it does not tell which function has resumed the coroutine
live coroutine '^\[truncated: coroutine\];coroutine;deeper;spin' coroutine
live 'coroutine, no caller' '^\[truncated: coroutine\];coroutine;deeper;spin' coroutine zero
live 'jit code calls' 'main;into_it;[^;]+;called_back;spin' jit call

# may_start PROGRAM: starts PROGRAM; fails if the kernel lacks a feature that it needs
may_start() {
	start "$CASES/$1" 600
	if kill -0 "$target" 2>/dev/null; then return 0; fi
	skip "$1" 'this kernel has none'
	return 1
}

# threads of the kernel in a process, which never run in user mode
if may_start uring; then
	record_until_seen 'io_uring: its threads' '^\[no user stack: kernel thread\] ' -p "$target" -u
	record_until_decided 'io_uring: all stacks are whole' '^(\[no user stack: kernel thread\]|_start;.*)' -p "$target" -u
	finish
fi

# return addresses that a probe has replaced
if may_start retprobe; then
	record_until_decided 'return probes' 'main(;down){0,5}(;between(;probed(;work)?)?)?' -p "$target" -u
	finish
fi

# the vdso, which is not a file, and stubs of the procedure linkage table, which only jump
start "$CASES/vdso" 600
record_until_seen vdso '^_start;.*;main;tick;[^;]+;.' -p "$target" -u
finish
start "$CASES/plt" 600
record_until_seen plt '^_start;.*;main;calls;tiny@plt ' -p "$target" -u
finish

# code without unwind information is analysed during a recording, and the result is kept for the next recordings
start "$CASES/asm" 600 no_cfi
record_until_seen 'code without rules' '^_start;.*main;next;no_cfi;next;spin ' -p "$target" -u
finish
live 'code without rules, analysed' 'main;next;no_cfi;next;spin' asm no_cfi
