#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# threads: a target has 10,000 threads.
set -eu
. "$TOP/tests/hostile/lib.sh"

start threads "$CASES/threads" 10000
note "$T/out"
expect_record on-cpu 0 -uk -p $target -t 2
expect_samples on-cpu
expect_record off-cpu 0 --script off-cpu --asleep -u -p $target -t 2
check "off-cpu: the threads that wait" grep -q wait_for_ever "$T/off-cpu.folded"
expect_memory off-cpu 716800
kill $target
