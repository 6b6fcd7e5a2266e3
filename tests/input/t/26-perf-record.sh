# SPDX-License-Identifier: GPL-2.0-or-later
# tier: all
# What the perf of this machine, of trixie and of sid record here: perf script gives the functions of a program the same sums and callers, whichever samples were taken; copied
# stacks reach the program's first function; what a JIT compiler wrote to its dump has the names and sums that perf inject gives it.
# shellcheck disable=SC2154 # bin is from tests/input/lib.sh
set -eu

. "$TOP/tests/input/lib.sh"
. "$TOP/tests/roots.sh"

# perf ARG…: runs the perf of $release
perf() {
	if [ "$release" = host ]; then
		command perf "$@"
	else
		perf_of_root "$@"
	fi
}

cat >program.c <<'C'
#include <stdlib.h>
static volatile unsigned long sink;
#define FUNCTION __attribute__((noinline)) unsigned long
FUNCTION leaf(unsigned long n) { for (int i = 0; i < 3000; i++) n = n * 6364136223846793005UL + i; return sink = n; }
FUNCTION odd(int depth, unsigned long n) { return depth ? odd(depth - 1, leaf(n)) + 1 : leaf(n); }
FUNCTION even(int depth, unsigned long n) { return depth ? odd(depth - 1, leaf(n)) + 2 : leaf(n); }
int compare(const void *a, const void *b) { return leaf(*(const int *)a) < leaf(*(const int *)b); }
FUNCTION sort(void) { int list[64]; for (int i = 0; i < 64; i++) list[i] = i * 7 % 64; qsort(list, 64, 4, compare); return list[0]; }
int main(void) { for (int i = 0; i < 400; i++) { even(i % 20, i); odd(i % 5, i); sort(); } return 0; }
C
${CC:-cc} -O1 -fno-optimize-sibling-calls -fno-omit-frame-pointer -w -o with_fp program.c
${CC:-cc} -O1 -fno-optimize-sibling-calls -fomit-frame-pointer -w -o without_fp program.c

# theirs FILE: the sums of each leaf and its caller, of the program's functions
theirs() {
	perf script -i "$1" -F period,ip,sym,dso --no-inline 2>/dev/null | awk '
		function add() { if (n && names[1] ~ /^(leaf|odd|even|compare|sort|main)$/) sums[names[1] " " (n > 1 ? names[2] : "none")] += period; n = 0 }
		NF == 1 { add(); period = $1; next }
		NF { names[++n] = $2 }
		END { add(); for (name in sums) print name, sums[name] }' | LC_ALL=C sort
}

