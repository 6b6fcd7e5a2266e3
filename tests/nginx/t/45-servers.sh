#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 45-servers: one recording has the labels of three servers: nginx and the php-fpm behind it, which have the same URI for a request, and a
# program with the queries of PostgreSQL.
set -u
. "$TOP/tests/nginx/lib.sh"
. "$TOP/tests/fpm.sh"

recorder() {
	"$bin/sample-bt" --engine bpf "$@"
}

# ask_often: sends 1,000 requests, one after another
ask_often() {
	python3 - "$PORT" <<-'END'
		import socket, sys
		for i in range(1000):
		    s = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
		    s.sendall(b'GET /shop?%d HTTP/1.0\r\n\r\n' % i)
		    while s.recv(65536):
		        pass
	END
}

# rows NAME KEYS: prints what the recording has by KEYS, as CSV
rows() {
	"$bin/bt-report" --by "$2" --csv "$T/$1.rec" 2>/dev/null
}

find_fpm
if [ -z "$fpm" ]; then
	skip 'servers' 'no php-fpm'
	exit
fi
if ! use_release "$nginx_with_lua"; then
	skip 'servers' "$no_root"
	exit
fi
echo "fastcgi_param SCRIPT_FILENAME $work/page.php;" >"$work/page.conf"
echo '<?php for ($i = 0; $i < 9999; $i++); echo str_repeat("x", 9999);' >"$work/page.php"
cc -O1 -g -rdynamic -o "$T/queries" "$TOP/tests/programs/queries.c"
start_fpm "$work/fpm.sock"
php=$!
"$T/queries" &
queries=$!
at_end "kill $php $queries 2>/dev/null; end_all"
start_nginx "$here/servers.conf" || exit

begin_record servers --nginx --php-request --postgres -p "$master" -p $php -p $queries
ask_often
stop_record
check_eq 'exit code' 0 "$status"
rows servers uri,comm >"$T/uris"
check 'the URI in nginx' grep -q '^/shop,nginx,' "$T/uris"
check 'the URI in PHP' grep -q '^/shop,php-fpm' "$T/uris"
check_eq 'no URI elsewhere' '' "$(grep '^/shop,queries' "$T/uris")"
rows servers query,function >"$T/queries.csv"
check 'the query' grep -q '^SELECT name FROM goods WHERE id = ?,selects,' "$T/queries.csv"
check_eq 'no query of another function' '' "$(grep '^SELECT.*,updates,' "$T/queries.csv")"

record missing --nginx --postgres -p "$master" -t 0.2
check_eq 'exit code if a server is missing' 2 "$status"
check 'which one' grep -q 'no PostgreSQL runs in what is to be recorded: give' "$T/missing.err"
record stap --nginx --php-request -p "$master" --engine stap -t 0.2
check_eq 'exit code under SystemTap' 64 "$status"
check 'several servers need the built-in engine' grep -q 'labels of several servers needs the built-in engine' "$T/stap.err"
stop_nginx
