#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 10-stacks: records the cases of tests/steps, and compares their stacks with the known ones and with gdb's.
# tier: all
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

# begin NAME COMMAND: starts a case, with the seconds before the words of COMMAND; fails if the case was not built
begin() {
	program=${2%% *}
	if reason=$(missing "$program"); then
		skip "$1" "$reason"
		return 1
	fi
	# shellcheck disable=SC2086 # words
	start "$CASES/$program" 600 ${2#"$program"}
}

# stack NAME COMMAND ERE: checks a case that stays at one stack, which gdb must see, too
stack() {
	begin "$1" "$2" || return 0
	record_until_decided "$1" "$3" -p "$target" -u
	kill -STOP "$target" 2>/dev/null || :
	expect_gdb "$1: as gdb sees it" "$1"
	finish
}

# moving_stack NAME COMMAND ERE: checks a case whose stack changes, or that gdb cannot unwind
moving_stack() {
	begin "$1" "$2" || return 0
	record_until_decided "$1" "$3" -p "$target" -u
	finish
}

# chain N FRAME: prints FRAME N times, with ";" before each
chain() {
	chain_left=$1
	while [ "$chain_left" -gt 0 ]; do
		printf ';%s' "$2"
		chain_left=$((chain_left - 1))
	done
}

cut='(\[truncated[^];]*\]|\[broken\])'
plain='main;one;two;three;spin'

# built in many ways
for case in plain plain-static plain-static-pie plain-no-pie plain-no-header plain-one-segment plain-fp plain-debug-frame plain-lld plain-gold plain-clang
do
	stack $case $case "$plain"
done
# a stripped program's _start and main may be known from the functions that call them
nameless='plain-stripped\+0x[0-9a-f]+'
moving_stack stripped plain-stripped "^(_start|$nameless)(;$case_libc){1,3};(main|$nameless)$(chain 4 "$nameless")"
# musl's own start code has no unwind information, so gdb guesses
moving_stack musl plain-musl "^(.*;)?$plain"
moving_stack 'musl static' plain-musl-static "^(.*;)?$plain"

# frames whose size differs from the declared variables
stack alloca alloca 'main;first;second;spin'
stack realigned realign 'main;aligned;arguments;leaf'

# every instruction of prologues and epilogues
for case in alternate alternate-small alternate-plain alternate-fp; do
	moving_stack $case $case 'main(;even;odd)*(;even)?(;leaf)?'
done

# signals: the address is exact and the handler has another stack
stack signal 'signal kill' 'main;poke;[^;]*kill[^;]*;[^;]+;on_signal;spin'
stack 'signal from the first instruction' 'signal fault' 'main;poke;first_faults;[^;]+;on_signal;spin'
stack 'signal in a signal' 'signal nested' 'main;poke;[^;]*kill[^;]*;[^;]+;on_first;[^;]*kill[^;]*;[^;]+;on_signal;spin'

# calls that leave no return address, or one of another function
stack 'tail call' tail 'main;first;third;spin'
stack 'call at the end' noreturn 'main;last_call;forever;spin'
moving_stack longjmp jump "main;run$(chain 10 hop);work"

# depth
stack '500 deep' 'recurse 500' 'main(;down){500};spin'
# the stack is whole, or cut at its root
moving_stack '2000 deep' 'recurse 2000' "^(_start;.*;main(;down){2000}|$cut(;down){900,});spin"
template=$(awk 'BEGIN { for (n = 40; n >= 0; n--) printf ";tower::Level<%d>::go", n }')
stack template template "main$template;spin"

# assembly: the CFA depends on other registers or on memory
stack 'cfa in rbx' 'asm cfa_rbx' 'main;next;cfa_rbx;next;spin'
stack 'cfa in memory' 'asm cfa_deref' 'main;next;cfa_deref;next;spin'
stack 'leaf: cfa in rax' 'asm leaf_rax' 'main;next;leaf_rax'
stack 'leaf: cfa in r10' 'asm leaf_r10' 'main;next;leaf_r10'
stack 'cfa in rax over a call' 'asm leaf_kept' 'main;next;leaf_kept;keeps_rax'
# r12 belongs to the callee: the stack is cut there, but never wrong
moving_stack 'cfa in r12, which the callee saves' 'asm leaf_saved' "^($cut|_start;.*main;next);leaf_saved;keeps_rax"
stack 'cfa everywhere' 'asm cfa_rbx cfa_deref cfa_rbx cfa_rbx cfa_deref leaf_r10' \
	'main;next;cfa_rbx;next;cfa_deref;next;cfa_rbx;next;cfa_rbx;next;cfa_deref;next;leaf_r10'

# assembly without unwind information
stack 'frame pointer alone' 'asm no_cfi_fp' 'main;next;no_cfi_fp;next;spin'
stack 'frame pointer between others' 'asm cfa_deref no_cfi_fp cfa_rbx no_cfi_fp leaf_rax' \
	'main;next;cfa_deref;next;no_cfi_fp;next;cfa_rbx;next;no_cfi_fp;next;leaf_rax'
# until the code has been analysed the caller cannot be known: the stack is cut there, or right
for how in no_cfi no_cfi_stale; do
	moving_stack $how "asm $how" "^($cut|_start;.*main;next);$how;next;spin"
done
moving_stack leaf_no_cfi 'asm leaf_no_cfi' "^($cut|_start;.*main;next);leaf_no_cfi"

# stacks that the program allocated itself
moving_stack coroutine coroutine '^([^;]+;){0,2}coroutine;deeper;spin'
moving_stack 'jit code calls' 'jit call' 'main;into_it;[^;]+;called_back;spin'
moving_stack 'jit code spins' 'jit spin' 'main;into_it;[^;]+'
moving_stack 'jit code calls jit code' 'jit-frames call' 'main;into_it(;[^;]+){2}'
moving_stack 'jit code jumps to jit code' 'jit-frames jump' 'main;into_it(;[^;]+){2}'
# rbp belongs to the outer function: the stack is cut there, or right; hardly any frame has a name
moving_stack 'jit code without frame pointer' 'jit-frames frameless' '^(\[truncated: .*\];[^;]+|_start;.*main;into_it(;[^;]+){2})'

# code without a file, and code that only jumps
moving_stack vdso vdso 'main;tick(;[^;]+){0,3}'
for case in plt plt-ibt; do
	moving_stack $case $case 'main;calls(;(tiny(@plt)?|\[[^;]*\])){0,2}'
done
# while the unwinder of C++ replaces the stack, no stack can be whole
moving_stack 'C++ exceptions' throw '^(_start;.*;main;run(;.*)?|.*;_Unwind_[^;]*(;[^;]*)*)'

# other languages
stack rust rust 'main;.*;rust::main;rust::first;rust::second;rust::spin(;[^;]*)*'
go='^runtime\.goexit(\.abi0)?;(runtime\.main;main\.main(;main\.below){3}|main\.main\.func1;main\.other(;main\.below){7});main\.spin(;.*)?'
# goroutines wander from thread to thread
moving_stack go goroutines "$go"
moving_stack 'go, stripped' goroutines-stripped '^[^;]+(;[^;]+){6,11}'

# a 32-bit program: it may be impossible to unwind it, but the leaf is known, and there is no wrong frame above it
if begin '32 bits' spin32; then
	if grep -q spinning "$T/target.out"; then
		record_until_decided '32 bits' "^($cut;)?((_start;)?middle|\\[[^];]*\\])" -p "$target" -u
	else
		skip '32 bits' 'not by this kernel'
	fi
	finish
fi
