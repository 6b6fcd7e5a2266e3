#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# faults: page faults by stack, whose numbers the target knows.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/faults.sh"

recorder() {
	"$BIN-faults" --engine bpf "$@"
}

N=300
PAGES=$T/pages
cc -O2 -g -fomit-frame-pointer -o "$PAGES" "$TOP/tests/programs/pages.c"

begin_faults attached
check 'attached: nothing is lost' grep -q ' kept, 0 lost' "$T/attached.err"
same_faults attached
check 'attached: faults in the kernel' grep -qE ';fill;.*pread.*;entry_SYSCALL_64_after_hwframe_\[k\];.*_\[k\] ' "$T/attached.folded"
begin_faults minor --kind minor -u
same_minor=$(awk '{ sum += $2 } END { print sum }' "$T/target.out")
check_eq 'minor: all of them' "$same_minor" "$(weight "$T/minor.folded" ';main;measure;(grow|fill|load|share)(;.*)?$')"
check_eq 'minor: no others' minor "$("${BIN%/*}/bt-report" --by fault "$T/minor.rec" 2>/dev/null | sed '1d; s/,.*//')"

# a command, from its first instruction on
mkdir -p "$T/data"
expect_record command 0 -u -- "$PAGES" "$T/data" $N
check_eq 'command: new pages' $N "$(weight "$T/command.folded" '^(pages;)?_start;.*;main;measure;grow$')"

# a program that starts while the recorder stands still, so that all of its stacks have to be copied: equal stacks are copied once
N=3000
sh -c 'while [ ! -e "$1/go" ]; do sleep 0.1; done; exec "$2" "$1" "$3"' - "$T/data" "$PAGES" $N >"$T/target.out" &
target=$!
begin_record stopped -u -p "$target"
recorder=$(pgrep -P "$recording" -f sample-bt | head -n 1)
kill -STOP "$recorder"
: >"$T/data/go"
until_true grep -q share "$T/target.out"
kill -CONT "$recorder"
end_record
note "$T/stopped.err"
same_faults stopped
check_eq 'stopped: all stacks are whole' 100.0 "$(account whole stopped)"
