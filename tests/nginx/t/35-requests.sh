# SPDX-License-Identifier: GPL-2.0-or-later
# 35-requests: --requests counts exactly the requests that end during the recording, and tables show the time of each.
set -u
. "$TOP/tests/nginx/lib.sh"

tool=ngx-sample-bt
recorder() {
	"$bin/$tool" --requests "$@"
}

# finish: ends the recording
finish() {
	at_rest
	stop_record
	check_eq 'exit' 0 "$status"
}

# ask TIMES PLACE: sends TIMES requests
ask() {
	for nr in $(seq "$1"); do
		curl -s --compressed -o /dev/null "http://127.0.0.1:$PORT$2"
	done
}

# counted KEY NAME: prints "VALUE REQUESTS", sorted by value; values without requests are left out
counted() {
	"$bin/bt-report" --by "$1" "$T/$2.rec" 2>/dev/null | sed 1d | awk -F, '$4 { print $1, $4 }' | sort
}

# each KEY VALUE NAME: prints the us of each of these requests
each() {
	"$bin/bt-report" --by "$1" "$T/$3.rec" 2>/dev/null | awk -F, -v value="$2" '$1 == value { printf "%d\n", $5 }'
}

use_release "$nginx_with_lua" || { skip 'requests' "$no_root"; exit 0; }
make_html
WORKERS=2
start_nginx "$here/truth.conf" || exit 1
ask 3 /gz/1
begin_record a -p "$master" -t 3600 --with worker
ask 40 /gz/2
ask 5 /auth/1
ask 7 /small.txt
ask 2 /nowhere
curl -s -o /dev/null "http://127.0.0.1:$PORT/gz/3" -o /dev/null "http://127.0.0.1:$PORT/gz/4" # over one connection
finish
check_eq 'by location, without subrequests' '/auth/ 5 /gz/ 42 [no location] 9' "$(counted location a | xargs)"
check_eq 'by status' '200 54 404 2' "$(counted status a | xargs)"
check_eq 'by URI, that after rewrites' '/nowhere 2 /small.txt 12 /text.txt 42' "$(counted uri a | xargs)"
check_eq 'of both workers' 56 "$(counted worker a | awk '{ sum += $2 } END { print sum }')"
check "each request of /gz/: $(each location /gz/ a) us" test "$(each location /gz/ a)" -gt 100
check_eq 'a header of the table' 'value,weight,weight_pct,requests,us_each' "$("$bin/bt-report" --by location "$T/a.rec" 2>/dev/null | head -n 1)"
check_eq 'JSON' '"counted": "requests",' "$("$bin/bt-report" --by location --json "$T/a.rec" 2>/dev/null | grep -o '"counted": "requests",')"
check 'text' grep -qE '^100.00 % +[0-9]+ +56 .* sum of ' <<END
$("$bin/bt-report" --by location --text "$T/a.rec" 2>/dev/null)
END
check_eq 'two recordings' '/auth/ 10 /gz/ 84 [no location] 18' "$(cp "$T/a.rec" "$T/b.rec"
	"$bin/bt-report" --by location "$T/a.rec" "$T/b.rec" 2>/dev/null | sed 1d | awk -F, '$4 { print $1, $4 }' | sort | xargs)"
check_eq 'of one location only' '/small.txt 5' "$("$bin/bt-report" --by uri --label location=/auth/ "$T/a.rec" 2>/dev/null | sed 1d | awk -F, '$4 { print $1, $4 }')"
check_eq 'they are no samples' "$(awk '$1 == "row" && $2 == 0 { sum += $7 } END { print sum }' "$T/a.rec")" \
	"$("$bin/bt-collapse" "$T/a.rec" 2>/dev/null | awk '{ sum += $NF } END { print sum }')"
check_eq 'without --by the same weights' "$("$bin/bt-report" --by location "$T/a.rec" 2>/dev/null | sed 1d | awk -F, '{ sum += $2 } END { print sum }')" \
	"$("$bin/bt-collapse" "$T/a.rec" 2>/dev/null | awk '{ sum += $NF } END { print sum }')"

tool=ngx-sample-bt-off-cpu
begin_record off -p "$master" -t 3600
ask 10 /block/1
finish
check_eq 'off-CPU' '/block/ 10' "$(counted location off)"
check "each waits for 30 ms: $(each location /block/ off) us" test "$(each location /block/ off)" -ge 30000
stop_nginx
leave_release
