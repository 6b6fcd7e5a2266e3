# SPDX-License-Identifier: GPL-2.0-or-later
# 52-reqs: ngx-reqs while clients wait in known ways, against the clients, nginx's own status and log, and the kernel's sockets.
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
until_true 30 sh -c "[ \$(pgrep -P $master | wc -l) = 2 ]"
workers=$(pgrep -P "$master" | tr '\n' ' ')
mkfifo "$T/in"
python3 "$here/clients.py" "$PORT" "$BACK" <"$T/in" >"$T/clients" 2>"$T/errors" &
clients=$!
exec 9>"$T/in"
until_true 60 grep -q '^ready' "$T/clients" || not_ok 'the clients' "$(tail -n 1 "$T/errors")"

# settled: who does not read gets no more for now
settled() {
	"$bin/ngx-reqs" -p "$master" --csv | awk -F, '/\/big$/ { print $11 }' >"$T/sent"
	[ "$(wc -l <"$T/sent")" = 4 ] || return 1
	sleep 0.3
	[ "$("$bin/ngx-reqs" -p "$master" --csv | awk -F, '/\/big$/ { print $11 }')" = "$(cat "$T/sent")" ]
}
until_true 30 settled
date +%s.%N >"$T/before"
"$bin/ngx-reqs" -p "$master" --json >"$T/json" 2>"$T/said"
check_eq 'exit' 0 $?
check_eq 'nothing is said' '' "$(cat "$T/said")"
date +%s.%N >"$T/after"
curl -s "http://127.0.0.1:$PORT/status" >"$T/status"
ss -Htnp state established >"$T/sockets"
# shellcheck disable=SC2086 # numbers
judged python3 - "$T" "$BACK" "$master" $workers <<'END'
import json, sys
folder, back, master, workers = sys.argv[1], sys.argv[2], int(sys.argv[3]), [int(w) for w in sys.argv[4:]]
read = json.load(open(folder + "/json"))
text = lambda name: open(folder + "/" + name).read()
failed = False


def is_so(name, so, *why):
    global failed
    failed |= not so
    print(f"ok {name}" if so else f"not ok {name}: {' '.join(str(w) for w in why)}")


requests = read["requests"]
sum_of = lambda key: sum(w[key] for w in read["workers"])
by = {}
for r in requests:
    by.setdefault((r.get("uri"), r.get("state")), []).append(r)
expected = {("/big", None): 4, ("/auth/small", None): 1, ("/back/check", "subrequest"): 1}
expected.update({(f"/back/slow{i}", None): 1 for i in range(5)})
unread = [r for k, l in by.items() for r in l if k not in expected]
is_so("requests, each once", {k: len(v) for k, v in by.items() if k in expected} == expected, {k: len(v) for k, v in by.items()})
is_so("two have not sent their headers", len(unread) == 2 and all("status" not in r and r["phase"] == "head" for r in unread), unread)
ages = [r["age"] for r in requests]
is_so("the oldest first", ages == sorted(ages, reverse=True), ages)
is_so("workers", {r["worker"] for r in requests} <= set(workers) == {w["worker"] for w in read["workers"]}, workers)
for uri, place, handler in (("/big", 0, "ngx_http_static_module"), ("/back/slow0", 0, "ngx_http_proxy_module")):
    r = by[uri, None][place]
    is_so(f"{uri}: what it is", (r["method"], r["client"], r["host"], r["phase"], r["handler"]) == ("GET", "127.0.0.1", "front.test", "content", handler), r)
slow = [by[f"/back/slow{i}", None][0] for i in range(5)]
is_so("upstream and peer", all((r.get("upstream"), r.get("peer")) == ("back", f"127.0.0.1:{back}") for r in slow), slow)
is_so("no upstream", all("upstream" not in r for r in by["/big", None]))
is_so("no status yet", all("status" not in r for r in slow))
is_so("status", all(r["status"] == 200 for r in by["/big", None]))
is_so("timeouts of the upstream", all(r["waits_for"] == "upstream read" and 0 < r["timeout"] <= 300 for r in slow), slow)
is_so("timeouts of clients", all(r["waits_for"] == "client write" and 300 < r["timeout"] <= 900 for r in by["/big", None]))
is_so("timeouts of headers", all(r["waits_for"] == "client read" and 0 < r["timeout"] <= 600 for r in unread), unread)
is_so("a main request waits for its subrequest", by["/auth/small", None][0]["phase"] == "access", by["/auth/small", None])
is_so("pools", all(r["pool"] >= 4096 for r in requests))

# sent after `sent`, served since before `seen`; a worker's clock may be late by what it does between two waits
before, after, late = float(text("before")), float(text("after")), 0.1
bounds = {}
for line in text("clients").splitlines()[:-1]:
    path, sent, seen = line.split()
    low, high = bounds.get(path, (1e99, 0))
    bounds[path] = (min(low, before - float(seen)), max(high, after - float(sent) + late))
