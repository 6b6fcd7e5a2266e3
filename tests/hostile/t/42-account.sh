#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# account: processes that live for some microseconds, thousands a second. Each tick of the clock is kept or counted as lost, also those
# that do not come, and the end of a process is its time, too.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/hostile/lib.sh"

expect_record children 0 -uk -- "$CASES/exits" 300
check "a process's end" grep -q 'do_exit_\[k\];.*exit_mmap_\[k\]' "$T/children.folded"

"$CASES/exits" 100000 >/dev/null &
target=$!
at_end 'kill $target 2>/dev/null'
recorder() {
	"$BIN" --engine bpf --min-quality 0 "$@"
}
expect_record all 0 -a --idle -uk -F 10000 -t 2
near 'all ticks' $(($(account kept all) + $(account lost all))) $(($(getconf _NPROCESSORS_ONLN) * 20000)) 0.3%
kill "$target"

# The clock of an idle processor may stand still: what it would have shown is no loss of the next program's. The target runs for so short
# that there may be no sample.
sh -c 'while :; do sleep 0.1; done' &
target=$!
record sleeper -p "$target" -k -t 1
note "$T/sleeper.err"
check 'sleeper: exit code' test "$status" -le 1
check 'sleeper: an idle processor loses nothing' test "$(account lost sleeper)" -le $(($(getconf _NPROCESSORS_ONLN) * 500))
