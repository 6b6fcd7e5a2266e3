#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 20-requests: samples of php-fpm's workers have the labels of the request that is served, which a server's variables tell; the URI is the
# one that the client has asked for, without its query.
set -u
. "$TOP/tests/php/lib.sh"
. "$TOP/tests/fpm.sh"

find_fpm

# ask URI METHOD: asks php-fpm, over its socket, to run page.php, which uses 0.3 s of a processor
ask() {
	python3 - "$T/fpm.sock" "$T/page.php" "$1" "$2" <<'END'
import socket, struct, sys
path, script, uri, method = sys.argv[1:]
def record(kind, body):
    return struct.pack('>BBHHBB', 1, kind, 1, len(body), 0, 0) + body
values = {'SCRIPT_FILENAME': script, 'SCRIPT_NAME': '/page.php', 'REQUEST_URI': uri, 'REQUEST_METHOD': method, 'QUERY_STRING': 'q=1'}
body = b''.join(bytes([len(k), len(v)]) + k.encode() + v.encode() for k, v in values.items())
s = socket.socket(socket.AF_UNIX)
s.connect(path)
s.sendall(record(1, struct.pack('>HB5x', 1, 0)) + record(4, body) + record(4, b'') + record(5, b''))
while s.recv(4096):
    pass
END
}

if [ -z "$fpm" ]; then
	skip 'requests' 'no php-fpm'
	exit
fi
cat >"$T/page.php" <<'END'
<?php
function used() { $u = getrusage(); return $u['ru_utime.tv_sec'] + $u['ru_utime.tv_usec'] / 1e6; }
function work() { $end = used() + 0.3; do { for ($i = 0; $i < 9999; $i++); } while (used() < $end); }
function reads() { work(); }
function writes() { work(); }
$_SERVER['REQUEST_METHOD'] === 'GET' ? reads() : writes();
END
start_fpm "$T/fpm.sock"
master=$!
begin_record requests --php-request -p "$master"
for i in 1 2 3; do
	ask "/shop/$i?q=1" GET
	ask "/order" POST
done
stop_record
kill "$master"
wait "$master" 2>/dev/null
for label in uri method script pool; do
	"$bin/bt-report" --by $label,function "$T/requests.rec" 2>/dev/null | sed "s/^/$label /" >>"$T/table"
done
for i in 1 2 3; do
	check "the URI /shop/$i" grep -q "^uri .*/shop/$i.*reads" "$T/table"
done
check 'the URI /order' grep -q '^uri .*/order.*writes' "$T/table"
check 'the methods' [ "$(grep -cE '^method .*(GET.*reads|POST.*writes)' "$T/table")" = 2 ]
check 'the script' grep -q "^script .*$T/page.php.*work" "$T/table"
check 'the pool' grep -q '^pool .*shop.*reads' "$T/table"
check_eq 'no function of the other request' '' "$(grep -E '(GET|/shop).*writes|(POST|/order).*reads' "$T/table")"
