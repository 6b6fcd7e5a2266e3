#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 20-frames: compiled functions with unusual prologues, epilogues and calls; signals; depth.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/steps/lib.sh"

walk alloca alloca 'main first second spin burn_stop'
# at the end of "arguments" gcc's rules take rbp from a frame that is gone, and "aligned" needs it
walk realigned realign 'main aligned arguments leaf' -e aligned
for case in alternate alternate-small alternate-plain alternate-fp; do
	walk $case $case 'main even odd leaf'
done
walk 'tail call' tail 'main first second third spin'
walk 'call at the end' noreturn 'main last_call forever spin'
walk longjmp jump 'main run hop work' -m -n 3
walk template template 'main _ZN5tower5LevelILi40EE2goEi _ZN5tower5LevelILi0EE2goEi _ZL4spinv'
walk 'C++ exceptions' throw 'main _ZL3runv _ZL4falli' -m -i 50000

walk signal 'signal kill' 'main poke on_signal spin'
walk 'signal from the first instruction' 'signal fault' 'main poke first_faults on_signal spin'
walk 'signal in a signal' 'signal nested' 'main poke on_first on_signal spin'

walk '500 deep' 'recurse 500' 'main down spin' -i 10000
walk '2000 deep' 'recurse 2000' 'main down spin' -i 40000
