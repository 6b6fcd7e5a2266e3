# SPDX-License-Identifier: GPL-2.0-or-later
# 50-http2: requests that share a connection, which is encrypted: each sample belongs to one of them; handshakes to none.
set -u
. "$TOP/tests/nginx/lib.sh"

use_release "$nginx_with_lua" || { skip all "$no_root"; exit 0; }

# requests: 40 at a time in one connection, again and again
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
record_least=500
record_for a 4 -p "$master" -u --by location -o "$T/a.folded"
: >"$T/stop"
wait "$clients" 2>/dev/null
check_eq 'exit' 0 "$status"
[ "$status" = 0 ] || note "$T/a.err"
values location "$T/a.rec" >"$T/locations"
values request "$T/a.rec" >"$T/requests"
note "$T/locations"
note "$T/requests"
note "$T/curl" | head -n 3
check 'samples of both locations' sh -c "grep -q '^/gz/ ' '$T/locations' && grep -q '^/plain/ ' '$T/locations'"
check 'handshakes belong to no request' grep -q '^reading ' "$T/requests"
# only one location compresses
grep -E ';(deflate|deflate[A-Za-z_]*|libz\.so[^;]*|crc32[^;]*)(;| )' "$T/a.folded" | awk '{ n = $NF; split($0, frame, ";"); sum[frame[1]] += n }
	END { for (root in sum) print root, sum[root] }' >"$T/deflate"
note "$T/deflate"
# where the first samples could not be unwound in the kernel they have no labels
check 'what compresses is of its location: 99 %' awk '$1 == "/gz/" { right += $NF } { sum += $NF }
	END { exit !(right >= 20 && (sum - right) * 100 <= sum) }' "$T/deflate"
check 'none of it is of the other location' sh -c "! grep -q '^/plain/ ' '$T/deflate'"
check 'no handshake in a location' sh -c "! grep -E '^/(gz|plain)/;.*(SSL_do_handshake|ngx_ssl_handshake)(;| )' '$T/a.folded'"
stop_nginx
leave_release
