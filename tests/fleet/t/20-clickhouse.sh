#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tier: all
# Two real servers as two shards: what is stored is what was recorded, and is stored once.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/fleet/clickhouse.sh"

bin=$TOP/bin
export HOME="$T" TZ=UTC
ports=181
has_clickhouse || exit 0

start_server 1
start_server 2
for n in 1 2; do
	check "init, server $n" "$bin/bt-fleet" init --cluster two "clickhouse://127.0.0.1:${ports}1$n/fleet"
done
url=clickhouse://127.0.0.1:${ports}11/fleet
# as if an older version had made the tables
for n in 1 2; do
	for table in frames frames_local; do
		for column in blob late; do query $n "ALTER TABLE $table DROP COLUMN sources.$column"; done
	done
	check "init again, server $n" "$bin/bt-fleet" init --cluster two "clickhouse://127.0.0.1:${ports}1$n/fleet"
done

# two hosts on different shards, by the hashes of their names, with 30 windows each
for host in host-a host-b; do
	mkdir -m 700 "$T/$host"
	for i in $(seq 10 39); do
		sed "s/^meta started .*/meta started 2026-11-28T14:$i:00Z/; s/^meta host .*/meta host $host/" "$TOP/tests/fleet/window.rec" |
			zstd -q >"$T/$host/20261128T14${i}00Z-on-cpu-21.rec.zst"
	done
done
mkdir "$T/kept" && cp "$T"/host-a/* "$T/kept/"

mkfifo "$T/a" "$T/b"
"$bin/bt-fleet" send --follow "$url" "$T/host-a" <"$T/a" 2>"$T/a.err" &
sender_a=$!
"$bin/bt-fleet" send --follow "$url" "$T/host-b" <"$T/b" 2>"$T/b.err" &
sender_b=$!
exec 8>"$T/a" 9>"$T/b"
some_sent() { [ "$(find "$T/host-a" "$T/host-b" -name '*.zst' | wc -l)" -lt 60 ]; }
until_true some_sent
stop_server 2 # in the middle of the work of one of them
"$bin/bt-collapse" "$url" >"$T/out" 2>"$T/err" && status=0 || status=$?
check_eq 'a dead shard is said' '1 1' "$status $(grep -c 'a shard does not answer' "$T/err")"
start_server 2
exec 8>&- 9>&-
wait "$sender_a" && wait "$sender_b" && status=0 || status=$?
check_eq 'all is sent in the end' '0 0' "$status $(find "$T/host-a" "$T/host-b" -name '*.zst' | wc -l)"
check_eq 'each row once' '180 1140' "$(query 1 'SELECT count(), sum(count) FROM samples' | tr '\t' ' ')"
check_eq 'no shard has all' '90 90' "$(for n in 1 2; do query $n 'SELECT count() FROM samples_local'; done | tr '\n' ' ' | sed 's/ $//')"
check_eq 'windows, and what was lost' '60 120' "$(query 1 'SELECT count(), sum(arraySum(lost.count)) FROM windows' | tr '\t' ' ')"

"$bin/bt-collapse" --by comm "$TOP/tests/fleet/window.rec" 2>/dev/null | awk '{ n = $NF * 60; sub(/ [0-9]*$/, ""); print $0, n }' >"$T/want"
check_eq 'the stacks are those of all windows' "$(cat "$T/want")" "$("$bin/bt-collapse" --by comm "$url" 2>/dev/null)"
check_eq 'what was in source files' "$(grep '^source' "$TOP/tests/fleet/window.rec")" "$("$bin/bt-fleet" get "$url" 2>/dev/null | grep '^source')"
check_eq 'of a host, a service, and a part of the time' "$(awk '{ n = $NF / 6; sub(/ [0-9]*$/, ""); print $0, n }' "$T/want")" \
	"$("$bin/bt-collapse" --by comm "$url?service=w*&host=host-a&from=2026-11-28T14:20:00&to=2026-11-28T14:30:00" 2>/dev/null)"
check_eq 'a pattern that none has' 2 "$("$bin/bt-collapse" "$url?service=none" 2>/dev/null | wc -l | sed 's/^0$/2/')"
check_eq 'what there is' 'service,event,host,version,count
web,on-cpu,host-a,,570
web,on-cpu,host-b,,570' "$("$bin/bt-fleet" ls "$url")"

# sent again, as if the answers had been lost: the server is asked, and nothing is doubled
mkdir -m 700 "$T/again" && cp -p "$T/kept/20261128T1410"* "$T/again/"
check 'the same windows again' "$bin/bt-fleet" send "$url" "$T/again"
check_eq 'are not stored again' 1140 "$(query 1 'SELECT sum(count) FROM samples')"

# names that come later
query 1 "INSERT INTO frames (shard, frame, kind, build_id, module, place, address, offset, names.function, names.module, names.file, names.line, version, seen)
	SELECT shard, frame, kind, build_id, module, place, address, offset, ['later'], [''], [''], [0], 200, seen FROM frames WHERE names.function = ['leaf']" >/dev/null
check_eq 'later names are in earlier pictures' 1 "$("$bin/bt-collapse" "$url" 2>/dev/null | grep -c ';later ')"

# users
printf 'machine 127.0.0.1 login reader password secret\n' >"$T/.netrc"
chmod 600 "$T/.netrc"
check_eq 'a user who may only read' 1140 "$("$bin/bt-collapse" "$url" 2>/dev/null | awk '{ n += $NF } END { print n }')"
mkdir -p "$T/again" && cp "$T/kept/20261128T1411"* "$T/again/"
"$bin/bt-fleet" send "$url" "$T/again" 2>"$T/err" && status=0 || status=$?
check_eq 'cannot store' '2 1' "$status $(grep -c 'Code: 164' "$T/err")"
printf 'machine 127.0.0.1 login reader password wrong\n' >"$T/.netrc"
"$bin/bt-fleet" ls "$url" 2>"$T/err" && status=0 || status=$?
check_eq 'a wrong password' 2 "$status"
rm "$T/.netrc"
for n in 1 2; do
	check "expire, server $n" "$bin/bt-fleet" expire --cluster two --days 1 "clickhouse://127.0.0.1:${ports}1$n/fleet"
done
check_eq 'what is young stays' 1140 "$(query 1 'SELECT sum(count) FROM samples')"
query 1 "INSERT INTO samples_local SELECT shard, service, event, ts - 5 * 86400, series, stack, count, value FROM samples_local" >/dev/null
check 'expire' "$bin/bt-fleet" expire --cluster two --days 2 "clickhouse://127.0.0.1:${ports}11/fleet"
check_eq 'what is old is dropped' 1140 "$(query 1 'SELECT sum(count) FROM samples')"
for n in 1 2; do
	stop_server $n
done
