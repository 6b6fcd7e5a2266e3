# SPDX-License-Identifier: GPL-2.0-or-later
# 30-off-cpu: waits of a worker, by the request for which it works: one location blocks the worker for 30 ms each time; otherwise the worker
# waits for events. By upstream: filters of the response run other programs.
set -u
. "$TOP/tests/nginx/lib.sh"

recorder() {
	"$bin/ngx-sample-bt-off-cpu" "$@"
}

# weight VALUE FILE: prints the ms of VALUE
weight() {
	awk -v value="$1" '{ weight = $NF; sub(/ [0-9]+$/, ""); if ($0 == value) sum += weight } END { printf "%d\n", sum / 1000 }' "$2"
}

use_release "$nginx_with_lua" || { skip 'blocked by Lua' "$no_root"; exit 0; }
make_html
start_nginx "$here/truth.conf" || exit 1
begin_record a -p "$master" -t 3600 --with worker
for nr in 1 2 3 4 5 6 7 8 9 10; do
	curl -s -o /dev/null "http://127.0.0.1:$PORT/block/$nr"
	curl -s -o /dev/null "http://127.0.0.1:$PORT/small.txt"
done
stop_record
check_eq 'exit' 0 "$status"
values location "$T/a.rec" >"$T/locations"
values request "$T/a.rec" >"$T/requests"
blocked=$(weight /block/ "$T/locations")
note "$T/locations"
note "$T/requests"
check "ten requests that block for 30 ms each: $blocked ms" test "$blocked" -ge 300
check_eq 'each with its URI' 10 "$(values uri "$T/a.rec" | grep -c '^/block/')"
check 'the wait for events is idle' test "$(weight idle "$T/requests")" -gt 0
check 'what began earlier says so' test "$(weight earlier "$T/requests")" -gt 0
check_eq 'states remain' S "$(values state "$T/a.rec" | cut -d' ' -f1 | grep -x S)"
"$bin/bt-collapse" --label 'location=/block/*' "$T/a.rec" >"$T/block.folded" 2>/dev/null
check 'blocked where it sleeps' grep -qE 'usleep|nanosleep' "$T/block.folded"
stop_nginx

start_nginx "$here/children.conf" || exit 1
both_block() {
	record b -p "$master" -t 1 -uk
	values upstream "$T/b.rec" >"$T/upstreams"
	[ "$(weight cart "$T/upstreams")" -ge 20 ] && [ "$(weight search "$T/upstreams")" -ge 5 ]
}

load /cart/ /search/ /plain/
check 'upstreams: both block' until_true both_block
end_load
check_eq 'programs that are run: exit' 0 "$status"
check_eq 'programs that are run: not a word about them' '' "$(grep -a ': process [0-9]' "$T/b.err")"
note "$T/upstreams"
"$bin/bt-collapse" --by upstream "$T/b.rec" >"$T/b.by" 2>/dev/null
# or in a probe, while another recording changes its probes
check_eq 'upstreams: where the one of them blocks' '' "$(grep -a '^cart;' "$T/b.by" | grep -v -e popen -e uprobe_notify_resume | head -n 3)"
check_eq 'upstreams: and the other' '' "$(grep -a '^search;' "$T/b.by" | grep -v -e do_system -e uprobe_notify_resume | head -n 3)"
stop_nginx
leave_release
