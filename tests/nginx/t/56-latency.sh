# SPDX-License-Identifier: GPL-2.0-or-later
# 56-latency: compares ngx-latency with nginx's own log, request by request, and with the time that the clients waited, while workers start,
# end and are killed.
set -u
. "$TOP/tests/nginx/lib.sh"

# start_latency: starts the nginx of $jail with latency.conf and two workers
start_latency() {
	make_html
	echo '<!--# include virtual="/static/in" --> <!--# include virtual="/back/5/in" -->' >"$work/html/page.txt"
	openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/key" -out "$work/cert" -days 2 -subj /CN=front.test 2>/dev/null
	chmod 644 "$work/key"
	WORKERS=2
	start_nginx "$here/latency.conf" || return 1
	until_true sh -c "[ \$(pgrep -P $master | wc -l) = 2 ]"
	workers=$(pgrep -P "$master" | tr '\n' ' ')
	with_lua=no
	! has_lua || with_lua=yes
}

# measure NAME OPTION…: measures in the background, until it is ended; writes $T/NAME.json and $T/NAME.err. Returns when its
# probes are set.
measure() {
	name=$1
	shift
	env --default-signal=INT "$bin/ngx-latency" --json "$@" >"$T/$name.json" 2>"$T/$name.err" &
	measuring="${measuring-} $!"
	until_true has_probes $! || not_ok "$name" 'it does not begin'
}

# has_probes PID: checks that the program has set its probes and sleeps; before that it waits for a child that reads nginx's file
has_probes() {
	ls -l "/proc/$1/fd" 2>/dev/null | grep -q perf_event &&
		{ grep -qs hrtimer_nanosleep "/proc/$1/wchan" || grep -qsE '^(35|230) ' "/proc/$1/syscall"; }
}

# end_measuring: ends the measurements; sets $statuses
end_measuring() {
	statuses=''
	for pid in $measuring; do
		kill -INT "$pid"
		wait "$pid" && status=0 || status=$?
		statuses="$statuses$status "
	done
	measuring=''
}

requests() {
	python3 "$here/requests.py" "$PORT" "$BACK" "$work/h2" "$with_lua" >"$T/clients" 2>"$T/errors" || not_ok 'the clients' "$(tail -n 1 "$T/errors")"
}

# logged NUMBER: checks that NUMBER requests are in the log
logged() {
	[ "$(wc -l <"$work/access")" -ge "$1" ]
}

