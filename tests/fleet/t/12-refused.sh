#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A window that the server refuses does not hold up others, and is set aside in the end; while the server refuses all, all are kept.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/fleet/serve.sh"

bin=$TOP/bin
unset FLAMETAP_USER FLAMETAP_PASSWORD
export HOME="$T"

# window TIME [COMM]: adds a window that began at this time, whose program is called COMM
window() {
	mkdir -p -m 700 "$T/spool"
	sed "s/^meta started .*/meta started 2026-11-28T$(echo "$1" | sed 's/..$/:&/; s/^../&:/')Z/; s/^\(task .* \)[^ ]*$/\1${2:-good}/" \
		"$TOP/tests/fleet/window.rec" | zstd -q >"$T/new"
	mv "$T/new" "$T/spool/20261128T${1}Z-on-cpu-21.rec.zst"
}
left() { (cd "$T/spool" && echo *); }
send() { "$bin/bt-fleet" send "$@" "otlp+http://127.0.0.1:$port" "$T/spool" >"$T/out" 2>"$T/err" && status=0 || status=$?; }
# follow: lets a sender follow the spool, until end_follow; what it says is in $T/said
follow() {
	rm -f "$T/stdin" && mkfifo "$T/stdin"
	"$bin/bt-fleet" send --follow "otlp+http://127.0.0.1:$port" "$T/spool" <"$T/stdin" 2>"$T/said" &
	sender=$!
	exec 8>"$T/stdin"
}
end_follow() {
	exec 8>&-
	wait "$sender" && status=0 || status=$?
}
refused() { grep -c '^refuse' "$T/server/log"; }

# ---- once

serve
server=$!
printf bad >"$T/server/poison"
window 140100 bad
window 140200
window 140300 bad
window 140400
send
check_eq 'two of four are refused: the others are sent' '2 20261128T140100Z-on-cpu-21.rec.zst 20261128T140300Z-on-cpu-21.rec.zst' \
	"$status $(left)"
check_eq 'it is said in one line' "bt-fleet: http://127.0.0.1:$port/v1development/profiles: HTTP 400: Code: 1, it failed, windows left: 2" \
	"$(cat "$T/err")"
check_eq 'each was tried once' 4 "$(grep -c . "$T/server/log")"

rm "$T/spool"/*
for second in 00 01 02 03 04 05 06 07 08 09 10 11; do window "1401$second" bad; done
window 140200
send
check_eq 'one behind twelve that are refused is sent' '2 12 0' "$status $(left | wc -w) $(left | grep -c T140200Z)"

# ---- a sender that follows

rm "$T/spool"/*
window 140100 bad
window 140300 bad
: >"$T/server/log"
follow
is_refused() { [ "$(refused)" = 2 ]; }
until_true is_refused
nr=10
is_aside() {
	[ "$(refused)" -lt $((2 * (nr - 9))) ] || window "1405$((nr += 1))" # others are taken between the trials
	ls "$T/spool"/*.refused >/dev/null 2>&1 && ! ls "$T/spool"/*.zst >/dev/null 2>&1
}
until_true is_aside
check_eq 'those that are refused are set aside' \
	'20261128T140100Z-on-cpu-21.rec.zst.refused 20261128T140300Z-on-cpu-21.rec.zst.refused' "$(left)"
check 'after five trials each' test "$(refused)" -ge 10
window 140600
end_follow
check_eq 'the others are sent' "0 $((nr - 9))" "$status $(grep -c '^ok' "$T/server/log")"
check_eq 'it is said once' "bt-fleet: http://127.0.0.1:$port/v1development/profiles: HTTP 400: Code: 1, it failed, 5 times while others were taken: '$T/spool/20261128T140100Z-on-cpu-21.rec.zst' is kept as '$T/spool/20261128T140100Z-on-cpu-21.rec.zst.refused'" \
	"$(grep 'is kept as' "$T/said")"
check_eq 'and not sent later' '0' "$(: >"$T/server/log" && send && grep -c . "$T/server/log")"
kill "$server"

# ---- all are refused

rm -r "$T/spool"
serve
server=$!
: >"$T/server/poison"
for second in 00 01 02; do window "1401$second"; done
follow
is_tried() { [ "$(refused)" -gt 15 ]; }
until_true is_tried
check_eq 'a server that refuses all: all are kept, after five trials each, too' 3 "$(left | wc -w)"
check_eq 'it is said once' 1 "$(grep -c . "$T/said")"
rm "$T/server/poison"
window 140200
is_sent() { grep -q '^ok' "$T/server/log"; }
until_true is_sent
end_follow
check_eq 'when it takes them, all are sent' '0 4 *' "$status $(grep -c '^ok' "$T/server/log") $(left)"
check_eq 'that is said' 'bt-fleet: windows are sent again' "$(tail -n 1 "$T/said")"

# ---- a collector that takes a window and says that it dropped it

printf drop >"$T/server/fault"
printf bad >"$T/server/poison"
window 140100 bad
window 140200
send
check_eq 'dropped by a collector: the other one is sent' '2 20261128T140100Z-on-cpu-21.rec.zst' "$status $(left)"
check_eq 'in its words' "bt-fleet: http://127.0.0.1:$port/v1development/profiles: dropped by the collector: no room, windows left: 1" \
	"$(cat "$T/err")"
printf refuse >"$T/server/fault"

# ---- ClickHouse

rm "$T/server/log"
printf bad >"$T/server/poison"
window 140100 bad
window 140200
"$bin/bt-fleet" send "clickhouse://127.0.0.1:$port/x" "$T/spool" 2>"$T/err" && status=0 || status=$?
check_eq 'ClickHouse refuses one: the other is sent' '2 20261128T140100Z-on-cpu-21.rec.zst' "$status $(left)"
check 'it is said' grep -q 'HTTP 400: Code: 1, it failed, windows left: 1$' "$T/err"
kill "$server"
