#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# alloc, leaks: samples that a library takes inside of the program, and tells by marks.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/alloc.sh"

recorder() {
	"$BIN-$tool" --engine bpf "$@"
}

# with_spawn: adds what the child allocates to heap_bytes
with_spawn() {
	heap_bytes | sed "/^swapped/i spawn $((90 * N))" | sort
}

# by_library NAME: checks that the recording was made by the library
by_library() {
	check "$1: by the library" grep -q 'libflametap-heap.so' "$T/$1.rec"
}

N=300
HEAP=$T/heap
cc -O2 -g -fomit-frame-pointer -pthread -o "$HEAP" "$TOP/tests/programs/heap.c"

tool=alloc
expect_record command 0 --interval 1 -- "$HEAP" "$T" $N
check 'command: nothing is lost' grep -q ' kept, 0 lost' "$T/command.err"
# calls that fail are not told
check_eq 'command: bytes' "$(with_spawn | sed 's/^failing .*/failing 60/')" "$(amounts command alloc)"
by_library command

# what realloc() could not enlarge is forgotten
tool=leaks
expect_record held 0 --interval 1 -- "$HEAP" "$T" $N
check_eq 'held: bytes' "$(held_bytes | sed '/^failing/d')" "$(amounts held leaks)"
check_eq 'held: blocks' "$(held_blocks | sed '/^failing/d')" "$(amounts held blocks)"
by_library held

# the same library in a program with another C library, whose functions call one another
if command -v musl-gcc >/dev/null; then
	musl-gcc -O2 -g -fomit-frame-pointer -o "$T/musl" "$TOP/tests/programs/heap.c"
	expect_record musl 0 --interval 1 -- "$T/musl" "$T" $N
	check_eq 'musl: bytes' "$(held_bytes | sed '/^failing/d')" "$(amounts musl leaks)"
	by_library musl
else
	skip musl 'no musl-gcc'
fi

# operators of a library that replaces malloc() are probed, as they do not call it
file=$(/sbin/ldconfig -p | sed -n "s/^[ \t]*libtcmalloc_minimal.so.4 .*=> //p" | head -n 1)
if [ -n "$file" ]; then
	c++ -O2 -o "$T/operators" "$TOP/tests/programs/operators.cc"
	tool=alloc
	LD_PRELOAD=$file expect_record operators 0 --interval 1 -- "$T/operators" $N
	check_eq 'operators: bytes' $((100 * N)) "$(weight "$T/operators.folded" ';main;make;[^;]*$')"
	tool=leaks
	LD_PRELOAD=$file expect_record deleted 0 --interval 1 -- "$T/operators" $N
	check_eq 'deleted: bytes' $((50 * N)) "$(weight "$T/deleted.folded" ';main;make;[^;]*$')"
else
	skip operators 'no libtcmalloc_minimal.so.4'
fi

# a process that runs with the library already
export LD_PRELOAD="$TOP/$O/libflametap-heap.so" FLAMETAP_INTERVAL=1
tool=alloc
record_work "$HEAP" attached --interval 1
check_eq 'attached: bytes' "$(heap_bytes | sed 's/^failing .*/failing 60/')" "$(amounts attached alloc)"
by_library attached
tool=leaks
record_held attached_leaks --interval 1
check_eq 'attached_leaks: bytes' "$(held_bytes | sed '/^failing/d')" "$(amounts attached_leaks leaks)"
unset LD_PRELOAD FLAMETAP_INTERVAL

# samples stand for all: five standard errors, see 81-alloc.sh
tool=alloc N=5000
expect_record sampled 0 --interval 5000 -- "$HEAP" "$T" $N
for function in plain zeroed aligned moved; do
	sampled_truth=$(heap_bytes | sed -n "s/^$function //p") sampled_sum=$(amounts sampled alloc | sed -n "s/^$function //p")
	check "sampled: $function: $sampled_sum of $sampled_truth" awk -v sum="$sampled_sum" -v truth="$sampled_truth" \
		'BEGIN { d = sum - truth; exit !(d * d <= 25 * 5300 * truth) }'
done
for function in plain nothing; do
	sampled_sum=$(amounts sampled calls | sed -n "s/^$function //p")
	check "sampled: $function: ${sampled_sum:-0} of $N calls" awk -v sum="$sampled_sum" -v truth="$N" \
		'BEGIN { d = sum - truth; exit !(d * d <= 25 * 5000 / 16 * truth) }'
done
check 'sampled: says how exact it is' grep -q ' calls were taken as samples: the sum of bytes has a standard error of ' "$T/sampled.err"

# distribution's programs: the same as valgrind counts
if command -v valgrind >/dev/null; then
	tool=alloc
	as_valgrind() {
		judged=$1
		shift
		expect_record "$judged" 0 --interval 1 -- "$@"
		valgrind "$@" 2>&1 >/dev/null | sed -n 's/.*total heap usage: \([0-9,]*\) allocs, .*, \([0-9,]*\) bytes allocated/\1 \2/p' | tr -d , >"$T/valgrind"
		check_eq "$judged: calls and bytes as valgrind counts them" "$(cat "$T/valgrind")" \
			"$("${BIN%/*}/bt-collapse" --event calls "$T/$judged.rec" 2>/dev/null | awk '{ sum += $NF } END { print sum }') $(weight "$T/$judged.folded")"
	}
	as_valgrind sqlite3 sqlite3 :memory: 'create table t(a); with recursive c(x) as (select 1 union all select x + 1 from c where x < 2000) insert into t select x * x from c; select sum(a) from t;'
	cc -E -o "$T/storm.i" "$TOP/tests/programs/storm.c"
	as_valgrind cc1 "$(cc -print-prog-name=cc1)" -fpreprocessed -quiet -O1 -o /dev/null "$T/storm.i"
else
	skip valgrind 'no valgrind'
fi
