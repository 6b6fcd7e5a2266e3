# SPDX-License-Identifier: GPL-2.0-or-later
# tier: all
# 25-lifecycle: one recording during which nginx, with 10,000 connections, is reloaded, a worker is killed, and the program is upgraded
# (USR2): all workers are recorded, nothing is lost, and no label is wrong.
set -u
. "$TOP/tests/nginx/lib.sh"

use_release "$nginx_with_lua" || { skip all "$no_root"; exit 0; }

# workers_now: prints the workers of the first master and of the master that an upgrade has started
workers_now() {
	for pid in $(echo "$master" | cat - "$work/pid" | sort -u); do
		pgrep -P "$pid" -f 'worker process' || :
	done
}

# serve: waits for 1,000 more responses
serve() {
	serve_least=$(($(wc -l <"$T/clients") + 10))
	until_true served || not_ok 'responses' "they do not come: $(tail -n 1 "$T/clients.err")"
	workers_now >>"$T/workers"
}

served() {
	[ "$(wc -l <"$T/clients")" -ge "$serve_least" ]
}

# await_end WHAT PID…: waits until these processes have ended
await_end() {
	await_what=$1
	shift
	for pid; do
		until_true sh -c "! kill -0 $pid 2>/dev/null" || not_ok "$await_what" "process $pid does not end"
	done
}

make_html
WORKERS=2
start_nginx "$here/truth.conf" || exit 1
python3 "$here/many.py" "$PORT" 10000 16 /gz/ /lua/ /api/ /ssi/ /auth/ /lua/ >"$T/clients" 2>"$T/clients.err" &
loading=$!
until_true grep -qs ready "$T/clients" || not_ok 'clients' "$(tail -n 1 "$T/clients.err")"
begin_record all -p "$master" -u --mixed --lua --by uri --with worker -t 3600
serve

old=$(workers_now)
kill -HUP "$master"
# shellcheck disable=SC2086 # pids
await_end 'reload' $old
serve

kill -KILL "$(workers_now | head -n 1)"
serve

kill -USR2 "$master"
until_true sh -c "[ -s '$work/pid' ] && [ \"\$(cat '$work/pid')\" != $master ]" || not_ok 'upgrade' "$(tail -n 1 "$work/errors")"
serve
kill -QUIT "$master"
await_end 'upgrade' "$master"
serve

# are_connected: checks that clients whose connection was closed have connected again
are_connected() {
	[ "$(ss -Htn state established "sport = :$PORT" | wc -l)" = 10000 ]
}
check '10,000 connections' until_true are_connected
stop_record
end_load
sort -u "$T/workers" >"$T/seen"
note "$T/all.err"

check_eq 'exit' 0 "$status"
check_eq 'nothing is said but what was recorded' '' "$(grep '^ngx-sample-bt: ' "$T/all.err" | grep -vE ' samples kept, | only it labels processes | of the frames have names, ')"
check_eq 'only ticks that the machine has not delivered are lost' "$(account skipped all)" "$(account lost all)"
broken=$(weight "$T/all.folded" '(^|;)\[(broken|cut|truncated)')
check_eq 'stacks are whole' good "$(sequential $(($(account kept all) - broken)) "$broken")"
labels_agree 'labels' 'lua gzip epoll module' "$here/judge" "$T/all.folded"
uris_requested 'labels'
labels_add_up 'labels' "$T/all.rec" "$(account kept all)"
check_eq 'locations that nginx has not' '' "$(values location "$T/all.rec" | grep -vE '^(/(lua|api|gz|ssi|auth)/|\[no location\]) ')"
check 'workers: two, two after the reload, one after the crash, two after the upgrade' test "$(wc -l <"$T/seen")" -ge 7
values worker "$T/all.rec" >"$T/by_worker"
none=$(weight "$T/by_worker" '^.no worker')
check_eq 'samples of no worker' good "$(sequential $(($(account kept all) - none)) "$none")"
check_eq 'workers without samples' '' "$(cut -d ' ' -f 1 "$T/by_worker" | grep -vxF -f - "$T/seen")"

master=$(cat "$work/pid")
stop_nginx
leave_release
