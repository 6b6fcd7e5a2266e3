#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# mmap: memory that programs map, by stack, and what of it is still mapped at the end, which the target knows.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/alloc.sh"
. "$TOP/tests/mmap.sh"

recorder() {
	"$BIN-mmap" --engine bpf "$@"
}

N=300
MAPS=$T/maps
cc -O2 -g -fomit-frame-pointer -o "$MAPS" "$TOP/tests/programs/maps.c"

# exact NAME: checks a recording
exact() {
	check "$1: nothing is lost" grep -q ' kept, 0 lost' "$T/$1.err"
	check_eq "$1: bytes" "$(mapped_bytes)" "$(ranges "$1" mmap)"
	check_eq "$1: still mapped" "$(held_ranges)" "$(ranges "$1" held)"
	check_eq "$1: all stacks are whole" 100.0 "$(account whole "$1")"
}

# by NAME KEY VALUE: prints the weight of these rows
by() {
	"${BIN%/*}/bt-report" --by "$2" "$T/$1.rec" 2>/dev/null | awk -F, -v value="$3" '$1 == value { print $2 }'
}

mkdir -p "$T/data"
keeper=$MAPS
record_held attached
exact attached
check_eq 'attached: the mapping of a file' $((N * 4096)) "$(by attached mapping "$T/mapped")"
check_eq 'attached: the heap' $((2 * N * 4096)) "$(by attached mapping '[heap]')"
check_eq 'attached: access' $((N * 4096)) "$(by attached access r--)"
check_eq 'attached: mremap' $((2 * N * 4096)) "$(by attached syscall mremap)"

# children have what they map themselves, not what they inherit
record_held family --children
exact family

# a command, whose mappings are known from the start: what it says itself is what the recording has
expect_record command 0 -- "$MAPS" "$T" $N
exact command
expect_record itself 0 -- cat /proc/self/maps
# of the libraries of the command, the recording has all mappings
"${BIN%/*}/bt-report" --event held --by mapping "$T/itself.rec" 2>/dev/null | sed '1d' | cut -d, -f1,2 | grep '^/' | sort >"$T/held"
maps_sizes() {
	awk '$6 ~ /^\// && $1 ~ /-/ { print $6, $1 }' "$T/itself.out" | while read -r path range; do
		echo "$path $((0x${range#*-} - 0x${range%-*}))"
	done | awk '{ sum[$1] += $2 } END { for (i in sum) print i "," sum[i] }' | sort
}
maps_sizes >"$T/sizes"
check 'itself: has mappings' test -s "$T/held"
check_eq 'itself: sizes of files' "$(sort "$T/held")" "$(grep -Ff "$T/held" "$T/sizes")"
