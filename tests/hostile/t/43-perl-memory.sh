#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perl-memory: a program that looks like perl has stacks that never end and change while they are read. Walks are bounded, in the kernel and
# in the reader, also for many threads. The results are counted, and a real perl beside it has its frames.
set -eu
. "$TOP/tests/hostile/lib.sh"

start ready "$CASES/perl_memory" 500
nice -n -10 perl -e 'sub inner { my $n = 0; $n++ while 1 } inner()' &
other=$!
at_end 'kill $target $other 2>/dev/null'

recorder() {
	timeout -s KILL 300 "$(dirname "$BIN")/pl-sample-bt" --engine bpf --min-quality 0 "$@"
}
for script in on-cpu off-cpu; do
	expect_record $script 0 --script $script -p "$target,$other" -t 2
	check "$script: counted" grep -Eq 'perl_memory.*\[(perl: inconsistent|truncated)' "$T/$script.folded"
done
check 'the other one' grep -q '^perl;main;main::inner ' "$T/on-cpu.folded"
