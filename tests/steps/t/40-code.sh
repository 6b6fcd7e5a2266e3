#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 40-code: stacks and code that the program made itself, code without a file or that only jumps, other languages.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/steps/lib.sh"

walk coroutine coroutine 'main coroutine deeper spin' -m
# there is no memory to read before the first instruction
walk 'jit code calls' 'jit call' 'main into_it called_back spin [memory]' -e '[memory]+0x0 [memory]+0x1'
walk 'jit code spins' 'jit spin' 'main into_it [memory]' -e '[memory]+0x0 [memory]+0x1'
walk 'jit code calls jit code' 'jit-frames call' 'main into_it [memory]' -n 3
walk 'jit code jumps to jit code' 'jit-frames jump' 'main into_it [memory]' -n 3
# rbp belongs to the outer function
walk 'jit code without frame pointer' 'jit-frames frameless' 'main into_it [memory]' -n 3 -e '[memory]'

walk vdso vdso 'main tick clock_gettime'
for case in plt plt-ibt; do
	walk $case $case 'main calls tiny'
	walk "$case, lazy" $case 'main calls tiny' -l
done

walk rust rust 'main' -i 100000
for case in goroutines goroutines-stripped; do
	walk "go: $case" $case 'main.main main.below main.spin' -b main.main -m -g -i 20000
done
walk 'go and C call each other' callbacks 'main.called_back calls_back main.garbage' -b main.main -m -g -i 20000
