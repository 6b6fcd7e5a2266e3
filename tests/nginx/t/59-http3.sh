# SPDX-License-Identifier: GPL-2.0-or-later
# tier: all
# 59-http3: requests of HTTP/3, from a browser, with the nginx of Debian's releases that have it: ngx-reqs lists them, ngx-latency times
# them, and samples have their labels, or the label for a connection's packets.
set -u
. "$TOP/tests/nginx/lib.sh"

# browse: opens the page, which requests three things that never come and, over and over, a compressed one
browse() {
	key=$(openssl x509 -in "$T/cert" -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64)
	setpriv --pdeathsig TERM "$chromium" --headless=new --no-sandbox --disable-gpu --user-data-dir="$T/profile" --enable-quic --no-first-run \
		--disable-background-networking --origin-to-force-quic-on="127.0.0.1:$PORT" --ignore-certificate-errors-spki-list="$key" \
		--remote-debugging-port=0 "https://127.0.0.1:$PORT/page.html" >"$T/browser" 2>&1 &
	browser=$!
}

end_browsing() {
	kill "$browser" 2>/dev/null
	wait "$browser" 2>/dev/null
	rm -rf "$T/profile"
}

# held: prints "HANDLER WAITS_FOR URI" of each request that is never answered
held() {
	"$bin/ngx-reqs" -p "$master" --csv >"$T/reqs" 2>"$T/said"
	awk -F, '$17 ~ "^/held/" { print $8, $14, $17 }' "$T/reqs" | sort >"$T/held"
	[ "$(wc -l <"$T/held")" = 3 ] && [ -s "$work/access" ]
}

# judge_packets: only one location compresses, and sent packets belong to a connection
judge_packets() {
	record a -t 1 -p "$master" -u
	for key in location request; do
		"$bin/bt-collapse" --by $key "$T/a.rec" 2>/dev/null | awk -v key=$key '
			key == "location" && /gzip_filter|libz/ { sum["gzip", /^\/gz\/;/] += $NF }
			key == "request" && /posted;.*;ngx_quic_output/ { sum["packets", /^quic;/] += $NF }
			END { for (kind in sum) { split(kind, word, SUBSEP); print word[1], word[2] ? sum[kind] : 0, word[2] ? 0 : sum[kind] } }'
	done
}

timed() {
	"$bin/ngx-latency" -p "$master" -t 1 --by location --csv 2>"$T/said" | awk -F, '$10 == "/gz/" && $1 >= 5 { found = 1 } END { exit !found }'
}

# of_nginx NAME: tests the nginx of $jail
of_nginx() {
	grep -q ngx_quic_output "$jail/usr/sbin/nginx" || { skip "$1" 'this nginx has no HTTP/3'; return 0; }
	mkdir -p "$work/html"
	head -c 300000 /dev/urandom | base64 >"$work/html/text.txt"
	echo '<script>for (const n of [1, 2, 3]) fetch("/held/" + n)
async function ask() { for (let n = 0;; n++) await (await fetch("/gz/" + n)).text() }
ask()</script>' >"$work/html/page.html"
	cp "$T/key" "$T/cert" "$work"
	chmod -R a+rX "$work"
	start_nginx "$here/http3.conf" || return 0
	python3 -c 'import socket, sys
s = socket.create_server(("127.0.0.1", int(sys.argv[1])))
sys.stdin.read()' "$BACK" <"$T/in" &
	exec 9>"$T/in"
	browse
	until_true held || note "$T/browser"
	check_eq "$1: what is listed" "$(for n in 1 2 3; do echo "ngx_http_proxy_module upstream read /held/$n"; done)" "$(cat "$T/held")"
	check_eq "$1: nothing is said" '' "$(cat "$T/said")"
	labels_agree "$1: labels agree with stacks" 'gzip packets' judge_packets
	check "$1: they are timed" until_true timed
	end_browsing
	exec 9>&-
	check_eq "$1: protocol" HTTP/3.0 "$(cut -d' ' -f1 "$work/access" | sort -u)"
	stop_nginx
}

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	skip http3 'no chromium here'
	exit 0
}
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$T/key" -out "$T/cert" -days 2 -subj /CN=127.0.0.1 \
	-addext subjectAltName=IP:127.0.0.1 2>/dev/null
mkfifo "$T/in"
of_suites "$nginxes"
