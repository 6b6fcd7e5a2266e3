#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# rss: growth of resident memory by stack, which the target knows, and the kernel, which counts the pages.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/rss.sh"

recorder() {
	"$BIN-rss" --engine bpf "$@"
}

if ! tells_each_page; then
	skip rss 'this kernel does not tell of each page'
	exit 0
fi
N=300
GROW=$T/grow
cc -O2 -g -fomit-frame-pointer -o "$GROW" "$TOP/tests/programs/grow.c"

# kind_of NAME FUNCTION: prints the kinds of memory of a function in a recording
kind_of() {
	for kind in anon file shmem; do
		"${BIN%/*}/bt-collapse" --label "memory=$kind" "$T/$1.rec" 2>/dev/null | grep -q ";main;$2[; ]" && echo $kind
	done
}

record_work "$GROW" attached
check 'attached: nothing is lost' grep -q ' kept, 0 lost' "$T/attached.err"
check_eq 'attached: bytes' "$(all_grown)" "$(grown attached)"
check_eq 'attached: touch: kind' anon "$(kind_of attached touch)"
check_eq 'attached: share: kind' shmem "$(kind_of attached share)"
check 'attached: a fault in user mode has no frames of the kernel' grep -qE '^_start;.*;main;touch [0-9]+$' "$T/attached.folded"
check 'attached: the kernel has touched it' grep -qE ';main;fill;.*pread.*;entry_SYSCALL_64_after_hwframe_\[k\];.*_\[k\] ' "$T/attached.folded"
check_eq 'attached: all stacks are whole' 100.0 "$(account whole attached)"

record_work "$GROW" family --children
check_eq 'family: bytes, without what the child has inherited' "$(all_grown born)" "$(grown family)"
"${BIN%/*}/bt-collapse" --label memory=anon "$T/family.rec" >"$T/family.anon" 2>/dev/null || :
check_eq 'family: the child has no other anonymous memory' $((4 * N * 4096)) "$(weight "$T/family.anon" ';main;')"

# a command, whose memory is new
mkdir -p "$T/data"
expect_record command 0 -- "$GROW" "$T/data" $N
check_eq 'command: bytes' "$(all_grown born)" "$(grown command)"

# anonymous memory at the beginning, plus growth, minus what was given back, is what is left
: >"$T/target.out"
setpriv --pdeathsig TERM "$GROW" stay "$T/data" $N >"$T/target.out" 2>&1 &
target=$!
until_true grep -q spinning "$T/target.out"
begin_record anon -p "$target" --kind anon
held=$(held_by Anonymous)
kill -USR1 "$target"
until_true grep -q done "$T/target.out"
left=$(held_by Anonymous)
stop_record
kill "$target"
wait "$target" 2>/dev/null || :
note "$T/anon.err"
shrunk=$(sed -n "s/.*made it smaller, by \([0-9]*\) bytes.*/\1/p" "$T/anon.err")
check_eq 'anon: the sum is what the kernel counts' "$((left - held))" "$(($(weight "$T/anon.folded") - ${shrunk:-0}))"
check_eq 'anon: no other kind' anon "$("${BIN%/*}/bt-report" --by memory "$T/anon.rec" 2>/dev/null | sed '1d; s/,.*//')"
