#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A window at which the server always fails does not hold up others; in an outage, at which it fails at all, all are kept.
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
left() { find "$T/spool" -name '*.zst*' | wc -l; }
send() { "$bin/bt-fleet" send "$1" "$T/spool" >"$T/out" 2>"$T/err" && status=0 || status=$?; }
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
# requests WORD: how often the server answered so
requests() { grep -c "^$1" "$T/server/log"; }

# ---- once

for fault in error cut; do
	serve
	printf bad >"$T/server/poison"
	printf %s "$fault" >"$T/server/fault"
	for second in 00 01 02 03 04 05 06; do window "1401$second" bad; done
	window 140200
	window 140300
	send "otlp+http://127.0.0.1:$port"
	check_eq "$fault: those behind seven that fail are sent" '2 7 2 7' "$status $(left) $(requests ok) $(requests "$fault")"
	check_eq "$fault: it is said in one line" '1 1' "$(grep -c . "$T/err") $(grep -c ', windows left: 7$' "$T/err")"
	rm "$T/server/log"
	window 140200
	send "clickhouse://127.0.0.1:$port/x"
	check_eq "$fault, ClickHouse: the same" '2 7' "$status $(left)"
	kill $!
	rm -r "$T/spool"
done

# ---- a sender that follows: seven that always fail, more than it tries in a pass

serve
server=$!
printf bad >"$T/server/poison"
printf error >"$T/server/fault"
for second in 00 01 02 03 04 05 06; do window "1401$second" bad; done
window 140200
follow
is_sent() { [ "$(requests ok)" -ge "$1" ]; }
until_true is_sent 1
window 140300
until_true is_sent 2
are_tried() { [ "$(requests error)" -ge "$1" ]; }
until_true are_tried 14
check_eq 'they are kept, and tried again' 7 "$(left)"

# ---- then an outage, which hits all

: >"$T/server/poison"
: >"$T/server/log"
window 140400
window 140500
until_true are_tried 9
check_eq 'an outage: all are kept' '9 0' "$(left) $(requests ok)"
rm "$T/server/poison"
until_true is_sent 9
end_follow
check_eq 'afterwards all are sent' '0 0 9' "$status $(left) $(requests ok)"
check_eq 'it is said once that windows fail, and that they are sent again' \
	"bt-fleet: http://127.0.0.1:$port/v1development/profiles: HTTP 500: Code: 1, it failed
bt-fleet: windows are sent again" "$(sed 's/, windows left.*//' "$T/said")"
kill "$server"
