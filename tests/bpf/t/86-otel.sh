#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 86-otel: samples have the context that an OpenTelemetry SDK has attached to the thread, wherever its variable is.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

bin=${BIN%/*}
source=$TOP/tests/programs/otel.c

recorder() {
	"$BIN" --engine bpf --min-quality 1 --otel -u -F 999 "$@"
}

# values_of NAME KEY: prints each function of the program with the value that its samples have, as "carts /cart"
values_of() {
	"$bin/bt-report" --by "$2,function" --csv "$T/$1.rec" 2>/dev/null |
		awk -F, '$2 ~ /^(carts|orders|rests|helps)$/ { print $2, $1 }' | sort -u | paste -sd';'
}

# contexts NAME COMMAND…: records the program and checks the contexts of its functions
contexts() {
	name=$1
	shift
	"$@" &
	program=$!
	await_start $program
	record "$name" --with trace,span -p $program -t 1
	kill $program
	check_eq "$name: exit code" 0 "$status"
	check_eq "$name: attributes" 'carts /cart;helps /help;orders /orders;rests [no http.route]' "$(values_of "$name" http.route)"
	check_eq "$name: an attribute whose name has no dot" \
		'carts mei;helps [no otel.user];orders [no otel.user];rests [no otel.user]' "$(values_of "$name" otel.user)"
	check_eq "$name: traces" \
		'carts 10101010101010101010101010101010;helps 30303030303030303030303030303030;orders 20202020202020202020202020202020;rests [no trace]' \
		"$(values_of "$name" trace)"
	check_eq "$name: spans" 'carts 1111111111111111;helps 3131313131313131;orders 2121212121212121;rests [no span]' "$(values_of "$name" span)"
	check_eq "$name: the service, without and with a context" 'carts shop;helps shop;orders shop;rests shop' "$(values_of "$name" service.name)"
	check_eq "$name: functions without a context" 'carts [no context];helps [no context];orders [no context];rests none' \
		"$(values_of "$name" context)"
}

# library NAME OPTION…: makes a library with the variable, which a program loads
library() {
	name=$1
	shift
	cc -O1 -g -fPIC -shared -DLIBRARY "$@" -o "$T/$name.so" "$source"
	contexts "$name" "$T/loads" "$T/$name.so"
}

cc -O1 -g -rdynamic -pthread -o "$T/program" "$source" -ldl
cc -O1 -g -pthread -DPROGRAM -o "$T/loads" "$source" -ldl
contexts program "$T/program"
library module
library descriptor -mtls-dialect=gnu2
library slot -ftls-model=initial-exec
# no room beside the blocks of the program: each thread gets one when it uses it
library late-module -DLARGE
library late-descriptor -DLARGE -mtls-dialect=gnu2
if cc -O1 -g -static -pthread -o "$T/static" "$source" 2>/dev/null; then
	contexts static "$T/static"
else
	skip 'a static program' 'cc makes none'
fi

# IDs, of which each request has another one, are recorded only if that is asked for
"$T/program" &
program=$!
at_end "kill $program 2>/dev/null"
await_start $program
record default -p $program -t 0.3
check 'attributes by default' grep -q '^label [0-9]* http\.route ' "$T/default.rec"
check_eq 'no IDs by default' 0 "$(grep -cE '^label [0-9]+ (trace|span) ' "$T/default.rec")"
# an attribute that is named while it is recorded
kill -USR1 $program
record_until_seen named '^pg;.*;lates;spin ' -p $program --by db.system

sleep 60 &
status=0
recorder -p $! -t 1 >/dev/null 2>"$T/err" || status=$?
check_eq 'without an SDK: exit code' 2 "$status"
check 'without an SDK: says what to do' grep -q \
	'no OpenTelemetry runs in what is to be recorded: give the number of a process whose SDK shares the contexts of its threads' "$T/err"
kill $!