# of_nginx NAME: tests the nginx of $jail
of_nginx() {
	start_latency || return 0
	measure all -p "$master" --slowest 256 --by location --phases --timeline "$T/all.svg"
	measure static -p "$master" --by status --where 'uri=/static/*' --slowest 5
	measure slow -p "$master" --by worker --min 100ms --slowest 256
	measure hosts -p "$master" --by host --where 'status=4*' --where 'status=5*,none'
	measure one -p "${workers%% *}" --by uri
	requests
	until_true grep -q '^/static/unfinished' "$work/access"
	at_rest
	end_measuring
	check_eq "$1: exits" '0 0 0 0 0 ' "$statuses"
	cat "$T"/*.err >"$T/said"
	check_eq "$1: no more is said" "ngx-latency: wrote '$T/all.svg'" "$(grep -v ' requests in [0-9.]* s: ' "$T/said")"
	check_eq "$1: rows of the timeline" "$(python3 -c 'import json, sys
print(*sorted("%.3f ms, status %d" % (q["time_ms"], q["status"]) for q in json.load(open(sys.argv[1]))["slowest"]), sep="\n")' "$T/all.json")" \
		"$(python3 -c 'import sys, xml.etree.ElementTree as tree
svg = "{http://www.w3.org/2000/svg}"
rows = [g for g in tree.parse(sys.argv[1]).getroot().iter(svg + "g") if g.get("class") == "row"]
print(*sorted(", ".join(row.find(svg + "title").text.split(", ")[:2]) for row in rows), sep="\n")' "$T/all.svg")"
	cp "$work/access" "$T/log"
	judged python3 "$here/judge_latency.py" "$1" "$T" "${workers%% *}"
	stop_nginx
}

of_releases

use_release "$nginx_with_lua" || { skip all "$no_root"; exit 0; }
start_latency || exit 1
"$bin/ngx-latency" -p "$master" -t 200ms >"$T/out" 2>"$T/said"
check_eq 'no requests: exit' 1 $?
check 'no requests: said' grep -qx 'ngx-latency: no request ended in this time' "$T/said"
"$bin/ngx-latency" -p $$ >"$T/out" 2>"$T/said"
check_eq 'no nginx: exit' 2 $?
check 'no nginx: said' grep -q "^ngx-latency: no worker of nginx in process $$ " "$T/said"

# ---- two servers that run one file; more texts than there is room for
sed -e 's,/pid;,/pid2;,' -e "s,:$PORT;,:$(free_port);," -e 's,/h2 ,/h3 ,' "$work/nginx.conf" >"$work/nginx2.conf"
chroot "$jail" nginx -p "${work#"$jail"}" -c "${work#"$jail"}/nginx2.conf" >"$T/start" 2>&1 || not_ok 'a second nginx' "$(head -n 1 "$T/start")"
until_true test -s "$work/pid2"
master2=$(cat "$work/pid2")
until_true pgrep -P "$master2" >/dev/null
measure other -p "$master2"
measure all -p "$master" --by uri
measure many -p "$master" --where 'uri=/static/1*'
i=0
while [ $i -lt 5000 ]; do
	echo "url = http://127.0.0.1:$PORT/static/$i"
	echo "output = $T/body"
	i=$((i + 1))
done >"$T/urls"
curl -s -K "$T/urls"
end_measuring
check_eq 'another nginx of that file: none of its requests, too many texts: exits' '1 1 1 ' "$statuses"
check 'another nginx of that file: said' grep -qx 'ngx-latency: no request ended in this time' "$T/other.err"
check_eq 'too many texts: all are counted' '5000 5000 4096 904' "$(python3 -c 'import json, sys
read = json.load(open(sys.argv[1]))
by = {row["uri"]: row["count"] for row in read["by"]}
print(read["total"][0]["count"], sum(by.values()), len(by) - 1, by["[other]"])' "$T/all.json")"
check 'too many texts: said' grep -q '^ngx-latency: 904 requests are in the row \[other\]: there are more than 4096 different texts' "$T/all.err"
check_eq 'too many texts: those known to match' 1111 "$(python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["total"][0]["count"])' "$T/many.json")"
check 'too many texts: those not known are said' grep -q '^ngx-latency: 904 more requests were not counted: it is not known whether they match' "$T/many.err"
check_eq 'too many texts: the slowest of those that match' '10 True True' "$(python3 -c 'import json, sys
read = json.load(open(sys.argv[1]))
times = [row["time_ms"] for row in read["slowest"]]
print(len(times), times[0] == read["total"][0]["max_ms"], all(row["uri"].startswith("/static/1") for row in read["slowest"]))' "$T/many.json")"
kill -TERM "$master2"

# ---- workers that start and end
: >"$work/access"
measure all -p "$master" --by worker --slowest 256
requests
kill -HUP "$master"
renewed() {
	new=$(pgrep -P "$master" | grep -vxF "$(echo "$workers" | tr ' ' '\n')" | tr '\n' ' ')
	[ "$(echo "$new" | wc -w)" = 2 ]
}
until_true renewed
requests
first=${new%% *}
kill -KILL "$first"
until_true sh -c "[ \"\$(pgrep -P $master | grep -vxF $first | wc -l)\" -ge 2 ]"
requests
until_true sh -c "[ \$(grep -c '^/static/unfinished' '$work/access') = 3 ]"
at_rest
end_measuring
check_eq 'reload, kill: exit' '0 ' "$statuses"
cp "$work/access" "$T/log"
check_eq 'reload, kill: requests of each worker, as in the log' "$(cut -d '|' -f 4 "$T/log" | sort | uniq -c | awk '{ print $2, $1 }')" \
	"$(python3 -c 'import json, sys
for row in json.load(open(sys.argv[1]))["by"]: print(row["worker"], row["count"])' "$T/all.json" | sort)"
check 'reload, kill: of workers before and after' sh -c "[ $(cut -d '|' -f 4 "$T/log" | sort -u | wc -l) -ge 3 ]"

# ---- a share of the time, with a reload meanwhile: the worker whose file has the probes ends

# measure_share SECONDS: measures for SECONDS after the reload; fails if no request of the new workers was measured, because turns are late
# on a busy machine
measure_share() {
	measure share -p "$master" --share 20 --by worker
	workers=$(pgrep -P "$master" | tr '\n' ' ')
	kill -HUP "$master"
	until_true renewed
	sleep "$1"
	end_measuring
	of_new_workers="\"worker\": *\"(${new%% *}|$(echo "$new" | cut -d ' ' -f 2))\""
	grep -qE "$of_new_workers" "$T/share.json"
}

until_true sh -c "[ \$(pgrep -P $master | wc -l) = 2 ]"
: >"$work/access"
wrk -c 4 -t 1 -d 600 "http://127.0.0.1:$PORT/gz/" >"$T/wrk" 2>&1 &
loading=$!
until_true test -s "$work/access"
for seconds in 1 2 4 8 16; do
	! measure_share $seconds || break
done
end_load
note "$T/share.err"
check_eq 'share: exit' '0 ' "$statuses"
check 'share: of workers after the reload' grep -qE "$of_new_workers" "$T/share.json"
# shellcheck disable=SC2046 # words
set -- $(sed -n 's/^ngx-latency: \([0-9]*\) requests in \([0-9.]*\) s measured (of .*/\1 \2/p' "$T/share.err") 0 0
measured_requests=$1 measured_seconds=$2
check "share: $measured_requests requests, of those in the log" \
	test "$measured_requests" -gt 0 -a "$measured_requests" -le "$(wc -l <"$work/access")"
rate=$(python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["total"][0]["per_second"])' "$T/share.json")
# the seconds have one decimal
check "share: $rate requests per second, of $measured_seconds s" \
	awk -v n="$measured_requests" -v seconds="$measured_seconds" -v rate="$rate" \
	'BEGIN { exit !(n >= rate * (seconds - 0.06) && n <= rate * (seconds + 0.06)) }'
: >"$work/access"

# ---- a request that began before the measurement, and the end of nginx
: >"$work/access"
mkfifo "$T/in"
python3 -c 'import socket, sys, time
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
s.sendall(b"POST /back/0/before HTTP/1.1\r\nHost: front.test\r\nConnection: close\r\nContent-Length: 2\r\n\r\n")
print("sent", flush=True)
sys.stdin.readline()
s.sendall(b"ok")
while s.recv(100): pass' "$PORT" <"$T/in" >"$T/sent" &
client=$!
exec 9>"$T/in"
until_true grep -qs sent "$T/sent"
until_true sh -c "'$bin/ngx-reqs' -p $master --csv 2>/dev/null | grep -q /back/0/before"
measure all -p "$master"
echo >&9
exec 9>&-
wait "$client"
until_true logged 1
stop_nginx
# the program ends by itself
for pid in $measuring; do
	until_true sh -c "! kill -0 $pid 2>/dev/null" || not_ok 'nginx has ended' 'the program has not'
	wait "$pid" && status=0 || status=$?
done
check_eq 'began before: exit' 0 "$status"
check 'began before: said' grep -q '^ngx-latency: 1 of them began before the recording' "$T/all.err"
check_eq 'began before: time as in the log' "$(cut -d '|' -f 2 "$work/access" | tail -n 1)" \
	"$(python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))["slowest"][0]
assert r["state"] == "began before" and r["uri"] == "/back/0/before", r
print("%.3f" % (r["time_ms"] / 1000))' "$T/all.json")"
leave_release
