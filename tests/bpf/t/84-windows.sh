#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Continuous recording: windows without gaps, bounded in a folder.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

rows() { zstd -dcq "$T"/spool/*.rec.zst | awk '/^row/ { n += $6 } END { print n + 0 }'; }
lost() { zstd -dcq "$T"/spool/*.rec.zst | awk '/^lost spool/ { n += $3 } END { print n + 0 }'; }
calls() {
	"$BIN" --engine bpf --at syscall.getpriority --every 1s --spool "$T/spool" "$@" -- perl -e \
		'for (1 .. 2000) { getpriority(0, 0); select(undef, undef, undef, 0.001) }'
}

check 'a command in windows of a second' calls --set service=cart
check_eq 'each of its calls is in one window' 2000 "$(rows)"
check 'there are several windows' test "$(find "$T/spool" -name '*.rec.zst' | wc -l)" -ge 3
check_eq 'their begins differ' '' "$(find "$T/spool" -name '*.rec.zst' | sed 's/.*\///; s/-.*//' | sort | uniq -d)"
check_eq 'all have the label' 2000 "$("$TOP/bin/bt-collapse" --label service=cart "$T"/spool/*.rec.zst 2>/dev/null | awk '{ n += $NF } END { print n }')"

# each new window finds the one before too old
rm -r "$T/spool"
check 'windows that are too old are dropped' calls --spool-age 10ms
check_eq 'their samples are in the account' 2000 $(($(rows) + $(lost)))
check 'some were dropped' test "$(lost)" -gt 0

chmod 777 "$T/spool"
"$BIN" --engine bpf -a --every 1s -t 1 --spool "$T/spool" 2>"$T/err" && status=0 || status=$?
check_eq 'a folder of all users is refused' "2 sample-bt: the spool '$T/spool' is not a folder of this user alone: chown it, and chmod go-w" \
	"$status $(cat "$T/err")"
