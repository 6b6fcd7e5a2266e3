#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tier: all
# bt-diff and bt-annotate are given URLs of a real server: they say the same as of the recordings that were sent.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/fleet/clickhouse.sh"

bin=$TOP/bin
export HOME="$T" TZ=UTC
ports=182
has_clickhouse || exit 0

# a program whose functions the samples are in
cat >"$T/web.c" <<-END
	__attribute__((noinline)) int deflate(int n)
	{
		return n * 3;
	}
	__attribute__((noinline)) int inflate(int n)
	{
		return n / 3;
	}
	int main(int argc, char **argv)
	{
		(void)argv;
		return deflate(argc) + inflate(argc);
	}
END
gcc -g -O1 -Wl,--build-id=sha1 -o "$T/web" "$T/web.c"
id=$(readelf -n "$T/web" | sed -n 's/.*Build ID: //p')
address() { nm "$T/web" | sed -n "s/^0*\([0-9a-f]*\) T $1\$/\1/p"; }

# recording FILE HOST VERSION TIME DEFLATE INFLATE: a window with so many samples of each function
recording() {
	cat >"$T/records" <<-END
		flametap-recording 2
		meta engine bpf
		meta seconds 60.000
		meta host $2
		meta cpus 2
		meta target all\x20processes
		meta started $4
		event 0 on-cpu samples 1000000 cpu
		task 0 10 10 99 web
		map 0 10 1 400000 500000 0 $id $T/web 0
		frame 0 user pc 0 $(address deflate)
		frame 1 user pc 0 $(address inflate)
		stack 0 user root - 0
		stack 1 user root - 1
		label 0 service web
		label 1 version $3
		row 0 0 0 0,1 $5 $5
		row 0 0 1 0,1 $6 $6
		lost skipped 1
	END
	{ cat "$T/records" && echo "end $(wc -l <"$T/records")"; } >"$1"
}

# two versions on two hosts, at two times
mkdir -m 700 "$T/spool"
recording "$T/a1.rec" host-a 1.4 2026-11-28T14:00:00Z 1000 100
recording "$T/a2.rec" host-a 1.5 2026-11-28T15:00:00Z 400 100
recording "$T/b1.rec" host-b 1.4 2026-11-28T14:00:00Z 2000 300
recording "$T/b2.rec" host-b 1.4 2026-11-28T15:00:00Z 1900 700
for name in a1 a2 b1 b2; do
	zstd -q <"$T/$name.rec" >"$T/spool/20261128T000000Z-on-cpu-$name-1.rec.zst"
done
start_server 1
url=clickhouse://127.0.0.1:${ports}11/fleet
check 'init' "$bin/bt-fleet" init "$url"
check 'send' "$bin/bt-fleet" send "$url" "$T/spool"
check_eq 'what there is' 'service,event,host,version,count
web,on-cpu,host-a,1.4,1100
web,on-cpu,host-a,1.5,500
web,on-cpu,host-b,1.4,4900' "$("$bin/bt-fleet" ls "$url")"

# same NAME CONDITIONS CONDITIONS FILE… -- FILE…: the difference of the URLs is the difference of the files
same() {
	same_name=$1 before=$url?$2 after=$url?$3
	shift 3
	"$bin/bt-diff" --csv "$@" >"$T/want" 2>/dev/null
	"$bin/bt-diff" --csv "$before" "$after" >"$T/got" 2>"$T/err" || :
	check_eq "$same_name" "$(cat "$T/want")" "$(cat "$T/got")"
	check_eq "$same_name: some functions" 2 "$(grep -c 'flate,' "$T/got")"
}
same 'two versions' 'service=web&version=1.4' 'service=web&version=1.5' "$T/a1.rec" "$T/b1.rec" "$T/b2.rec" -- "$T/a2.rec"
check_eq 'the time and what was lost are of the windows of that version' \
	'bt-diff: after: 500 samples kept, 1 lost (skipped 1); 0.008 of 2 CPUs for 60.0 s; stacks 100.0 % whole; frames 100.0 % named' \
	"$(grep 'after: .* kept' "$T/err")"
same 'two hosts' 'host=host-a' 'host=host-b' "$T/a1.rec" "$T/a2.rec" -- "$T/b1.rec" "$T/b2.rec"
same 'two times' 'from=2026-11-28T14:00:00&to=2026-11-28T15:00:00' 'from=2026-11-28T15:00:00&host=*' \
	"$T/a1.rec" "$T/b1.rec" -- "$T/a2.rec" "$T/b2.rec"
same 'a file and a URL' 'host=host-a&version=1.4' 'host=host-a&version=1.5' "$T/a1.rec" -- "$T/a2.rec"
"$bin/bt-diff" --csv "$T/a1.rec" "$url?host=host-a&version=1.5" >"$T/got" 2>/dev/null
check_eq 'also if one is a file' "$(cat "$T/want")" "$(cat "$T/got")"

