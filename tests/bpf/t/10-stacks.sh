#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 10-stacks: programs that stay at one stack which is known, each a case that unwinding gets wrong easily.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

# stack NAME COMMAND ERE [MIN_PERCENT]: records it; at least 95 % have this stack, 99 % are whole, and gdb sees the same. COMMAND: a case
# and its words behind the seconds.
stack() {
	observe "$1" "$2" || return 0
	expect_gdb "$1: as gdb sees it" "$1"
	finish
	expect_stack "$T/$1.folded" "$3" "${4:-95}" "$1"
	expect_account "$1: the account" "$1" 99
}

# moving_stack NAME COMMAND ERE [MIN_PERCENT [WHOLE_PERCENT]]: likewise, when it does not stay the same, or gdb does not know
moving_stack() {
	observe "$1" "$2" || return 0
	finish
	expect_stack "$T/$1.folded" "$3" "${4:-95}" "$1"
	expect_account "$1: the account" "$1" "${5:-99}"
}

# some_stack: likewise, where nobody can tell how the stack goes on
some_stack() {
	observe "$1" "$2" || return 0
	finish
	expect_stack "$T/$1.folded" "$3" "${4:-95}" "$1"
	expect_account "$1: the account" "$1" 0
}

absent=''

# observe NAME COMMAND: false: the case is not here
observe() {
	# shellcheck disable=SC2086
	observe_of "$1" $2
}

observe_of() {
	observe_name=$1
	program=$2
	shift 2
	if reason=$(missing "$program"); then
		absent="$absent, $observe_name ($reason)"
		return 1
	fi
	start "$CASES/$program" 600 "$@"
	record_for "$observe_name" 0.4 -p "$target" -u
	kill -STOP "$target" 2>/dev/null || :
}

