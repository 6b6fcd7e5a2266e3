#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 10-situations: a program that knows its own stacks, on this system's python3, alone and mixed with C; a process that runs no Python, and
# one that was recorded without --python.
set -u
. "$TOP/tests/python/lib.sh"

python=/usr/bin/python3
[ -x $python ] || { skip 'situations' 'there is no /usr/bin/python3'; exit 0; }
situations alone '' 20
situations mixed '' 20 --mixed

$python -c 'while True: pass' &
busy=$!
"$bin/sample-bt" --engine bpf -u -p $busy -t 1 >"$T/out" 2>"$T/said"
check 'without --python: said' grep -q "in Python, whose own functions are not shown (process $busy): record with --python or --mixed" "$T/said"
kill $busy
sleep 100 &
sleeper=$!
"$bin/py-sample-bt" --engine bpf -p $sleeper -t 1 >"$T/out" 2>"$T/said"
check_eq 'no Python: exit' 2 $?
check 'no Python: said' grep -q "no Python runs in process $sleeper ([a-z]*); give the number of a process that runs Python" "$T/said"
kill $sleeper
sh -c 'sleep 100 & echo $!; wait' >"$T/child" &
parent=$!
until_true test -s "$T/child"
"$bin/py-sample-bt" --engine bpf -p $parent -t 1 >"$T/out" 2>"$T/said"
check 'no Python, but a child: said' grep -q 'a process that runs Python, or --children for the child processes, too$' "$T/said"
kill $parent "$(cat "$T/child")"
wait 2>/dev/null || :
