# SPDX-License-Identifier: GPL-2.0-or-later
# tier: all
# 50-http2: requests that share an encrypted connection: each sample belongs to one of them, and handshakes belong to none.
set -u
. "$TOP/tests/nginx/lib.sh"

use_release "$nginx_with_lua" || { skip all "$no_root"; exit 0; }

# requests: sends 40 requests at a time over one connection, again and again
requests() {
	while [ ! -e "$T/stop" ]; do
		for nr in 1 2 3 4 5 6 7 8 9 10; do
			for place in gz plain; do
				echo "url = https://127.0.0.1:$PORT/$place/$nr"
				echo 'output = /dev/null'
			done
		done >"$T/urls"
		curl -s -k --http2 --parallel --compressed -K "$T/urls" || echo "curl: $?" >&2
	done
}

make_html
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/key" -out "$work/cert" -days 2 -subj /CN=secure.test 2>/dev/null
start_nginx "$here/http2.conf" || exit 1
requests 2>"$T/curl" &
clients=$!
# judge_locations: only one location compresses, and handshakes belong to no location
judge_locations() {
	record a -t 1 -p "$master" -u --by location -o "$T/a.folded"
	awk '{ n = $NF; split($0, frame, ";"); root = frame[1] }
		/;(deflate|deflate[A-Za-z_]*|libz\.so[^;]*|crc32[^;]*)(;| )/ { sum["gzip", root == "/gz/"] += n }
		/;(SSL_do_handshake|ngx_ssl_handshake)(;| )/ { sum["handshake", root !~ "^/(gz|plain)/"] += n }
		END { print "gzip", sum["gzip", 1] + 0, sum["gzip", 0] + 0; print "handshake", sum["handshake", 1] + 0, sum["handshake", 0] + 0 }' "$T/a.folded"
	values location "$T/a.rec" >>"$T/locations"
	values request "$T/a.rec" >>"$T/requests"
}

labels_agree 'labels agree with stacks' 'gzip handshake' judge_locations
: >"$T/stop"
wait "$clients" 2>/dev/null
check_eq 'exit' 0 "$status"
[ "$status" = 0 ] || note "$T/a.err"
note "$T/curl" | head -n 3
check 'samples of both locations' sh -c "grep -q '^/gz/ ' '$T/locations' && grep -q '^/plain/ ' '$T/locations'"
check 'handshakes belong to no request' grep -q '^reading ' "$T/requests"
stop_nginx
leave_release
