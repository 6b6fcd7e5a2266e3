# SPDX-License-Identifier: GPL-2.0-or-later
# 53-streams: ngx-reqs lists the requests that share a connection of HTTP/2, each once, and ngx-mem has their pools, with the nginx of
# Debian's releases.
set -u
. "$TOP/tests/nginx/lib.sh"

# connect NUMBER: opens NUMBER connections without requests, and after them one with a request for a big file that is sent in two pieces,
# until fd 9 is closed; they precede others in nginx's array
connect() {
	rm -f "$T/connected"
	python3 -c 'import socket, ssl, sys
context = ssl._create_unverified_context()
context.set_alpn_protocols(["h2"])
kept = []
def connect(more=b""):
    s = context.wrap_socket(socket.create_connection(("127.0.0.1", int(sys.argv[1]))))
    s.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]) + more)
    assert s.recv(9)
    kept.append(s)
    return s
for _ in range(int(sys.argv[2])):
    connect()
fields = bytes([0x82, 0x87, 0x04, 4]) + b"/big" + bytes([0x41, 9]) + b"127.0.0.1"
headers = bytes([0, 0, len(fields), 1, 5, 0, 0, 0, 1]) + fields
s, got = connect(bytes([0, 0, 8, 6, 0, 0, 0, 0, 0]) + b"answered" + headers[:5]), b""
while b"answered" not in got:
    got += s.recv(4096)
s.sendall(headers[5:])
print("connected", flush=True)
sys.stdin.read()' "$PORT" "$1" <"$T/in" >"$T/connected" 2>&1 9>&- &
	until_true grep -q connected "$T/connected" || not_ok 'connections without requests' "$(tail -n 1 "$T/connected")"
}

# begin_requests: starts five requests that do not read the response, two that wait for an upstream, and one that waits for its subrequest
begin_requests() {
	for path in big?1 big?2 big?3 big?4 big?5 back/slow1 back/slow2 auth/small; do
		echo "url = https://127.0.0.1:$PORT/$path"
		echo 'output = /dev/null'
	done >"$T/urls"
	curl -s -k --http2 --parallel --limit-rate 20k -K "$T/urls" >"$T/curl" 2>&1 &
	client=$!
}

# listed: prints "PHASE HANDLER UPSTREAM STATE URI" of each request, sorted
listed() {
	"$bin/ngx-reqs" -p "$master" --csv >"$T/reqs" 2>"$T/said" || return 1
	awk -F, 'NR > 1 { print $7, $8, $9, $15, $17 }' "$T/reqs" | sort >"$T/listed"
}

all_listed() {
	listed && [ "$(wc -l <"$T/listed")" = 10 ]
}

# of_nginx NAME: tests the nginx of $jail
of_nginx() {
	mkdir -p "$work/html/auth"
	chmod -R a+rX "$work"
	: >"$work/modules.conf"
	head -c 30000000 /dev/zero >"$work/html/big"
	echo small >"$work/html/auth/small"
	cp "$T/key" "$T/cert" "$work"
	start_nginx "$T/conf" || return 0
	python3 -c 'import socket, sys
s = socket.create_server(("127.0.0.1", int(sys.argv[1])))
sys.stdin.read()' "$BACK" <"$T/in" &
	exec 9>"$T/in"
	until_true sh -c "ss -Hltn 'sport = :$BACK' | grep -q ."
	connect "$idle"
	begin_requests
	until_true all_listed
	check_eq "$1: nothing is said" '' "$(cat "$T/said")"
	check_eq "$1: requests" "$(cat "$T/expected")" "$(cat "$T/listed")"
	check_eq "$1: those are of two connections" $((idle + 2)) "$(ss -Htn state established "sport = :$PORT" | wc -l)"
	check_eq "$1: what those wait for that do not read" 'client write' "$(awk -F, '$17 == "/big" { print $14 }' "$T/reqs" | sort -u)"
	check_eq "$1: and those with an upstream" 'upstream read' "$(awk -F, '$17 ~ /^.back/ { print $14 }' "$T/reqs" | sort -u)"
	check_eq "$1: their pools" 9 "$("$bin/ngx-mem" -p "$master" --json |
		python3 -c 'import json, sys; print(sum(p["count"] for p in json.load(sys.stdin)["pools"] if p["pools"] == "requests"))')"
	kill "$client"
	wait "$client" 2>/dev/null
	exec 9>&-
	until_true sh -c "[ \"\$('$bin/ngx-reqs' -p $master --csv | wc -l)\" = 1 ]"
	listed
	check_eq "$1: none that is gone" '' "$(cat "$T/listed")"
	stop_nginx
}

idle=80
sed -e 's/worker_processes 2/worker_processes 1/' -e 's/worker_connections 64/worker_connections 256/' \
	-e 's,listen 127.0.0.1:@PORT@;,listen 127.0.0.1:@PORT@ ssl http2; ssl_certificate @ROOT@/cert; ssl_certificate_key @ROOT@/key;,' \
	"$here/reqs.conf" >"$T/conf"
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$T/key" -out "$T/cert" -days 2 -subj /CN=front.test 2>/dev/null
mkfifo "$T/in"
sort >"$T/expected" <<'END'
content ngx_http_static_module   /big
content ngx_http_static_module   /big
content ngx_http_static_module   /big
content ngx_http_static_module   /big
content ngx_http_static_module   /big
content ngx_http_static_module   /big
content ngx_http_proxy_module back  /back/slow1
content ngx_http_proxy_module back  /back/slow2
content ngx_http_proxy_module back subrequest /back/check
access ngx_http_auth_request_module   /auth/small
END
of_releases
