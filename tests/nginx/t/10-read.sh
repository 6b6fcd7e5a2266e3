# SPDX-License-Identifier: GPL-2.0-or-later
# 10-read: what is read from the memory of a worker of nginx, while it serves requests that last.
set -u
. "$TOP/tests/nginx/lib.sh"

mkdir -p "$T/nginx/html"
: >"$T/nginx/modules.conf"
head -c 3000000 /dev/zero >"$T/nginx/html/big"
start_nginx "$here/read.conf" || exit 1
"$built/read" "$master" >"$T/master"
check 'the master serves nothing' grep -q 'serves no requests itself$' "$T/master"
"$built/read" "${workers% }" >"$T/idle"
check 'without a request: by version' grep -q 'layout by its version' "$T/idle"
check_eq 'without a request: none' '' "$(grep '^request' "$T/idle")"

curl -s -o "$T/body" -H 'Host: front.test' "http://127.0.0.1:$PORT/slow/big?x=1" &
curl -s -o "$T/body2" -H 'Host: front.test' "http://127.0.0.1:$PORT/api/big" &
three_requests() {
	"$built/read" "${workers% }" >"$T/busy"
	[ "$(grep -c '^request.* status=200' "$T/busy")" = 3 ]
}
until_true 30 three_requests
check 'with requests: verified by them' grep -q 'layout verified by requests, 512 connections' "$T/busy"
field() {
	grep "^request.* server=$1 location=$2 " "$T/busy" | sed -E "s/.* $3=([^ ]*).*/\1/"
}
for expected in 'front.test /slow/ uri /slow/big' 'front.test /slow/ args x=1' 'front.test /slow/ method GET' \
	'front.test /slow/ host front.test' 'front.test /slow/ phase content' 'front.test /slow/ handler ngx_http_static_module' \
	'front.test /slow/ client 127.0.0.1' 'front.test /slow/ sub 0' 'front.test /api/ uri /api/big' \
	'front.test /api/ handler ngx_http_proxy_module' 'front.test /api/ upstream back' \
	"front.test /api/ peer 127.0.0.1:$BACK" 'back.test /slow/ uri /slow/big' 'back.test /slow/ host back'; do
	# shellcheck disable=SC2086
	set -- $expected
	check_eq "a request of $1$2: $3" "$4" "$(field "$1" "$2" "$3")"
done
check_eq 'each as it was at one moment' '' "$(grep '^request' "$T/busy" | grep -v ' consistent=1 ')"
check_eq 'phases and their handlers' 'post_read server_rewrite find_config rewrite post_rewrite preaccess access post_access precontent content ' \
	"$(awk '$1 == "handler" { print $2 }' "$T/busy" | uniq | tr '\n' ' ')"
kill %1 %2 2>/dev/null
stop_nginx
