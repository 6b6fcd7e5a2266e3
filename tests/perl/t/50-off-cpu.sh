#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 50-off-cpu: where Perl waits: as often as the program did, and no longer than it reports.
set -u
. "$TOP/tests/perl/lib.sh"

recorder() {
	"$BIN-off-cpu" --engine bpf --perl "$@"
}

mkfifo "$T/go"
perl "$here/naps.pl" <"$T/go" >"$T/naps" &
target=$!
exec 3>"$T/go"
until_true grep -q ready "$T/naps"
begin_record waits --state S -p $target
echo >"$T/go"
end_record
check_eq 'exit' 0 "$status"
wait $target 2>/dev/null
exec 3>&-
grep -v ready "$T/naps" >"$T/slept"
while read -r asked slept stack; do
	waited=$(weight "$T/waits.folded" "^$stack ")
	check_eq "$stack: waits" 12 "$(awk -v us="$waited" '$1 == "row" && $7 == us { print $6; exit }' "$T/waits.rec")"
	check "$stack: at most as long as the program's own clock says" [ "$waited" -le "$slept" ]
	check "$stack: at least half as long as it asked" [ $((2 * waited)) -ge "$asked" ]
done <"$T/slept"
note "$T/waits.folded"