ours() {
	"$bin/bt-export" --folded --debuginfod=never "$1" 2>said | awk '
		{ sum = $NF; sub(/ [0-9]+$/, ""); n = split($0, names, ";") }
		names[n] ~ /^(leaf|odd|even|compare|sort|main)$/ { sums[names[n] " " (names[n - 1] ~ /^\[/ ? "none" : names[n - 1])] += sum }
		END { for (name in sums) print name, sums[name] }' | LC_ALL=C sort
}

# recorded NAME PROGRAM OPTION...: records PROGRAM to NAME.data, and compares
recorded() {
	name="$release: $1" data=$1.data program=$2
	shift 2
	rm -rf "$data"
	# perf 6.1 aborts while another program asks for build-ids
	perf record -q -e cpu-clock:u -F 499 "$@" -o "$data" -- "./$program" 2>perf.err || {
		skip "$name" 'perf record failed'
		return
	}
	sums=$(theirs "$data")
	check "$name: perf script has sums" test -n "$sums"
	check_eq "$name: each function and its caller" "$sums" "$(ours "$data")"
}

# the functions of the compiler's dump, as after perf inject
compiled_theirs() {
	perf report --no-children --stdio -g none -F period,sym -i "$1" 2>/dev/null |
		sed -n 's/^ *\([0-9]\{1,\}\)  \[\.\] \(JS:.*\)/\2 \1/p' | sed 's/  *\([0-9]*\)$/ \1/' | sums_of
}

compiled_ours() {
	"$bin/bt-export" --folded --debuginfod=never "$1" 2>said | sed -n 's/.*;\(JS:.*\)_\[j\] \([0-9]*\)$/\1 \2/p' | sums_of
}

# sums_of: adds up lines of the same name
sums_of() {
	awk '{ sum = $NF; sub(/ [0-9]+$/, ""); sums[$0] += sum } END { for (name in sums) print name, sums[name] }' | LC_ALL=C sort
}

# stacks: records stacks in all ways, to a file, a folder and a pipe
stacks() {
	recorded frame-pointers with_fp -g
	rm -f said
	recorded copies without_fp --call-graph dwarf
	[ ! -e said ] || check "$release: copies: all stacks are whole" grep -q 'stacks 100.0 % whole' said
	recorded compressed without_fp --call-graph dwarf -z
	recorded folder with_fp -g --threads
	recorded compressed-folder with_fp -g --threads -z
	perf record -q -e cpu-clock:u -F 499 -g -o - -- ./with_fp 2>/dev/null | tee pipe.data | "$bin/bt-export" --folded >piped.folded 2>/dev/null
	sums=$(theirs pipe.data)
	if [ "$sums" ]; then
		check_eq "$release: a pipe: each function and its caller" "$sums" "$(ours pipe.data)"
	else
		skip "$release: a pipe: each function and its caller" 'perf record failed'
	fi
	check_eq "$release: a pipe: as its file" "$("$bin/bt-export" --folded pipe.data 2>/dev/null)" "$(cat piped.folded)"
}

# compiled: records the functions of a JIT compiler that writes a dump
compiled() {
	if ! command -v node >/dev/null; then
		skip "$release: the dump of a compiler" 'node is missing'
	elif ! perf record -q --buildid-mmap -k mono -e cpu-clock:u -F 499 -g -o jit.data -- node --perf-prof app.js 2>perf.err ||
		! perf inject --jit -i jit.data -o jitted.data 2>perf.err; then
		skip "$release: the dump of a compiler" 'perf failed'
	else
		sums=$(compiled_theirs jitted.data)
		check "$release: the dump of a compiler: perf report has its functions" test -n "$sums"
		check_eq "$release: the dump of a compiler: each function" "$sums" "$(compiled_ours jit.data)"
	fi
}

# fields: records the fields of a tracepoint, whose formats are behind the samples of the file
fields() {
	if ! perf record -q --buildid-mmap -a -g -e sched:sched_switch -o switches.data -- sleep 1 2>perf.err; then
		skip "$release: fields of a tracepoint" 'perf failed'
	else
		for field in prev_pid next_pid next_prio; do
			counts=$(perf script -i switches.data -F trace 2>/dev/null | sed -n "s/.* $field=\([0-9]*\).*/\1/p" | LC_ALL=C sort | uniq -c | awk '{ print $2, $1 }')
			check "$release: the field $field: perf script has values" test -n "$counts"
			check_eq "$release: the field $field" "$counts" "$("$bin/bt-collapse" --debuginfod=never --by "$field" switches.data 2>said |
				awk '{ sub(/;.*/, "", $1); counts[$1] += $NF } END { for (value in counts) print value, counts[value] }' | LC_ALL=C sort)"
		done
	fi
}

# periods_theirs FILE, periods_ours FILE: the sum of the periods of each event
periods_theirs() {
	perf script -i "$1" -F period,event 2>/dev/null | sed -n 's/^ *\([0-9]*\)  *\([a-z-]*\):.*/\2 \1/p' | sums_of
}

periods_ours() {
	for event in cpu-clock page-faults; do
		echo "$event $("$bin/bt-collapse" --debuginfod=never --event "$event" "$1" 2>said | awk '{ sum += $NF } END { print sum + 0 }')"
	done | LC_ALL=C sort
}

# groups: records events that are read together when the first one has a sample
groups() {
	if ! perf record -q -e '{cpu-clock,page-faults}:S' -F 499 -g -o group.data -- ./with_fp 2>perf.err; then
		skip "$release: a group of events" 'perf failed'
	else
		check_eq "$release: a group of events: the sums of each" "$(periods_theirs group.data)" "$(periods_ours group.data)"
	fi
}

cat >app.js <<'JS'
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function sorted(n) { const a = []; for (let i = 0; i < n; i++) a.push((i * 7919) % n); return a.sort((x, y) => x - y)[0]; }
let sum = 0;
for (let i = 0; i < 150; i++) sum += fib(22) + sorted(500);
JS

for release in host trixie sid; do
	if [ "$release" != host ] && ! perf_root "$release"; then
		skip "perf of $release" "$no_root"
	elif ! perf record -q -e cpu-clock:u -o try.data true 2>perf.err; then
		skip "perf of $release" "it cannot record here: $(tail -n 1 perf.err)"
	else
		stacks
		groups
		compiled
		fields
	fi
done
