#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 10-labels: each sample has the query that is worked on, without literals, and the text only if it is asked for.
set -u
. "$TOP/tests/postgres/lib.sh"

cc -O1 -g -rdynamic -o "$T/queries" "$TOP/tests/programs/queries.c"
selects='SELECT name FROM goods WHERE id = ?'
updates='UPDATE goods SET name = ?'

# queries_of NAME FUNCTION ARG…: prints the queries that the function's samples have
queries_of() {
	queries_name=$1 queries_function=$2
	shift 2
	table "$queries_name" query,function "$@" | awk -F, -v of="$queries_function" '$2 == of { print $1 }' | sort -u
}

"$T/queries" &
queries=$!
await_start $queries
record labels --with backend -u -p $queries -t 1
check_eq 'exit code' 0 "$status"
check_eq 'one query, whatever its literals' "$selects" "$(queries_of labels selects)"
check_eq 'a text literal' "$updates" "$(queries_of labels updates)"
queries_of labels cuts >"$T/cut"
check 'a long query' grep -qE '^select x{193}… #[0-9a-f]{8}$' "$T/cut"
check_eq 'no query' '[no query]' "$(queries_of labels rests)"
check_eq 'no texts' 0 "$(grep -c 'nr\.' "$T/labels.rec")"
check_eq 'the process' "$queries" "$(table labels backend | sed "1d; s,\,.*,,")"
check_eq 'samples between queries' none "$(table labels statement,function | awk -F, '$2 == "rests" { print $1 }' | sort -u)"

# The whole time of a thread: its runs are shared out by ticks, which have the queries. If it waits for a processor when the recording
# begins, that wait has none.
record wall --script wall -u -p $queries -t 1
check_eq 'wall time: one query' "$selects" "$(queries_of wall selects --label state=C)"
check_eq 'wall time: between queries' '[no query]' "$(queries_of wall rests --label state=C)"
check_eq 'wall time: no ticks are left' '' "$(table wall state,query | grep '^tick')"
check 'wall time: all runs are shared out' grep -q ' ticks share .* on a processor$' "$T/wall.err"

record texts --with query-text -u -p $queries -t 0.3
kill $queries
texts=$(table texts query-text | sed -n "s/^\"*UPDATE goods SET name = 'nr. \([0-9]*\)'\"*,.*/\1/p" | sort -u)
check_eq 'texts, if they are asked for' '' "$(echo "$texts" | grep -vx '[0-9]*')"
check 'texts are there' test -n "$texts"

sleep 60 &
bad_record() {
	recorder "$@" >/dev/null 2>"$T/err"
	check_eq "$*: exit code" 2 $?
}
bad_record -p $!
check 'a process without PostgreSQL is refused' grep -q 'no PostgreSQL runs in what is to be recorded: give the number of the postmaster' "$T/err"
kill $!

# The first samples are taken while the recorder still reads the mappings.
servers='' options=''
for _ in 1 2 3 4; do
	"$T/queries" 0 50000 &
	servers="$servers $!" options="$options -p $!"
done
at_end "kill $servers 2>/dev/null"
await_start $!
# shellcheck disable=SC2086 # several options
record first --with query -u -F 997 $options -t 0.3
check_eq 'the first samples have their query' "$updates" "$(queries_of first updates)"
