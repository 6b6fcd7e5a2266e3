# SPDX-License-Identifier: GPL-2.0-or-later
# 52-reqs: compares ngx-reqs, while clients wait in known ways, with the clients, nginx's own status and log, and the kernel's sockets.
set -u
. "$TOP/tests/nginx/lib.sh"

use_release "$nginx_with_lua" || { skip all "$no_root"; exit 0; }

mkdir -p "$work/html"
: >"$work/modules.conf"
head -c 30000000 /dev/zero >"$work/html/big"
echo small >"$work/html/small"
mkdir "$work/html/auth"
echo small >"$work/html/auth/small"
start_nginx "$here/reqs.conf" || exit 1
until_true sh -c "[ \$(pgrep -P $master | wc -l) = 2 ]"
workers=$(pgrep -P "$master" | tr '\n' ' ')
mkfifo "$T/in"
python3 "$here/clients.py" "$PORT" "$BACK" <"$T/in" >"$T/clients" 2>"$T/errors" &
clients=$!
exec 9>"$T/in"
until_true grep -q '^ready' "$T/clients" || not_ok 'the clients' "$(tail -n 1 "$T/errors")"

# settled: checks that no more is sent to clients that do not read
settled() {
	"$bin/ngx-reqs" -p "$master" --csv | awk -F, '/\/big$/ { print $11 }' >"$T/sent"
	[ "$(wc -l <"$T/sent")" = 4 ] || return 1
	sleep 0.3
	[ "$("$bin/ngx-reqs" -p "$master" --csv | awk -F, '/\/big$/ { print $11 }')" = "$(cat "$T/sent")" ]
}
until_true settled
date +%s.%N >"$T/before"
"$bin/ngx-reqs" -p "$master" --json >"$T/json" 2>"$T/said"
check_eq 'exit' 0 $?
check_eq 'nothing is said' '' "$(cat "$T/said")"
date +%s.%N >"$T/after"
curl -s "http://127.0.0.1:$PORT/status" >"$T/status"
ss -Htnp state established >"$T/sockets"
# shellcheck disable=SC2086 # numbers
judged python3 "$here/judge_reqs.py" "$T" "$BACK" $workers

for worker in $workers; do
	"$bin/ngx-reqs" -p "$worker" --csv >>"$T/each.csv"
done
check_eq 'a worker: its own' "$("$bin/ngx-reqs" -p "$master" --csv | awk -F, 'NR > 1 { print $2 "," $17 }' | sort)" \
	"$(awk -F, '$1 != "time" { print $2 "," $17 }' "$T/each.csv" | sort)"
"$bin/ngx-reqs" -p "$master" --stop 1 --csv >"$T/stopped" 2>"$T/said"
check_eq 'stopped: exit' 0 $?
check 'stopped: for how long' grep -q '^ngx-reqs: workers were stopped for [0-9.]* ms at most$' "$T/said"
check_eq 'stopped: as many' 13 "$(sed 1d "$T/stopped" | wc -l)"
check_eq 'and go on: states' '' "$(for worker in $workers; do sed -n 's/^State:\t\([Tt].*\)/\1/p' "/proc/$worker/status"; done)"

# a worker that another program traces is read while it runs (system call 101 is ptrace, 0x4206 PTRACE_SEIZE)
first=${workers%% *}
perl -e 'exit 1 if syscall(101, 0x4206, $ARGV[0] + 0, 0, 0) == -1; $| = 1; print "traces\n"; sleep 600' "$first" >"$T/tracer" &
tracer=$!
until_true grep -q traces "$T/tracer" || not_ok 'a tracer'
"$bin/ngx-reqs" -p "$master" --stop 1 --csv >"$T/traced" 2>"$T/said"
check_eq 'traced by another: exit' 1 $?
check 'traced by another: said' grep -q "^ngx-reqs: worker $first cannot be stopped: another program, such as gdb" "$T/said"
check_eq 'traced by another: as many' 13 "$(sed 1d "$T/traced" | wc -l)"
kill "$tracer"
wait "$tracer" 2>/dev/null

# a new worker after a reload is found; the old one stays as long as it has requests
env --default-signal=INT "$bin/ngx-reqs" -p "$master" --watch=50ms --csv --connections >"$T/watched" 2>"$T/said" &
watching=$!
until_true sh -c "[ \$(wc -l <'$T/watched') -ge 5 ]"
kill -HUP "$master"
renewed() {
	pgrep -P "$master" | grep -vxF "$(echo "$workers" | tr ' ' '\n')" >"$T/new" &&
		cut -d , -f 2 "$T/watched" | grep -qxFf "$T/new"
}
check 'a reload: the new workers' until_true renewed
check_eq 'a reload: the old ones, too' 2 "$(tail -n 20 "$T/watched" | cut -d , -f 2 | sort -u | grep -cxF "$(echo "$workers" | tr ' ' '\n')")"
check_eq 'one heading' 1 "$(grep -c '^time' "$T/watched")"

# reloads and crashes, one after another
for i in 1 2 3 4 5; do
	kill -HUP "$master"
	sleep 0.2
	kill -KILL "$(pgrep -n -P "$master")"
	sleep 0.1
done
newest_is_listed() {
	newest=$(pgrep -n -P "$master") && tail -n 20 "$T/watched" | cut -d , -f 2 | grep -qx "$newest"
}
check 'reloads and crashes: the newest worker' until_true newest_is_listed
kill -INT "$watching"
wait "$watching"
status=$?
check "reloads and crashes: exit after Ctrl-C: $status" test "$status" -le 1 # 1 means that some rows were changing
check_eq 'reloads and crashes: nothing is said' '' "$(cat "$T/said")"

# the rate is computed from the counter
env --default-signal=INT "$bin/ngx-reqs" -p "$master" -w200ms --json >"$T/rates" &
watching=$!
read_again() {
	again=$(($(grep -c '"server"' "$T/rates") + 2))
	until_true sh -c "[ \$(grep -c '\"server\"' '$T/rates') -ge $again ]"
}
read_again
for i in 1 2 3 4 5 6 7 8 9 10; do
	curl -s -o "$T/body" "http://127.0.0.1:$PORT/small"
done
read_again
kill -INT "$watching"
wait "$watching"
python3 - "$T/rates" >"$T/rate" 2>&1 <<'END'
import json, sys
decoder, text, servers = json.JSONDecoder(), open(sys.argv[1]).read(), []
while text.strip():
    read, end = decoder.raw_decode(text.lstrip())
    text = text.lstrip()[end:]
    servers += read["server"]
assert "requests_per_s" not in servers[0] and servers[-1]["requests"] >= servers[0]["requests"] + 10
for a, b in zip(servers, servers[1:]):
    rate = (b["requests"] - a["requests"]) / (b["time"] - a["time"])
    assert abs(rate - b["requests_per_s"]) <= 0.05 + 0.05 * rate, (a, b)
END
check_eq 'requests per second' '' "$(tail -n 1 "$T/rate")"

# the bytes sent, as the log has them when these clients have gone
exec 9>&-
wait "$clients"
until_true sh -c "[ \$(grep -c '^/big' '$work/access') = 4 ]"
check_eq 'bytes sent, as in the log' "$(awk '/^\/big/ { print $2 }' "$work/access" | sort)" "$(sort "$T/sent")"
"$bin/ngx-reqs" -p $$ >"$T/out" 2>"$T/said"
check_eq 'no nginx: exit' 2 $?
check 'no nginx: said' grep -q "^ngx-reqs: no worker of nginx in process $$ " "$T/said"
stop_nginx
leave_release