"$bin/bt-diff" "$url?service=web&version=1.4&to=2026-11-28T15:00:00" "$url?from=2026-11-28T14:30:00&to=2026-11-29T00:00:00" -o "$T/d.svg" 2>/dev/null
check_eq 'the picture says in words what is compared' \
	'before: web, version 1.4, until 2026-11-28 15:00:00 UTC, 3,400 samples; after: all services, 2026-11-28 14:30:00 to 2026-11-29 00:00:00 UTC, 3,100 samples' \
	"$(sed -n 's/.*id="subtitle"[^>]*>\([^<]*\)<.*/\1/p' "$T/d.svg")"

"$bin/bt-diff" --csv "$T/a1.rec" "clickhouse://127.0.0.1:1/fleet" >"$T/got" 2>"$T/err" && status=0 || status=$?
check_eq 'no server: nothing is compared' '2 1 0' "$status $(grep -c . "$T/err") $(wc -l <"$T/got")"

"$bin/bt-report" --csv "$url?service=none" >"$T/got" 2>"$T/err" && status=0 || status=$?
check_eq 'no such service: what is lost is no one'"'"'s; where to look is said' \
	'1 bt-fleet: no stored sample matches this URL: bt-fleet ls lists what is stored' "$status $(head -n 1 "$T/err")"
check 'no account of other services' grep -q ': 0 samples kept, 0 lost$' "$T/err"
"$bin/bt-report" --csv "$url?host=host-a&from=2026-12-01T00:00:00" 2>"$T/err" >"$T/got" || :
check 'a time without windows' grep -q ': no stored sample matches this URL: ' "$T/err"

# annotate FILE…: the lines and instructions of the functions
annotate() { "$bin/bt-annotate" "$@" 2>/dev/null; }
check_eq 'source lines' "$(annotate "$T/a2.rec")" "$(annotate "$url?version=1.5")"
check_eq 'with their samples' '80.00 % self, 80.00 % with callees, of 500 samples' "$(annotate "$url?version=1.5" | sed -n '/^deflate /{n;p;}')"
check_eq 'instructions' "$(annotate --asm -f 'inflate' "$T/a2.rec")" "$(annotate --asm -f 'inflate' "$url?host=host-a&from=2026-11-28T14:30:00")"
check_eq 'a host and a time' '26.92 % self, 26.92 % with callees, of 2600 samples' \
	"$(annotate -f inflate "$url?host=host-b&from=2026-11-28T14:30:00" | sed -n 2p)"
annotate "$url?version=1.5" -o "$T/a.html"
check 'as a page' grep -q 'deflate' "$T/a.html"

# the source file of an interpreter, of whose contents the recording has the ID; the tables are of an older version at first
printf 'def work():\n    return 7\n' >"$T/work.py"
cat >"$T/records" <<-END
	flametap-recording 2
	meta engine bpf
	meta seconds 60.000
	meta host host-a
	meta cpus 2
	meta target all\x20processes
	meta started 2026-11-29T10:00:00Z
	source $T/work.py $(git hash-object "$T/work.py") -
	event 0 on-cpu samples 1000000 cpu
	task 0 10 10 99 web
	frame 0 python name
	name 0 work 0 - $T/work.py 2
	stack 0 python root - 0
	label 0 service web
	row 0 0 0 0 7 7
END
{ cat "$T/records" && echo 'end 15'; } >"$T/py.rec"
later=$url?from=2026-11-29T00:00:00
for column in blob late; do query 1 "ALTER TABLE frames DROP COLUMN sources.$column"; done
zstd -q <"$T/py.rec" >"$T/spool/20261129T100000Z-on-cpu-8.rec.zst"
"$bin/bt-fleet" send "$url" "$T/spool" 2>"$T/err" && status=0 || status=$?
check_eq 'tables of an older version: nothing is lost, what to do is said' '2 1 1' \
	"$status $(find "$T/spool" -name '*.zst' | wc -l) $(grep -c '; the tables are from an older version: bt-fleet init URL adds what they lack' "$T/err")"
"$bin/bt-fleet" get "$url" >"$T/got" 2>"$T/err" && status=0 || status=$?
check_eq 'nor can they be asked' '2 1' "$status $(grep -c 'bt-fleet init URL adds what they lack$' "$T/err")"
check 'init adds it' "$bin/bt-fleet" init "$url"
check 'init again' "$bin/bt-fleet" init "$url"
check_eq 'what was stored before is there' 6500 "$("$bin/bt-collapse" "$url" 2>/dev/null | awk '{ n += $NF } END { print n }')"
check 'send' "$bin/bt-fleet" send "$url" "$T/spool"
check_eq 'the text of the recording' "$(annotate --file work.py "$T/py.rec")" "$(annotate --file work.py "$later")"
check 'is shown' sh -c '"$1/bt-annotate" --file work.py "$2" | grep -q "return 7"' sh "$bin" "$later"
printf 'def other():\n    return 8\n' >"$T/work.py"
check_eq 'another text is not' "$(annotate --file work.py "$T/py.rec")" "$(annotate --file work.py "$later")"
check_eq 'that is said' "$("$bin/bt-annotate" --file work.py "$T/py.rec" 2>&1 >/dev/null | grep work.py)" \
	"$("$bin/bt-annotate" --file work.py "$later" 2>&1 >/dev/null | grep work.py)"
stop_server 1
