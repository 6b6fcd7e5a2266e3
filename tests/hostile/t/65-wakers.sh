#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# wakers: threads that wait by the thousand, that end in their waits, and programs that end while they wake others.
set -eu
. "$TOP/tests/hostile/lib.sh"

start spinning "$CASES/locks"
expect_record storm 0 --script wakers --chain 4 --state all --children -p $target -t 3
check 'storm: wakers' grep -q '_\[w\]' "$T/storm.folded"
expect_memory storm 716800
expect_record everyone 0 --script wakers --chain 4 -u -a -t 2
expect_memory everyone 716800
kill $target

start threads "$CASES/threads" 10000
expect_record threads 0 --script wakers --asleep -u -p $target -t 2
check 'threads: who waits for ever has no waker' grep -qE ';wait_for_ever;[^;]*pause[^;]* [0-9]+$' "$T/threads.folded"
check 'threads: who ends wakes its creator' grep -qE 'clone3?_\[w\];threads_\[w\] [0-9]+$' "$T/threads.folded"
expect_memory threads 716800
kill $target
