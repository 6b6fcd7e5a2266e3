#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 10-stacks: the cases of tests/steps as the engine records them, and as gdb sees them.
# tier: all
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

# begin NAME COMMAND: starts a case and its words behind the seconds; false: it is not here
begin() {
	program=${2%% *}
	if reason=$(missing "$program"); then
		skip "$1" "$reason"
		return 1
	fi
	# shellcheck disable=SC2086 # words
	start "$CASES/$program" 600 ${2#"$program"}
}

# stack NAME COMMAND ERE: it stays at one stack, and gdb sees the same
stack() {
	begin "$1" "$2" || return 0
	record_until_decided "$1" "$3" -p "$target" -u
	kill -STOP "$target" 2>/dev/null || :
	expect_gdb "$1: as gdb sees it" "$1"
	finish
}

# moving_stack NAME COMMAND ERE: likewise, where it does not stay the same, or gdb does not know
moving_stack() {
	begin "$1" "$2" || return 0
	record_until_decided "$1" "$3" -p "$target" -u
	finish
}

# chain N FRAME: FRAME N times, ";" before each
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
# _start and main may be known by what calls them
nameless='plain-stripped\+0x[0-9a-f]+'
moving_stack stripped plain-stripped "^(_start|$nameless)(;$case_libc){1,3};(main|$nameless)$(chain 4 "$nameless")"
# nothing is said of musl's own start, so gdb guesses
moving_stack musl plain-musl "^(.*;)?$plain"
moving_stack 'musl static' plain-musl-static "^(.*;)?$plain"

# frames of other sizes than is written
stack alloca alloca 'main;first;second;spin'
stack realigned realign 'main;aligned;arguments;leaf'

# every instruction of functions' beginnings and ends
for case in alternate alternate-small alternate-plain alternate-fp; do
	moving_stack $case $case 'main(;even;odd)*(;even)?(;leaf)?'
done

# signals: the address is exact, the stack another one
stack signal 'signal kill' 'main;poke;[^;]*kill[^;]*;[^;]+;on_signal;spin'
stack 'signal from the first instruction' 'signal fault' 'main;poke;first_faults;[^;]+;on_signal;spin'
stack 'signal in a signal' 'signal nested' 'main;poke;[^;]*kill[^;]*;[^;]+;on_first;[^;]*kill[^;]*;[^;]+;on_signal;spin'

# calls that leave less behind than one thinks
stack 'tail call' tail 'main;first;third;spin'
stack 'call at the end' noreturn 'main;last_call;forever;spin'
moving_stack longjmp jump "main;run$(chain 10 hop);work"

# depth
stack '500 deep' 'recurse 500' 'main(;down){500};spin'
# whole, or cut at its root
moving_stack '2000 deep' 'recurse 2000' "^(_start;.*;main(;down){2000}|$cut(;down){900,});spin"
template=$(awk 'BEGIN { for (n = 40; n >= 0; n--) printf ";tower::Level<%d>::go", n }')
stack template template "main$template;spin"

# assembly: the CFA on other registers, in memory
stack 'cfa in rbx' 'asm cfa_rbx' 'main;next;cfa_rbx;next;spin'
stack 'cfa in memory' 'asm cfa_deref' 'main;next;cfa_deref;next;spin'
stack 'leaf: cfa in rax' 'asm leaf_rax' 'main;next;leaf_rax'
stack 'leaf: cfa in r10' 'asm leaf_r10' 'main;next;leaf_r10'
stack 'cfa in rax over a call' 'asm leaf_kept' 'main;next;leaf_kept;keeps_rax'
# r12 is the callee's there: the stack is cut, never led astray
moving_stack 'cfa in r12, which the callee saves' 'asm leaf_saved' "^($cut|_start;.*main;next);leaf_saved;keeps_rax"
stack 'cfa everywhere' 'asm cfa_rbx cfa_deref cfa_rbx cfa_rbx cfa_deref leaf_r10' \
	'main;next;cfa_rbx;next;cfa_deref;next;cfa_rbx;next;cfa_rbx;next;cfa_deref;next;leaf_r10'

# assembly of which nothing is said
stack 'frame pointer alone' 'asm no_cfi_fp' 'main;next;no_cfi_fp;next;spin'
stack 'frame pointer between others' 'asm cfa_deref no_cfi_fp cfa_rbx no_cfi_fp leaf_rax' \
	'main;next;cfa_deref;next;no_cfi_fp;next;cfa_rbx;next;no_cfi_fp;next;leaf_rax'
# until the code has been analysed nobody can know the caller: the stack is cut there, or right
for how in no_cfi no_cfi_stale; do
	moving_stack $how "asm $how" "^($cut|_start;.*main;next);$how;next;spin"
done
moving_stack leaf_no_cfi 'asm leaf_no_cfi' "^($cut|_start;.*main;next);leaf_no_cfi"

# stacks of the program's own making
moving_stack coroutine coroutine '^([^;]+;){0,2}coroutine;deeper;spin'
moving_stack 'jit code calls' 'jit call' 'main;into_it;[^;]+;called_back;spin'
moving_stack 'jit code spins' 'jit spin' 'main;into_it;[^;]+'
moving_stack 'jit code calls jit code' 'jit-frames call' 'main;into_it(;[^;]+){2}'
moving_stack 'jit code jumps to jit code' 'jit-frames jump' 'main;into_it(;[^;]+){2}'
# rbp is the outer function's: the stack is cut there, or right; next to nothing has a name
moving_stack 'jit code without frame pointer' 'jit-frames frameless' '^(\[truncated: .*\];[^;]+|_start;.*main;into_it(;[^;]+){2})'

# code that is no file, code that only jumps
moving_stack vdso vdso 'main;tick(;[^;]+){0,3}'
for case in plt plt-ibt; do
	moving_stack $case $case 'main;calls(;(tiny(@plt)?|\[[^;]*\])){0,2}'
done
# while the unwinder replaces the stack there is none
moving_stack 'C++ exceptions' throw '^(_start;.*;main;run(;.*)?|.*;_Unwind_[^;]*(;[^;]*)*)'

# other languages
stack rust rust 'main;.*;rust::main;rust::first;rust::second;rust::spin(;[^;]*)*'
go='^runtime\.goexit(\.abi0)?;(runtime\.main;main\.main(;main\.below){3}|main\.main\.func1;main\.other(;main\.below){7});main\.spin(;.*)?'
# goroutines wander from thread to thread
moving_stack go goroutines "$go"
moving_stack 'go, stripped' goroutines-stripped '^[^;]+(;[^;]+){6,11}'

# of 32 bits: nobody says that it can be unwound, but the leaf is there, and nothing wrong above it
if begin '32 bits' spin32; then
	if grep -q spinning "$T/target.out"; then
		record_until_decided '32 bits' "^($cut;)?((_start;)?middle|\\[[^];]*\\])" -p "$target" -u
	else
		skip '32 bits' 'not by this kernel'
	fi
	finish
fi
