#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 72-wall: all of the time of threads, without gaps, and where they run and wait.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/off-cpu.sh"
. "$TOP/tests/wall.sh"

recorder() {
	"$BIN-wall" --engine bpf "$@"
}

WAITS=$T/waits
cc -O2 -g -fomit-frame-pointer -o "$WAITS" "$TOP/tests/programs/waits.c" -lpthread
all_time part
everywhere
all_time user -u
all_time kernel -k

# a command from its beginning: what its threads know of themselves
expect_record life 0 -- "$WAITS" 1
while read -r tid thread wall cpu _; do
	ns=$(lives "$T/life.rec" | awk -v tid="$tid" '$1 == tid { print $2 }')
	check "life: $thread has lived for $wall us: $ns ns" [ "$ns" -ge $((500 * wall)) ]
	check "life: $thread has run for $cpu us" [ "$(waited "$T/life.rec" "$tid" C)" -ge $((500 * cpu)) ]
done <"$T/life.out"
check 'life: the account of ticks' grep -qE ': [0-9]+ ticks share .* on a processor' "$T/life.err"

# only the last second: what was before it is forgotten, and the threads have no more than that
"$WAITS" 600 >"$T/target.out" 2>&1 &
target=$!
await_start $target
expect_record last 0 -p $target -t 3 --last 1
finish
check_eq 'last: no thread has more' 0 "$(lives "$T/last.rec" | awk '$2 > 2e9 { n++ } END { print n + 0 }')"
check_eq 'last: all threads' 7 "$(lives "$T/last.rec" | grep -c .)"
