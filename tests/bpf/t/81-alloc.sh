#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# alloc: bytes and calls of allocations by stack, which the target knows.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/alloc.sh"

recorder() {
	"$BIN-alloc" --engine bpf "$@"
}

N=300
HEAP=$T/heap
cc -O2 -g -fomit-frame-pointer -pthread -o "$HEAP" "$TOP/tests/programs/heap.c"

# exact NAME: checks a recording of all calls
exact() {
	check "$1: nothing is lost" grep -q ' kept, 0 lost' "$T/$1.err"
	check_eq "$1: bytes" "$(heap_bytes)" "$(amounts "$1" alloc)"
	check_eq "$1: calls" "$(heap_calls)" "$(amounts "$1" calls)"
}

record_work "$HEAP" attached --interval 1
exact attached
record_work "$HEAP" family --interval 1 --children
check_eq 'family: bytes of the child, too' "$(heap_bytes | sed "/^swapped/i spawn $((90 * N))" | sort)" "$(amounts family alloc)"

# a sample stands for all on average: the sums are within five standard errors of the truth (one false alarm in 1.7 million)
N=5000
record_work "$HEAP" sampled --interval 5000
for function in plain zeroed aligned moved; do
	sampled_truth=$(heap_bytes | sed -n "s/^$function //p") sampled_sum=$(amounts sampled alloc | sed -n "s/^$function //p")
	# the variance of a sum is at most EVERY * bytes + the largest size * bytes
	check "sampled: $function: $sampled_sum of $sampled_truth" awk -v sum="$sampled_sum" -v truth="$sampled_truth" \
		'BEGIN { d = sum - truth; exit !(d * d <= 25 * 5300 * truth) }'
done
check 'sampled: says how exact it is' grep -q ' calls were taken as samples: the sum of bytes has a standard error of ' "$T/sampled.err"
N=300

# a function of the program's own: what it gets from malloc() is a part of it
cc -O2 -g -fomit-frame-pointer -o "$T/slices" "$TOP/tests/programs/slices.c"
record_work "$T/slices" own --interval 1 --alloc take --size 2
check_eq 'own: bytes' $((24 * N)) "$(weight "$T/own.folded" '^_start;.*;main;take$')"
check_eq 'own: not malloc' 0 "$(weight "$T/own.folded" ';main;take;malloc$')"
expect_record own_command 0 --interval 1 --alloc take --size 2 -- "$T/slices" "$T" $N
check_eq 'own_command: bytes' $((24 * N)) "$(weight "$T/own_command.folded" ';main;take$')"
status=0
"$BIN-alloc" --engine bpf --alloc nowhere -- "$T/slices" "$T" 1 2>"$T/refused.err" || status=$?
check_eq 'refused: exit code' 2 "$status"
check 'refused: says which' grep -q 'cannot probe nowhere' "$T/refused.err"

# commands, with and without libraries
expect_record command 0 --interval 1 --preload no -- "$HEAP" "$T" $N
check_eq 'command: bytes' "$(heap_bytes | sed "/^swapped/i spawn $((90 * N))" | sort)" "$(amounts command alloc)"
cc -O2 -g -fomit-frame-pointer -pthread -static -o "$T/static" "$TOP/tests/programs/heap.c"
expect_record static 0 --interval 1 -- "$T/static" "$T" $N
check_eq 'static: bytes' "$(heap_bytes | sed "/^swapped/i spawn $((90 * N))" | sort)" "$(amounts static alloc)"
HEAP=$T/static
record_work "$HEAP" static_attached --interval 1
exact static_attached
HEAP=$T/heap

# other libraries that define malloc()
for library in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
	file=$(/sbin/ldconfig -p | sed -n "s/^[ \t]*$library .*=> //p" | head -n 1)
	if [ -z "$file" ]; then
		skip "$library" "no $library"
		continue
	fi
	export LD_PRELOAD="$file"
	record_work "$HEAP" "$library" --interval 1
	unset LD_PRELOAD
	exact "$library"
done
