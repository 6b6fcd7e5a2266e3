#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Windows are sent once and deleted after the answer, whatever the server does.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/fleet/serve.sh"

bin=$TOP/bin
unset FLAMETAP_USER FLAMETAP_PASSWORD
export HOME="$T"

# windows NR: makes a spool of so many windows
windows() {
	rm -rf "$T/spool" && mkdir -m 700 "$T/spool"
	for i in $(seq "$1"); do
		sed "s/^meta started .*/meta started 2026-11-28T14:0$i:00Z/" "$TOP/tests/fleet/window.rec" |
			zstd -q >"$T/spool/20261128T140${i}00Z-on-cpu-21.rec.zst"
	done
}

send() { "$bin/bt-fleet" send "$1" "$T/spool" >"$T/out" 2>"$T/err" </dev/null; }
left() { find "$T/spool" -name '*.zst' | wc -l; }

# ---- a collector

serve
windows 2
check 'a collector: both windows' send "otlp+http://127.0.0.1:$port"
check_eq 'none is left' 0 "$(left)"
check_eq 'the requests' 'ok /v1development/profiles
ok /v1development/profiles' "$(cat "$T/server/log")"
check_eq 'the stacks are the window'"'"'s' "$("$bin/bt-collapse" "$TOP/tests/fleet/window.rec" --by comm 2>/dev/null)" \
	"$("$bin/bt-collapse" "$T/server/1" --by comm 2>/dev/null)"
kill $!

for fault in 401 403 404 429; do
	serve "$fault"
	windows 2
	send "otlp+http://127.0.0.1:$port" && status=0 || status=$?
	check_eq "$fault: fails" 2 "$status"
	check_eq "$fault: all are left" 2 "$(left)"
	check_eq "$fault: said once" 1 "$(grep -c . "$T/err")"
	check "$fault: sent again" send "otlp+http://127.0.0.1:$port"
	check_eq "$fault: none is left" 0 "$(left)"
	kill $!
done
for fault in error 503 cut; do
	serve "$fault"
	windows 2
	send "otlp+http://127.0.0.1:$port" && status=0 || status=$?
	check_eq "$fault: fails, which is said once, and the other one is sent" '2 1 1' "$status $(grep -c . "$T/err") $(left)"
	[ "$fault" != 503 ] || check_eq 'a collector says why' "bt-fleet: http://127.0.0.1:$port/v1development/profiles: HTTP 503: busy, windows left: 1" "$(cat "$T/err")"
	check "$fault: sent again" send "otlp+http://127.0.0.1:$port"
	check_eq "$fault: none is left" 0 "$(left)"
	kill $!
done
send "otlp+http://127.0.0.1:$port" && status=0 || status=$?
check_eq 'nothing to send needs no server' 0 "$status"
windows 1
send "otlp+http://127.0.0.1:$port" && status=0 || status=$?
check_eq 'no server' '2 1' "$status $(left)"
send "otlp+https://127.0.0.1:$port" && status=0 || status=$?
check_eq 'HTTPS without a server' 2 "$status"
check 'what to do is said' grep -q '; for a server without TLS, write clickhouse+http or otlp+http$' "$T/err"

# ---- it gives up the capabilities of the recorder that runs it

serve
server=$!
windows 0
mkfifo "$T/stdin"
"$bin/bt-fleet" send --follow "otlp+http://127.0.0.1:$port" "$T/spool" <"$T/stdin" &
sender=$!
exec 8>"$T/stdin"
check 'it has no capabilities' until_true grep -q '^CapPrm:[[:space:]]*0*$' "/proc/$sender/status"
exec 8>&-
check 'it ends with its stdin' wait "$sender"
kill "$server"

# ---- ClickHouse: what may have been stored is asked for first

serve ok ok ok cut
windows 1
send "clickhouse://127.0.0.1:$port/x" && status=0 || status=$?
check_eq 'the samples may be stored: fails' '2 1' "$status $(left)"
echo 3 >"$T/server/count"
: >"$T/server/log"
check 'they are' send "clickhouse://127.0.0.1:$port/x"
check_eq 'so they are not sent again' 'SELECT version()
SELECT count() FROM samples
ok / INSERT INTO frames
ok / INSERT INTO stacks
ok / INSERT INTO series
ok / INSERT INTO windows' "$(cat "$T/server/log")"
check_eq 'none is left' 0 "$(left)"
windows 1
echo 0 >"$T/server/count"
: >"$T/server/log"
check 'they are not' send "clickhouse://127.0.0.1:$port/x"
check_eq 'so they are sent' 1 "$(grep -c 'INSERT INTO samples' "$T/server/log")"
kill $!

# ---- the spool

serve
windows 2
truncate -s 100 "$T/spool/20261128T140100Z-on-cpu-21.rec.zst"
check 'a damaged window does not hold up others' send "otlp+http://127.0.0.1:$port"
check_eq 'it is kept' '20261128T140100Z-on-cpu-21.rec.zst.damaged' "$(ls "$T/spool")"
windows 2
flock "$T/spool/20261128T140100Z-on-cpu-21.rec.zst" sh -c 'echo >"$1/locked"; sleep 600' sh "$T" &
locker=$!
until_true test -e "$T/locked"
check 'what another program sends' send "otlp+http://127.0.0.1:$port"
check_eq 'is left to it' '20261128T140100Z-on-cpu-21.rec.zst' "$(ls "$T/spool")"
kill "$locker"
kill %+ 2>/dev/null || :

for url in clickhouse://u:secret@h/d http://h/d clickhouse:///d 'clickhouse://h/d?from=x' 'clickhouse://h/d?service'; do
	"$bin/bt-fleet" ls "$url" 2>"$T/err" && status=0 || status=$?
	check_eq "refused: $url" '64 1' "$status $(grep -c . "$T/err")"
done
