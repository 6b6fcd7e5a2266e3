# SPDX-License-Identifier: GPL-2.0-or-later
# 10-read: the data that are read from the memory of a worker of nginx while it processes long requests: for the nginx of Debian's releases,
# and for this system's nginx if it has one.
set -u
. "$TOP/tests/nginx/lib.sh"

# read_by_version: reads a worker; fails until the worker has started
read_by_version() {
	"$built/read" "${workers% }" >"$T/idle"
	grep -q 'layout of its version, not verified yet by a request' "$T/idle"
}

three_requests() {
	"$built/read" "${workers% }" >"$T/busy"
	[ "$(grep -c '^request.* status=200' "$T/busy")" = 3 ]
}

# field SERVER LOCATION KEY: prints a field of the request there
field() {
	grep "^request.* server=$1 location=$2 " "$T/busy" | sed -E "s/.* $3=([^ ]*).*/\1/"
}

# of_nginx NAME: tests the nginx of $jail
of_nginx() {
	make_html
	head -c 3000000 /dev/zero >"$work/html/big"
	start_nginx "$here/read.conf" || return 0
	"$built/read" "$master" >"$T/master"
	check "$1: the master serves nothing" grep -q 'serves no requests itself$' "$T/master"
	check "$1: without a request: by version" until_true read_by_version
	check_eq "$1: without a request: none" '' "$(grep '^request' "$T/idle")"

	curl -s -o "$T/body" -H 'Host: front.test' "http://127.0.0.1:$PORT/slow/big?x=1" &
	front=$!
	curl -s -o "$T/body2" -H 'Host: front.test' "http://127.0.0.1:$PORT/api/big" &
	back=$!
	until_true three_requests
	note "$T/busy" | grep found
	check "$1: with requests: verified by them" grep -q 'layout verified by requests, 512 connections' "$T/busy"
	for expected in 'front.test /slow/ uri /slow/big' 'front.test /slow/ args x=1' 'front.test /slow/ method GET' \
		'front.test /slow/ host front.test' 'front.test /slow/ phase content' 'front.test /slow/ handler ngx_http_static_module' \
		'front.test /slow/ client 127.0.0.1' 'front.test /slow/ sub 0' 'front.test /api/ uri /api/big' \
		'front.test /api/ handler ngx_http_proxy_module' 'front.test /api/ upstream back' \
		"front.test /api/ peer 127.0.0.1:$BACK" 'back.test /slow/ uri /slow/big' 'back.test /slow/ host back'; do
		read -r server location key value <<-END
			$expected
		END
		check_eq "$1: a request of $server$location: $key" "$value" "$(field "$server" "$location" "$key")"
	done
	check_eq "$1: connections are numbered from 1 on" 1 "$(field front.test /slow/ conn | grep -cE '^[1-9]$')"
	check_eq "$1: each as it was at one moment" 3 "$(grep '^request' "$T/busy" | grep -c ' consistent=1 ')"
	check_eq "$1: phases and their handlers" 'post_read server_rewrite find_config rewrite post_rewrite preaccess access post_access precontent content ' \
		"$(awk '$1 == "handler" { print $2 }' "$T/busy" | uniq | tr '\n' ' ')"
	kill "$front" "$back" 2>/dev/null
	stop_nginx
}

! command -v nginx >"$T/found" || of_nginx here
of_suites "$nginxes"
