#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 40-real: programs of the distribution at work. Their stacks are not known, but they are whole and begin where programs and threads do.
# Packages: perl xz-utils openssl python3 sqlite3 gcc bash gzip zstd redis-tools (its redis-check-rdb is the server) fzf (Go) ripgrep
# (Rust); nginx, too, where it is installed: its package would start a server. The table stays in build/check/bpf/real.
# tier: all
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

table=$LOGS/real
printf '%-24s %8s %7s %7s %7s %6s %5s\n' program samples whole rooted named depth lost >"$table"
absent=''

# here PROGRAM…: all of them are installed
here() {
	for program; do
		command -v "$program" >/dev/null && continue
		absent="$absent $program"
		return 1
	done
}

# depth FOLDED: the median
depth() {
	awk '{ n = $NF; all += n; count[gsub(/;/, ";") + 1] += n; if (NF) deepest = 5000 }
		END { for (d = 1; d <= deepest && sum * 2 < all; d++) sum += count[d]; print (d > 1 ? d - 1 : 0) }' "$1"
}

# expect_rooted NAME [PERCENT ROOT]: of the last recording. PERCENT: so much is whole (99). ROOT: more names of frames that stacks may begin
# with
expect_rooted() {
	rooted=$(share "$T/$1.folded" "^$roots($case_start${3+|$3})[; ]")
	printf '%-24s %8s %7s %7s %7s %6s %5s\n' "$1" "$(account kept "$1")" "$(account whole "$1")" "$rooted" "$(account named "$1")" \
		"$(depth "$T/$1.folded")" "$(account lost "$1")" >>"$table"
	expect_account "$1" "$1" "${2:-99}" 100
	if at_least "$rooted" $((${2:-99} - 1)); then
		ok "$1: from the first function on"
	else
		not_ok "$1: from the first function on" "only $rooted %"
		others "$T/$1.folded" "^$roots($case_start${3+|$3})[; ]"
	fi
	roots=''
}

# at_work NAME COMMAND…: records it for a moment
at_work() {
	name=$1
	shift
	"$@" >"$T/target.out" 2>&1 </dev/null &
	target=$!
	await_start "$target"
	record_for "$name" 1 -p "$target" -u
	finish
}

# run_through NAME COMMAND…: records it, and its children, from beginning to end
run_through() {
	name=$1
	shift
	record "$name" -u -- "$@"
	roots='[^;]*;'
}

seq 1 400000 | awk '{ print $1 * 7919 % 1000003, "line", $1 }' >"$T/data"
cat "$T/data" "$T/data" "$T/data" "$T/data" "$T/data" "$T/data" "$T/data" "$T/data" >"$T/more"

if here perl; then
	at_work perl perl "$TOP/tests/programs/work.pl" 600
	expect_rooted perl
fi
if here xz; then
	at_work xz xz -9 -T1 -c "$T/more"
	expect_rooted xz
fi
if here gzip; then
	at_work gzip gzip -9 -c "$T/more" "$T/more" "$T/more"
	expect_rooted gzip
fi
if here zstd; then
	at_work zstd zstd -q -19 -c "$T/more"
	expect_rooted zstd
fi
if here openssl; then
	for algorithm in rsa2048 ecdsap256 aes-256-gcm sha256 chacha20-poly1305; do
		case $algorithm in
		rsa2048 | ecdsap256) set -- $algorithm ;;
		*) set -- -evp $algorithm ;;
		esac
		at_work "openssl $algorithm" openssl speed -seconds 600 "$@"
		expect_rooted "openssl $algorithm"
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
	expect_rooted python3
fi
if here sqlite3; then
	{
		echo 'CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c INT);'
		echo 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 50000)'
		echo "INSERT INTO t SELECT x, 'text ' || x, x * 7919 % 10007 FROM n; CREATE INDEX i ON t(c);"
		yes 'SELECT count(*), max(length(b)) FROM t WHERE c IN (SELECT c FROM t WHERE a % 7 = 1) GROUP BY c % 13 ORDER BY 1;' | head -n 10000
	} >"$T/load.sql"
	at_work sqlite3 sqlite3 -init "$T/load.sql" :memory: .quit
	expect_rooted sqlite3
