#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# leaks: what is not freed at the end of the recording, by the stack that allocated it, which the target knows.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/alloc.sh"

recorder() {
	"$BIN-leaks" --engine bpf "$@"
}

N=300
HEAP=$T/heap
cc -O2 -g -fomit-frame-pointer -pthread -o "$HEAP" "$TOP/tests/programs/heap.c"

# exact NAME: checks a recording of all calls
exact() {
	check "$1: nothing is lost" grep -q ' kept, 0 lost' "$T/$1.err"
	check_eq "$1: bytes" "$(held_bytes)" "$(amounts "$1" leaks)"
	check_eq "$1: blocks" "$(held_blocks)" "$(amounts "$1" blocks)"
}

record_held attached --interval 1
exact attached
check_eq 'attached: all have an age' "$(weight "$T/attached.folded")" \
	"$("${BIN%/*}/bt-report" --by age "$T/attached.rec" 2>/dev/null | awk -F, '$1 ~ /^[0-9]+[smh]$/ { sum += $2 } END { print sum }')"

# what a child holds is gone when it has ended
record_held family --interval 1 --children
exact family

# the stack is the one of all calls of realloc(), and the number of blocks is an average
N=5000
record_held sampled --interval 5000
sampled_sum=$(amounts sampled leaks | sed -n 's/^moved //p')
check "sampled: moved: $sampled_sum of $((70 * N))" awk -v sum="$sampled_sum" -v truth="$((70 * N))" \
	'BEGIN { d = sum - truth; exit !(d * d <= 25 * 5100 * truth) }'
check 'sampled: says how exact it is' grep -q ' blocks are left: the sum of bytes has a standard error of ' "$T/sampled.err"

# no sample is left: what may be held all the same
"$BIN-leaks" --engine bpf --interval 1073741824 --preload no -o "$T/unseen.rec" -- "$HEAP" "$T" 3 2>"$T/unseen.err" || :
check 'unseen: says how much may be held' grep -q ' less than 3.000 GiB are held, with a probability of 95 %; --interval 1 takes all$' "$T/unseen.err"
check 'unseen: does not say that there is nothing' grep -q ' no samples: the target holds no block that was taken as a sample$' "$T/unseen.err"

# a table that is too small: what did not fit is counted
record_held full --interval 1 --blocks 1024
full_kept=$(amounts full blocks | awk '{ sum += $2 } END { print sum }')
check "full: $full_kept blocks and lost ones" awk -v kept="$full_kept" -v lost="$(account lost full)" 'BEGIN { exit !(lost > 0 && kept <= 1024 && kept + lost >= 1024) }'
N=300

# a program's own functions
cc -O2 -g -fomit-frame-pointer -o "$T/slices" "$TOP/tests/programs/slices.c"
keeper=$T/slices
record_held own --interval 1 --alloc take --size 2 --free give
check_eq 'own: bytes' $((24 * N * 2 / 3)) "$(weight "$T/own.folded" '^_start;.*;main;take$')"
keeper=''

# a target that dies in the middle of its calls: nothing stays behind
cc -O2 -pthread -o "$T/storm" "$TOP/tests/programs/storm.c"
objects_before
: >"$T/target.out"
"$T/storm" >"$T/target.out" &
target=$!
until_true grep -q spinning "$T/target.out"
begin_record storm --interval 1 -p "$target"
sleep 0.5
kill -KILL "$target"
end_record
wait "$target" 2>/dev/null || :
check_eq 'storm: what was held is gone' 1 "$status"
check 'storm: nothing stays in the kernel' until_true no_objects_left

# a command holds what it had when it ended; what its child had is gone
expect_record command 0 --interval 1 --preload no -- "$HEAP" "$T" $N
check_eq 'command: bytes' "$(held_bytes)" "$(amounts command leaks)"