# chain N FRAME: FRAME N times, ";" before each
chain() {
	awk -v n="$1" -v frame="$2" 'BEGIN { while (n--) printf ";%s", frame }'
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
	moving_stack $case $case 'main(;even;odd)*(;even)?(;leaf)?' 99.5
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
stack '500 deep' 'recurse 500' "main(;down){500};spin"
observe '2000 deep' 'recurse 2000' || :
finish
all=$(weight "$T/2000 deep.folded")
good=$(weight "$T/2000 deep.folded" "^(_start;.*;main(;down){2000}|$cut(;down){900,});spin\$")
check '2000 deep: whole, or cut at its root' test "$all" -ge 50 -a $((good * 20)) -ge $((all * 19))
sed 's/\(;down\)\{5,\}/;down…/' "$T/2000 deep.folded" | note
template=$(awk 'BEGIN { for (n = 40; n >= 0; n--) printf ";tower::Level<%d>::go", n }')
stack template template "main$template;spin"

# assembly: the CFA on other registers, in memory
stack 'cfa in rbx' 'asm cfa_rbx' 'main;next;cfa_rbx;next;spin'
stack 'cfa in memory' 'asm cfa_deref' 'main;next;cfa_deref;next;spin'
stack 'leaf: cfa in rax' 'asm leaf_rax' 'main;next;leaf_rax'
stack 'leaf: cfa in r10' 'asm leaf_r10' 'main;next;leaf_r10'
stack 'cfa in rax over a call' 'asm leaf_kept' 'main;next;leaf_kept;keeps_rax'
# r12 is the callee's there: the stack is cut, never led astray
some_stack 'cfa in r12, which the callee saves' 'asm leaf_saved' "^($cut|_start;.*main;next);leaf_saved;keeps_rax"
stack 'cfa everywhere' 'asm cfa_rbx cfa_deref cfa_rbx cfa_rbx cfa_deref leaf_r10' \
	'main;next;cfa_rbx;next;cfa_deref;next;cfa_rbx;next;cfa_rbx;next;cfa_deref;next;leaf_r10'

# assembly of which nothing is said
stack 'frame pointer alone' 'asm no_cfi_fp' 'main;next;no_cfi_fp;next;spin'
stack 'frame pointer between others' 'asm cfa_deref no_cfi_fp cfa_rbx no_cfi_fp leaf_rax' \
	'main;next;cfa_deref;next;no_cfi_fp;next;cfa_rbx;next;no_cfi_fp;next;leaf_rax'
# until the code has been analysed nobody can know the caller: the stack is cut there, or right
for how in no_cfi no_cfi_stale; do
	some_stack $how "asm $how" "^($cut|_start;.*main;next);$how;next;spin"
done
some_stack leaf_no_cfi 'asm leaf_no_cfi' "^($cut|_start;.*main;next);leaf_no_cfi"

# all_whole NAME ERE: so are all stacks of a recording of $target
all_whole() {
	record_for "$1" 0.4 -p "$target" -u
	all=$(weight "$T/$1.folded")
	[ "$all" -gt 0 ] && [ "$(weight "$T/$1.folded" "$2")" = "$all" ]
}

# what the first recording that needs it finds is kept for the next ones
start "$CASES/asm" 600 no_cfi
check 'the analysis is kept' until_true 60 all_whole 'kept' '^_start;.*main;next;no_cfi;next;spin$'
finish
for how in no_cfi no_cfi_stale; do
	moving_stack "$how, analysed" "asm $how" "main;next;$how;next;spin"
done
moving_stack 'leaf_no_cfi, analysed' 'asm leaf_no_cfi' 'main;next;leaf_no_cfi'

# stacks of the program's own making
some_stack coroutine coroutine '^([^;]+;){0,2}coroutine;deeper;spin'
moving_stack 'jit code calls' 'jit call' 'main;into_it;[^;]+;called_back;spin'
moving_stack 'jit code spins' 'jit spin' 'main;into_it;[^;]+'
moving_stack 'jit code calls jit code' 'jit-frames call' 'main;into_it(;[^;]+){2}'
moving_stack 'jit code jumps to jit code' 'jit-frames jump' 'main;into_it(;[^;]+){2}'
# rbp is the outer function's: the stack is cut there, or right; next to nothing has a name
observe 'jit code without frame pointer' 'jit-frames frameless'
finish
expect_stack "$T/jit code without frame pointer.folded" "^(\\[truncated: .*\\];[^;]+|_start;.*main;into_it(;[^;]+){2})" 95 \
	'jit code without frame pointer'

# code that is no file, code that only jumps
moving_stack vdso vdso 'main;tick(;[^;]+){0,3}'
check 'vdso: was hit' test "$(weight "$T/vdso.folded" 'main;tick;[^;]+;.')" -gt 0
for case in plt plt-ibt; do
	moving_stack $case $case 'main;calls(;(tiny(@plt)?|\[[^;]*\])){0,2}'
	check "$case: the stub or the function was hit" test "$(weight "$T/$case.folded" ';calls;[^;]+$')" -gt 0
done
# while the unwinder replaces the stack there is none
moving_stack 'C++ exceptions' throw 'main;run(;.*)?' 95 97
check 'C++ exceptions: all twenty calls' test "$(weight "$T/C++ exceptions.folded" "main;run$(chain 19 fall);fall[^;]*;")" -gt 0

# other languages
stack rust rust 'main;.*;rust::main;rust::first;rust::second;rust::spin(;[^;]*)*'
go='^runtime\.goexit(\.abi0)?;(runtime\.main;main\.main(;main\.below){3}|main\.main\.func1;main\.other(;main\.below){7});main\.spin(;.*)?'
# goroutines wander from thread to thread
moving_stack go goroutines "$go"
moving_stack 'go, stripped' goroutines-stripped '^[^;]+(;[^;]+){6,11}'

# of 32 bits: nobody says that it can be unwound, but the leaf is there, and nothing wrong above it
if observe '32 bits' spin32; then
	finish
	if grep -q spinning "$T/target.out"; then
		expect_stack "$T/32 bits.folded" "^($cut;)?((_start;)?middle|\\[[^];]*\\])" 95 '32 bits'
	else
		absent="$absent, 32 bits (not by this kernel)"
	fi
fi
[ -z "$absent" ] || skip 'some cases' "not here: ${absent#, }"
