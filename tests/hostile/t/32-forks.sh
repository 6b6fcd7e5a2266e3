#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# forks: the recording of a fork storm ends, and the data about ended processes do not accumulate.
set -eu
. "$TOP/tests/hostile/lib.sh"

"$CASES/forks" 20 0 1 2 >"$T/out" &
target=$!
until_true grep -q forking "$T/out" || note "$T/out"
pids=$target$(ps -o pid= --ppid $target | sed 's/^ */,/' | tr -d '\n')
for how in "-p $pids" "-p $pids --children" -a; do
	name=$(echo "$how" | sed 's/ [0-9,]*//')
	# shellcheck disable=SC2086 # options
	expect_record "$name" 0 $how -uk -t 1
	expect_samples "$name"
	# only the named processes are recorded, not the ended children
	case $how in
	*--children | -a) ;;
	*) check "$name: no other processes" test "$(grep -c '^task ' "$T/$name.rec")" -le 21 ;;
	esac
done
kill $target

# 8,000 processes with 250 mappings each: 80 to 160 MiB, and 280 to 360 where nothing is freed
expect_record memory 0 -u -- "$CASES/forks" 4 2000 3 240
expect_memory memory 229376
expect_samples memory
