# SPDX-License-Identifier: GPL-2.0-or-later
# 58-pools: ngx-sample-bt-pools lists exactly the pools that are not destroyed, by the stack that created them, with the nginx of Debian's
# releases. The pools of connections, requests and upstreams that still exist are compared with the pools that ngx-mem finds in the worker.
set -u
. "$TOP/tests/nginx/lib.sh"

recorder() {
	"$bin/ngx-sample-bt-pools" "$@"
}

# an upstream that never answers, and a client that executes commands from stdin: open N, slow N, close, requests N
cat >"$T/client.py" <<'END'
import socket, sys, time
port, listener = int(sys.argv[1]), socket.create_server(("127.0.0.1", int(sys.argv[2])))
kept, upstreams = [], []


def ask(path, more=""):
    s = socket.create_connection(("127.0.0.1", port))
    s.sendall(f"GET {path} HTTP/1.1\r\nHost: front.test\r\n{more}\r\n".encode())
    return s


def open_idle():
    kept.append(ask("/small"))
    kept[-1].recv(4096)


def open_slow():
    kept.append(ask("/back/slow"))
    upstreams.append(listener.accept()[0])
    upstreams[-1].recv(4096)


def end_request():
    s = ask("/small", "Connection: close\r\n")
    while s.recv(4096):
        pass


def close():
    while kept:
        kept.pop().close()
    while upstreams:
        upstreams.pop().close()


print("ready", flush=True)
for line in sys.stdin:
    words = line.split()
    for _ in range(int(words[1]) if len(words) > 1 else 1):
        {"open": open_idle, "slow": open_slow, "end": end_request, "close": close}[words[0]]()
    print("done", flush=True)
END

# client WORDS: sends a command to the client and waits until it is executed
client() {
	done=$(wc -l <"$T/client")
	echo "$1" >&9
	until_true sh -c "[ \$(wc -l <'$T/client') -gt $done ]" || not_ok "$1" "$(tail -n 1 "$T/client.err")"
}

# record_end: ends the recording as Ctrl-C does
record_end() {
	stop_record
	note "$T/$begin_name.err"
}

# created ERE FILE: prints the weight of stacks that end in ERE, or in a static function that it calls
created() {
	weight "$2" ";$1;([^;]*;)?ngx_create_pool\$"
}

# mem FIELD: prints the sum for all pools in the worker without the pools of its configuration
mem() {
	"$bin/ngx-mem" -p "$master" --csv --table pools | awk -F, -v field="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == field) n = i }
		NR > 1 && $2 != "cycle" { sum += $n } END { print sum + 0 }'
}

what_is_left() {
	begin_record a -p "$master" -t 3600
	client 'end 500'
	client 'open 50'
	client 'slow 7'
	client 'end 500'
	before=$(mem count) bytes=$(mem bytes)
	record_end
	check_eq "$1: exit" 0 "$status"
	check_eq "$1: connections" 57 "$(created ngx_event_accept "$T/a.folded")"
	check_eq "$1: requests" 7 "$(created ngx_http_create_request "$T/a.folded")"
	check_eq "$1: upstreams" 7 "$(created 'ngx_http_read_client_request_body;\[ngx_http_upstream_module\][^;]*' "$T/a.folded")"
	check_eq "$1: all of them, as ngx-mem finds" "$before" "$(weight "$T/a.folded")"
	check_eq "$1: with those of upstreams" $((57 + 7 + 7)) "$before"
	check_eq "$1: their bytes, likewise" "$bytes" "$("$bin/bt-collapse" --event bytes "$T/a.rec" 2>/dev/null | awk '{ n += $NF } END { print n }')"
	check_eq "$1: whole stacks" 0 "$(rootless "$T/a.folded")"
	others "$T/a.folded" ';ngx_event_accept;ngx_create_pool$'
}

# Checks that pools from before the recording are unknown, and that pools at the same addresses are new.
what_was_there() {
	begin_record b -p "$master" -t 3600
	client close
	until_true sh -c "[ \"\$('$bin/ngx-reqs' -p $master --csv | wc -l)\" = 1 ]"
	client 'open 3'
	record_end
	check_eq "$1: only new ones" 3 "$(weight "$T/b.folded")"
	client close
}

no_leak() {
	begin_record c -p "$master" -t 3600
	client 'end 200'
	record_end
	check_eq "$1: none is left: exit" 1 "$status"
	check "$1: none is left: said" grep -q 'all pools that the target created were destroyed' "$T/c.err"
}

by_age() {
	begin_record d -p "$master" -t 3600 --min-age 10
	client 'open 4'
	sleep 11
	client 'open 5'
	record_end
	check_eq "$1: old ones alone" '10s 4' "$(values age "$T/d.rec")"
	client close
}

# Checks that a worker that has ended has no pools, and that its successor is recorded.
other_workers() {
	begin_record e -p "$master" -t 3600
	client 'open 6'
	kill -KILL "${workers%% *}"
	until_true sh -c "! kill -0 ${workers%% *} 2>/dev/null && pgrep -P $master >/dev/null"
	client close
	client 'open 2'
	record_end
	check_eq "$1: of the worker that runs" 2 "$(created ngx_event_accept "$T/e.folded")"
	check_eq "$1: nothing else" 2 "$(weight "$T/e.folded")"
	client close
}

# Checks that the new configuration has a pool, and that the workers that start with it are recorded.
reload() {
	old=$(pgrep -P "$master")
	begin_record f -p "$master" -t 3600
	client 'open 6'
	kill -HUP "$master"
	until_true sh -c "! kill -0 $old 2>/dev/null && pgrep -P $master >/dev/null"
	client close
	client 'open 2'
	record_end
	check_eq "$1: after a reload" 2 "$(created ngx_event_accept "$T/f.folded")"
	check_eq "$1: the new configuration" 1 "$(created ngx_init_cycle "$T/f.folded")"
	check_eq "$1: nothing else of both" 3 "$(weight "$T/f.folded")"
	client close
}

# of_nginx NAME: tests the nginx of $jail
of_nginx() {
	mkdir -p "$work/html"
	echo small >"$work/html/small"
	chmod -R a+rX "$work"
	: >"$work/modules.conf"
	start_nginx "$T/conf" || return 0
	: >"$T/client"
	python3 "$T/client.py" "$PORT" "$BACK" <"$T/in" >"$T/client" 2>"$T/client.err" &
	exec 9>"$T/in"
	until_true grep -q ready "$T/client"
	what_is_left "$1"
	what_was_there "$1"
	no_leak "$1"
	by_age "$1"
	other_workers "$1"
	reload "$1"
	exec 9>&-
	stop_nginx
}

sed -e 's/worker_processes 2/worker_processes 1/' -e 's/worker_connections 64/worker_connections 512/' "$here/reqs.conf" >"$T/conf"
mkfifo "$T/in"
of_releases