for path, (low, high) in bounds.items():
    found = [r["age"] for r in by[path, None]]
    is_so(f"age of {path}", all(low - 0.002 <= a <= high for a in found), found, low, high)

# its own request is not among ours
status = text("status").split()
is_so("connections as in nginx's status", (sum_of("reading"), sum_of("writing") + 1, sum_of("waiting")) == (int(status[11]), int(status[13]), int(status[15])),
    read["workers"], status)
server = read["server"][0]
is_so("its counters", [server[k] + 1 for k in ("accepted", "handled", "requests")] == [int(w) for w in status[7:10]], server, status)
is_so("nothing changing", not [r for r in requests + read["workers"] if r.get("state") == "changing"])
is_so("two read, four waiting or kept, one kept upstream", (sum_of("reading"), sum_of("waiting"), sum_of("kept"), sum_of("upstream")) == (2, 4, 1, 6), read["workers"])
for w in read["workers"]:
    open_ = sum(w[k] for k in ("reading", "writing", "waiting", "client", "upstream", "kept"))
    sockets = [l for l in text("sockets").splitlines() if f"pid={w['worker']}," in l]
    is_so("sockets of a worker", open_ == len(sockets), w, len(sockets))
    is_so("free and used ones are all", w["free"] + open_ + w["listening"] + w["other"] == w["connections"] == 64, w)
    is_so("its requests", w["requests"] == len([r for r in requests if r["worker"] == w["worker"]]), w)
sys.exit(failed)
END

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
until_true 30 grep -q traces "$T/tracer" || not_ok 'a tracer'
"$bin/ngx-reqs" -p "$master" --stop 1 --csv >"$T/traced" 2>"$T/said"
check_eq 'traced by another: exit' 1 $?
check 'traced by another: said' grep -q "^ngx-reqs: worker $first cannot be stopped: another program, such as gdb" "$T/said"
check_eq 'traced by another: as many' 13 "$(sed 1d "$T/traced" | wc -l)"
kill "$tracer"
wait "$tracer" 2>/dev/null

# a new worker after a reload is found; the old one stays as long as it has requests
env --default-signal=INT "$bin/ngx-reqs" -p "$master" --watch=50ms --csv --connections >"$T/watched" 2>"$T/said" &
watching=$!
until_true 30 sh -c "[ \$(wc -l <'$T/watched') -ge 5 ]"
kill -HUP "$master"
renewed() {
	new=$(pgrep -P "$master" | grep -vxF "$(echo "$workers" | tr ' ' '\n')" | head -n 1)
	[ -n "$new" ] && awk -F, -v new="$new" '$2 == new { found = 1 } END { exit !found }' "$T/watched"
}
check 'a reload: the new workers' until_true 30 renewed
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
check 'reloads and crashes: the newest worker' until_true 30 newest_is_listed
kill -INT "$watching"
wait "$watching"
status=$?
check "reloads and crashes: exit after Ctrl-C: $status" test "$status" -le 1 # 1: some rows were changing
check_eq 'reloads and crashes: nothing is said' '' "$(cat "$T/said")"

# the rate is that of the counter
"$bin/ngx-reqs" -p "$master" -w200ms --time 3 --json >"$T/rates" &
watching=$!
for i in 1 2 3 4 5 6 7 8 9 10; do
	curl -s -o "$T/body" "http://127.0.0.1:$PORT/small"
	sleep 0.1
done
wait "$watching"
python3 - "$T/rates" >"$T/rate" 2>&1 <<'END'
import json, sys
decoder, text, servers = json.JSONDecoder(), open(sys.argv[1]).read(), []
while text.strip():
    read, end = decoder.raw_decode(text.lstrip())
    text = text.lstrip()[end:]
    servers += read["server"]
assert "requests_per_s" not in servers[0] and servers[-1]["requests"] >= servers[0]["requests"] + 5
for a, b in zip(servers, servers[1:]):
    rate = (b["requests"] - a["requests"]) / (b["time"] - a["time"])
    assert abs(rate - b["requests_per_s"]) <= 0.05 + 0.05 * rate, (a, b)
END
check_eq 'requests per second' '' "$(tail -n 1 "$T/rate")"

# bytes that were sent: as the log says when those clients have gone
exec 9>&-
wait "$clients"
until_true 30 sh -c "[ \$(grep -c '^/big' '$work/access') = 4 ]"
check_eq 'bytes sent, as in the log' "$(awk '/^\/big/ { print $2 }' "$work/access" | sort)" "$(sort "$T/sent")"
"$bin/ngx-reqs" -p $$ >"$T/out" 2>"$T/said"
check_eq 'no nginx: exit' 2 $?
check 'no nginx: said' grep -q "^ngx-reqs: no worker of nginx in process $$ " "$T/said"
stop_nginx
leave_release
