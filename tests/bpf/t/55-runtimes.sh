#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 55-runtimes: code that runtimes compile while they run, without frame pointers, and the runtimes' assembly: stacks are whole. The callers
# of leaves are right: tests/right/right steps the leaves until they return and compares.
# Packages: grep guile-3.0 luajit; Erlang, too, where it is installed: its package would start a server.
# tier: all
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

# of_runtime NAME PROGRAM COMMAND…: starts COMMAND, which prints "spinning" when it is at work; checks that its stacks begin where programs
# and threads begin, or with $cut
cut=''
of_runtime() {
	runtime=$1
	if ! command -v "$2" >/dev/null; then
		skip "$runtime" "no $2"
		return 1
	fi
	shift 2
	start "$@"
	record_until_decided "$runtime" "^($case_start$cut)(;[^;]+)*" -p "$target" -u
}

# compiled NAME: checks that compiled code is seen in whole stacks
compiled() {
	record_until_seen "$1: in compiled code" "^$case_start;.*;(\[unknown\]|\[pcre jit\]_\[j\]|\[luajit trace\]_\[j\]|\[memfd:vmem [^;]*\])[; ]" -p "$target" -u
}

# callers NAME: checks the callers of leaf functions of $target that return
callers() {
	until_decided "$1: callers" "$T/callers" '^right' look_at_callers
	note "$T/right"
}

look_at_callers() {
	timeout 300 "$TOP/${O:-build}/tests/right/right" -n 150 -s 5000 "$target" >"$T/right" 2>&1 || :
	awk 'NR == 1 { print "right", $4; print "wrong", $3 - $4 }' "$T/right" >"$T/callers"
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

# functions that the interpreter calls, C that calls Lua, and code that changes stacks; rather interpreted than traced
cat >"$T/calls.lua" <<'END'
local ffi = require("ffi")
local arg, out, integers = {1}, {}, ffi.new("int[100]")
ffi.cdef [[void qsort(void *base, size_t nr, size_t size, int (*compare)(const int *, const int *));]]
local compare = ffi.cast("int (*)(const int *, const int *)", function(a, b) return a[0] - b[0] end)
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local function numbers()
	local x = 0
	for i = 1, 5000 do x = x + math.floor(i * 0.37) % 7 + i * 3.3 % 2.5 + math.ceil(x / 3) end
end
local function coroutines()
	local next = coroutine.wrap(function() for i = 1, 200 do coroutine.yield(math.floor(i / 3)) end end)
	for _ = 1, 200 do out[1] = next() end
	for i = 1, 20 do coroutine.resume(coroutine.create(fib), i % 5) end
end
local function callbacks()
	local words = ("some words here "):rep(30)
	for i = 1, 300 do arg[i] = i * 7919 % 1000 end
	table.sort(arg, function(a, b) return a > b end)
	words:gsub("%a+", function(word) return word:upper() end)
	for word in words:gmatch("%a+") do out[2] = word:byte() end
	for i = 0, 99 do integers[i] = i * 7919 % 1000 end
	ffi.C.qsort(integers, 100, 4, compare)
end
local function protected()
	local object = setmetatable({}, {__index = function(_, k) return 2 * k end, __concat = function() return "" end})
	for i = 1, 100 do
		pcall(fib, 5)
		xpcall(fib, print, 3)
		pcall(error, "expected")
		out[3] = object[i] .. (object .. object)
	end
end
local function finalizers() -- in traces and where they are left, too
	for _ = 1, 500 do ffi.gc(ffi.new("int[4]"), function() out[4] = {math.floor(arg[1] / 3)} end) end
end
io.stdout:write("spinning\n")
io.stdout:flush()
while true do
	finalizers()
	numbers()
	coroutines()
	callbacks()
	protected()
	fib(12)
end
END

# checks of the judge itself: callers that are right, that are not found, and that are wrong
start "$CASES/returns" 600 plain
callers 'a function of C'
finish
start "$CASES/jit-frames" 600 frameless
look_at_callers
check 'jit code without frame pointer: callers are not found, and none is wrong' awk 'NR == 1 { exit !($5 > 0 && $6 == 0) }' "$T/right"
finish
start "$CASES/returns" 600 lies
look_at_callers
check 'false unwind information: the place is named' \
	grep -q '^# wrong [0-9]* returns+0x[0-9a-f]*: caller returns+0x[0-9a-f]*, not returns+0x' "$T/right"
finish

# Guile's code has neither unwind information nor frame pointers: one stack in a hundred is cut there
cut='|\[truncated[^;]*\]'
if of_runtime guile guile guile --no-auto-compile "$T/work.scm"; then
	compiled guile
	end_runtime
fi
cut=''
if command -v erlc >/dev/null; then
	erlc -o "$T" "$T/work.erl" >"$T/erlc.out" 2>&1 || note "$T/erlc.out"
fi
if of_runtime erlang erl erl -noshell -noinput -pa "$T" -s work main; then
	compiled erlang
	callers erlang
	end_runtime
fi
if of_runtime luajit luajit luajit "$T/work.lua"; then
	compiled luajit
	callers luajit
	end_runtime
fi
# regular expressions of PCRE2, also with calls inside them
mkfifo "$T/lines"
yes 'a thing that sings, abcddd queueing, and no more of it' >"$T/lines" &
feeder=$!
if of_runtime pcre2 grep sh -c "echo spinning; LC_ALL=C exec grep -Pc '(a|b|c+d*)+([aeiou]{2,}|qu)(?:(x)|y|(?1))*[^ ]*ing' '$T/lines'"; then
	compiled pcre2
	callers pcre2
	check 'pcre2: compiled code is called that' grep -q ';\[pcre jit\]_\[j\][; ]' "$T/pcre2.folded"
	end_runtime
fi
kill "$feeder" 2>/dev/null || :
wait "$feeder" 2>/dev/null || :
for jit in off on; do
	if of_runtime "calls, luajit -j$jit" luajit luajit -j$jit "$T/calls.lua"; then
		callers "calls, luajit -j$jit"
		end_runtime
	fi
done
