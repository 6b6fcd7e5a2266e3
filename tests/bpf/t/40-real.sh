#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 40-real: programs of the distribution at work. Their stacks are not known, but they must begin where programs and threads begin.
# Packages: perl xz-utils openssl python3 sqlite3 gcc bash gzip zstd redis-tools (its redis-check-rdb is the server) fzf (Go) ripgrep
# (Rust).
# tier: all
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

absent=''

# here PROGRAM…: checks that all of them are installed
here() {
	for program; do
		command -v "$program" >/dev/null && continue
		absent="$absent $program"
		return 1
	done
}

# rooted NAME BEGINNING ARG…: checks that stacks begin with BEGINNING
rooted() {
	rooted_name=$1
	rooted_ere="^$2(;[^;]+)*"
	shift 2
	record_until_decided "$rooted_name" "$rooted_ere" -u "$@"
	check_eq "$rooted_name: exit code" 0 "$status"
}

# at_work NAME COMMAND…: records COMMAND while it works
at_work() {
	name=$1
	shift
	"$@" >/dev/null 2>&1 </dev/null &
	target=$!
	await_start "$target"
	rooted "$name" "$case_start" -p "$target"
	finish
}

# run_through NAME BEGINNING COMMAND…: records COMMAND and its children from beginning to end. The root frames are names of processes; in
# exec and at their end processes have no user stack.
run_through() {
	name=$1
	beginning="[^;]*;($case_start|\\[no user stack: [a-z]*\\]$2)"
	shift 2
	decided_seconds=''
	rooted "$name" "$beginning" -- "$@"
	decided_seconds=0.5
}

seq 1 400000 | awk '{ print $1 * 7919 % 1000003, "line", $1 }' >"$T/data"
mkfifo "$T/feed"

if here perl; then
	at_work perl perl "$TOP/tests/programs/work.pl" 600
fi
for command in 'xz -9 -T1' 'gzip -9' 'zstd -q -19'; do
	if here "${command%% *}"; then
		while cat "$T/data" 2>/dev/null; do :; done >"$T/feed" &
		at_work "${command%% *}" sh -c "exec $command -c <'$T/feed'"
		wait $! || :
	fi
done
if here openssl; then
	for algorithm in rsa2048 ecdsap256 aes-256-gcm sha256 chacha20-poly1305; do
		case $algorithm in
		rsa2048 | ecdsap256) set -- $algorithm ;;
		*) set -- -evp $algorithm ;;
		esac
		at_work "openssl $algorithm" openssl speed -seconds 600 "$@"
	done
fi
if here python3; then
	cat >"$T/work.py" <<-'END'
		import json, re
		def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
		while True:
		    fib(15)
		    json.loads(json.dumps([{str(i): i} for i in range(500)]))
		    sorted(re.findall(r"[0-9]+", " ".join(map(str, range(2000)))), key=lambda x: x[::-1])
	END
	at_work python3 python3 "$T/work.py"
fi
if here sqlite3; then
	{
		echo 'CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c INT);'
		echo 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 50000)'
		echo "INSERT INTO t SELECT x, 'text ' || x, x * 7919 % 10007 FROM n; CREATE INDEX i ON t(c);"
		yes 'SELECT count(*), max(length(b)) FROM t WHERE c IN (SELECT c FROM t WHERE a % 7 = 1) GROUP BY c % 13 ORDER BY 1;' | head -n 10000
	} >"$T/load.sql"
	at_work sqlite3 sqlite3 -init "$T/load.sql" :memory: .quit
fi
if here bash; then
	# shellcheck disable=SC2016
	at_work bash bash -c 'while :; do for i in {1..1000}; do x=${x/1/2}$i; x=${x: -20}; [[ $x =~ 12+ ]]; done; done'
fi
if here "${CC:-cc}"; then
	awk 'BEGIN { print "int v;"; for (i = 0; i < 400; i++)
		printf "int f%d(int a, int *b) { int s = 0; for (int i = 0; i < a; i++) s += b[i] * %d ^ (s >> 3); " \
			"if (s > a) s -= f%d(a - 1, b) * v; return s; }\n", i, i, i }' >"$T/gen.c"
	run_through compiler '' "${CC:-cc}" -O2 -c -o "$T/gen.o" "$T/gen.c"
fi
if here redis-check-rdb redis-benchmark; then
	# its name selects what the program does
	ln -s "$(command -v redis-check-rdb)" "$T/redis-server"
	"$T/redis-server" --unixsocket "$T/redis" --port 0 --save '' --appendonly no >"$T/redis.out" 2>&1 &
	target=$!
	until_true test -S "$T/redis" || note "$T/redis.out"
	redis-benchmark -s "$T/redis" -l -q -c 20 -d 100 -t set,get,lrange_100,zadd >/dev/null 2>&1 &
	load=$!
	await_start $load
	rooted redis "$case_start" -p "$target"
	kill $load
	wait $load 2>/dev/null || :
	finish
fi
if here fzf; then
	# its goroutines begin where Go's runtime begins
	# shellcheck disable=SC2016
	run_through 'fzf (Go)' '|\[fzf\]|runtime\.goexit|runtime\.mcall|runtime\.m?start|runtime\.rt0_go|_rt0_amd64' \
		sh -c 'for i in 1 2 3; do fzf --filter "line 12 9" <"$1" | tail -n 1; done' sh "$T/data"
fi
if here rg; then
	# shellcheck disable=SC2016
	run_through 'ripgrep (Rust)' '' sh -c 'for i in 1 2 3 4; do rg -j 2 -c "(1.*){4}[a-k]ine.*7$" "$1"; done; :' sh "$T/data"
fi
[ -z "$absent" ] || skip 'some programs' "not installed:$absent"
