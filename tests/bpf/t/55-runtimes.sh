#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 55-runtimes: code that runtimes compile while they run, without frame pointers: stacks are whole, and callers of leaves right.
# Packages: guile-3.0 luajit; Erlang, too, where it is installed: its package would start a server.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

right=$TOP/${O:-build}/tests/right/right

# of_runtime NAME PROGRAM COMMAND…: says "spinning" when it is at work; whole but for where it is seldom
of_runtime() {
	runtime=$1
	if ! command -v "$2" >/dev/null; then
		skip "$runtime" "no $2"
		return 1
	fi
	shift 2
	start "$@"
	record_for "$runtime" 1 -p "$target" -u
	expect_account "$runtime" "$runtime" 90 100
	check "$runtime: in compiled code, from the first function on" \
		at_least "$(share "$T/$runtime.folded" "^$case_start;.*;(\[unknown\]|\[memfd:vmem [^;]*\])[; ]")" 20
}

# callers NAME: of the leaves that return, few have a wrong caller
callers() {
	if [ ! -x "$right" ]; then
		skip "$1: callers" "no $right"
		return 0
	fi
	timeout 300 "$right" -n 40 -s 5000 "$target" >"$T/$1.right" 2>&1 || :
	note "$T/$1.right"
	check "$1: callers are right" awk 'NR == 1 { exit !($3 >= 5 && 100 * $4 >= 90 * $3) }' "$T/$1.right"
}

end_runtime() {
	kill -s KILL "$target" 2>/dev/null || :
	wait "$target" 2>/dev/null || :
}

cat >"$T/work.scm" <<'END'
(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(display "spinning\n")
(force-output)
(let loop () (fib 22) (loop))
END
cat >"$T/work.erl" <<'END'
-module(work).
-export([main/0]).
fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
main() -> io:format("spinning~n"), loop().
loop() -> fib(22), lists:sort([erlang:phash2(X) || X <- lists:seq(1, 300)]), loop().
END
cat >"$T/work.lua" <<'END'
io.stdout:write("spinning\n")
io.stdout:flush()
while true do
	local t = {}
	for i = 1, 1e4 do t[i] = tostring(i):byte() end
	table.sort(t)
end
END

if of_runtime guile guile guile --no-auto-compile "$T/work.scm"; then
	end_runtime
fi
if command -v erlc >/dev/null; then
	erlc -o "$T" "$T/work.erl" >"$T/erlc.out" 2>&1 || note "$T/erlc.out"
fi
if of_runtime erlang erl erl -noshell -noinput -pa "$T" -s work main; then
	callers erlang
	end_runtime
fi
if of_runtime luajit luajit luajit "$T/work.lua"; then
	callers luajit
	end_runtime
fi
