#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 20-servers: real servers: which query takes how long, also of clients that connect later, and where it waits.
# tier: all
set -u
. "$TOP/tests/postgres/lib.sh"
. "$TOP/tests/roots.sh"

# in_root COMMAND…: runs COMMAND as nobody
in_root() {
	env -i LC_ALL=C PATH="$postgres:$PATH" chroot --userspec=65534:65534 "$root" "$@"
}

# client SQL: connects, and sends SQL, one command a line
client() {
	printf '%s\n' "$1" | in_root psql -X -q -h "$data" -U nobody postgres
}

# has NAME QUERY [FUNCTION]: checks that a row has this query and function
has() {
	table "$1" query,function | awk -F, -v query="$2" -v of="${3-}" \
		'{ gsub(/"/, "") } index($0, query ",") == 1 && (of == "" || index($0, "," of ",")) { found = 1 } END { exit !found }'
	check_eq "$1: $2 ${3-}" 0 $?
}

for suite in $postgreses; do
	if ! postgres_root "$suite"; then
		skip "$suite" "$no_root"
		continue
	fi
	data=/tmp/data.$$
	in_root initdb -D "$data" -A trust >"$T/initdb" 2>&1
	if [ ! -f "$root$data/PG_VERSION" ]; then
		note "$T/initdb"
		not_ok "$suite" 'initdb fails'
		continue
	fi
	in_root postgres -D "$data" -k "$data" -c listen_addresses= -c jit=off -c fsync=off -c max_parallel_workers_per_gather=0 >"$T/log" 2>&1 &
	server=$!
	until_true client 'select 1' >/dev/null 2>&1
	begin_record "$suite" --with query-text -u -p $server
	client "create table t as select n, n::text as name from generate_series(1, 200000) n;
		select count(*) from t a join t b on a.name = b.name where a.n < 150000 and b.name <> 'it''s';
		select count(*) from t a join t b on a.name = b.name where a.n < 160000 and b.name <> 'x';" >/dev/null
	stop_record
	kill $server
	wait $server
	has "$suite" 'select count(*) from t a join t b on a.name = b.name where a.n < ? and b.name <> ?;'
	has "$suite" 'create table t as select n' ''
	check_eq "$suite: both texts" 2 "$(table "$suite" query-text | grep -c 'a.n < 1[56]0000')"
	rm -rf "${root:?}$data"
done