fi
if here bash; then
	# shellcheck disable=SC2016
	at_work bash bash -c 'while :; do for i in {1..1000}; do x=${x/1/2}$i; x=${x: -20}; [[ $x =~ 12+ ]]; done; done'
	expect_rooted bash
fi
if here "${CC:-cc}"; then
	awk 'BEGIN { print "int v;"; for (i = 0; i < 400; i++)
		printf "int f%d(int a, int *b) { int s = 0; for (int i = 0; i < a; i++) s += b[i] * %d ^ (s >> 3); if (s > a) s -= f%d(a - 1, b) * v; return s; }\n", i, i, i }' >"$T/gen.c"
	run_through compiler "${CC:-cc}" -O2 -c -o "$T/gen.o" "$T/gen.c"
	expect_rooted compiler
fi
if here redis-check-rdb redis-benchmark; then
	# what it is it learns from its name
	ln -s "$(command -v redis-check-rdb)" "$T/redis-server"
	"$T/redis-server" --unixsocket "$T/redis" --port 0 --save '' --appendonly no >"$T/redis.out" 2>&1 &
	target=$!
	until_true 30 test -S "$T/redis" || note "$T/redis.out"
	redis-benchmark -s "$T/redis" -l -q -c 20 -d 100 -t set,get,lrange_100,zadd >/dev/null 2>&1 &
	load=$!
	await_start $load
	record_for redis 1 -p "$target" -u
	kill $load
	wait $load 2>/dev/null || :
	finish
	expect_rooted redis
fi
if command -v nginx >/dev/null && here perl; then
	mkdir "$T/www"
	cp "$T/gen.c" "$T/www/" 2>/dev/null || cp "$T/data" "$T/www/gen.c"
	cat >"$T/nginx.conf" <<-END
		daemon off; master_process off; user root; pid $T/nginx.pid; error_log $T/nginx.err;
		events { }
		http {
			access_log off; gzip on; gzip_types *; client_body_temp_path $T; proxy_temp_path $T; fastcgi_temp_path $T;
			uwsgi_temp_path $T; scgi_temp_path $T;
			server { listen unix:$T/nginx.socket; root $T/www; }
		}
	END
	nginx -c "$T/nginx.conf" -e "$T/nginx.err" >"$T/nginx.out" 2>&1 &
	target=$!
	until_true 30 test -S "$T/nginx.socket" || note "$T/nginx.err"
	# shellcheck disable=SC2016
	perl -MIO::Socket::UNIX -e 'while (1) { my $s = IO::Socket::UNIX->new($ARGV[0]) or last;
		print $s "GET /gen.c HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n"; 1 while <$s> }' "$T/nginx.socket" >/dev/null 2>&1 &
	load=$!
	await_start $load
	record_for nginx 1 -p "$target" -u
	kill $load
	wait $load 2>/dev/null || :
	finish
	expect_rooted nginx
fi
if here fzf; then
	# its goroutines begin where Go's runtime does; part of that runs on stacks of its own, whose callers lie elsewhere
	# shellcheck disable=SC2016
	run_through 'fzf (Go)' sh -c 'for i in 1 2 3; do fzf --filter "line 12 9" <"$1" | tail -n 1; done' sh "$T/data"
	expect_rooted 'fzf (Go)' 99 '\[fzf\]|runtime\.goexit|runtime\.systemstack|runtime\.mcall|runtime\.m?start|runtime\.rt0_go|_rt0_amd64'
fi
if here rg; then
	# shellcheck disable=SC2016
	run_through 'ripgrep (Rust)' sh -c 'for i in 1 2 3 4; do rg -j 2 -c "(1.*){4}[a-k]ine.*7$" "$1" "$2"; done; :' sh "$T/more" "$T/data"
	expect_rooted 'ripgrep (Rust)'
fi
[ -z "$absent" ] || skip 'some programs' "not installed:$absent"
note "$table"
