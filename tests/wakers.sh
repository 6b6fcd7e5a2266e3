# SPDX-License-Identifier: GPL-2.0-or-later
# wakers.sh: functions for the tests of wakers, on this machine and in guests. WAKERS is the program tests/programs/wakers.c, whose threads
# wake each other $N times. They need record.sh.

# woken NAME ERE N: checks that the stacks ERE have N waits
woken() {
	"${BIN%/*}/bt-collapse" --event waits "$T/$1.rec" 2>/dev/null | sed 's/;\[\(sleeping\|waiting for CPU\)\] / /' >"$T/$1.waits" || :
	woken_is=$(weight "$T/$1.waits" "^(wakers;)?$2\$")
	[ "$woken_is" = "$3" ] || note "$T/$1.waits"
	check_eq "$1: $2" "$3" "$woken_is"
}

# in guests libc has no names for the functions where threads begin; glibc 2.41 has functions of its own below read()
woken_kernel='(;[^;]*)*'
woken_second=".*;second;await;(__libc_)?read$woken_kernel"
woken_third="_start;.*;main;(make_child;)?third;await;(__libc_)?read$woken_kernel"
waker_main='[^;]*write_\[w\];start_\[w\];(wake_others_\[w\];)?main_\[w\];.*_start_\[w\];wakers_\[w\]'
waker_second='[^;]*write_\[w\];pass_on_\[w\];second_\[w\](;[^;]*_\[w\])*;wakers_\[w\]'

# all_wakers NAME: checks who has woken the threads of WAKERS, with one waker each
all_wakers() {
	woken "$1" "$woken_second;$waker_main" "$N"
	woken "$1" "$woken_third;$waker_second" "$N"
}

# interrupted NAME: checks that timers are not taken for threads
interrupted() {
	"${BIN%/*}/bt-collapse" "$T/$1.rec" >"$T/$1.all" 2>/dev/null || :
	grep ';nap;' "$T/$1.all" | sed 's/;\[\(sleeping\|waiting for CPU\)\] / /' >"$T/$1.naps"
	check "$1: naps end by interrupts" test "$(weight "$T/$1.naps" ';asm_sysvec_[a-z_]*_\[w\];\[interrupt\]$')" -gt 0
	check_eq "$1: naps are not ended by threads" 0 "$(weight "$T/$1.naps" '_\[w\]$')"
}
