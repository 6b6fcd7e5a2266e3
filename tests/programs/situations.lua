-- SPDX-License-Identifier: GPL-2.0-or-later
-- situations.lua FILE [MS [off]]: a program that goes through situations. In each it tells its stack, as debug.getinfo reports it, and
-- then keeps a processor busy in these very frames for about MS (150) milliseconds. With "off" it runs without the JIT compiler.
-- situations-judge --lua judges its recordings. It runs on LuaJIT and on PUC Lua from 5.1 on.
--
-- It prints "ready PID" and goes on when FILE.go exists.
-- FILE gets "subs", the names of functions that it calls between its situations, and "compiled", if the compiler is on, then a line for each
-- situation, with fields separated by tabs:
--	NAME PID TID LEAF FRAME…
-- as situations.pl writes them. FRAMEs are "function file:line", innermost first; LEAF has the C functions that may be called on top of them,
-- separated by commas, or "-". A situation with several stacks has a line for each.
-- A function has the name that the caller's bytecode gives it. Without one, and as a metamethod, it is FILE:LINE of its definition. A C function
-- has its name in its library, or else [C]; its place is ":0".
--
-- With DEFINED=1 in the environment, a function has the name with which its line in the source defines it, if only one function begins there.
--
-- With REPLAY=1 in the environment each situation is also a message for tests/replay/take.
--
-- Rules for situations: a situation's functions have all of their work in one line, because a trace's samples have the line of its last
-- snapshot; nothing else takes noticeable time; between begins and ends only C functions are called that are listed as LEAF.

local file, ms, mode = ...
ms = tonumber(ms) or 150
local compiles = jit and mode ~= 'off'
local loads, unpacks = loadstring or load, unpack or table.unpack
local ffi = jit and require 'ffi'
local out = assert(io.open(file, 'a'))
local name, leaf, frames
local functions = {} -- names of C functions
local replay = os.getenv 'REPLAY' and io.open('/dev/null', 'w')
-- C functions that a host adds to this program, if any: call(f, …) calls f from C, resume(f) as a coroutine; and the names of these functions
local host = host

-- Its number is here while a function that may be the innermost one of several stacks runs, from its beginning to its end; a message tells it.
local none = 0.5
local mark = { none }

n = 100000 -- rounds of an empty loop, compiled as all others are
few = 100000 -- rounds of a loop that is interpreted

out:setvbuf 'no'
if ffi then ffi.cdef [[
	int getpid(void);
	int clock_gettime(int, int64_t *);
	int poll(void *, unsigned long, int);
	void qsort(void *, size_t, size_t, int (*)(const int *, const int *));
]] end

-- ---- the current stack

local function learn_functions()
	local prefix = { _G = '', [_G] = '' }
	for library, of in pairs(package.loaded) do
		if type(of) == 'table' and not prefix[of] then
			for key, f in pairs(of) do
				if type(f) == 'function' and not functions[f] then functions[f] = library .. '.' .. tostring(key) end
			end
		end
	end
	for key, f in pairs(_G) do
		if type(f) == 'function' then functions[f] = key end
	end
	for f, symbol in pairs(host and host.names or {}) do functions[f] = symbol end
end

-- Returns the name of a C function. LuaJIT has a number for each of its own, also for functions that no table has; others, such as require, have
-- only an address. For PUC Lua all functions of a library are known.
local function c_name(f)
	local id = jit and require('jit.util').funcinfo(f).ffid
	if jit and not (host and host.names[f]) and not (id and id > 1) then return '[C]' end
	if functions[f] then return functions[f] end
	local has_names, names = pcall(require, 'jit.vmdef')
	return has_names and id and names.ffnames[id] or '[C]'
end

local function hex(c)
	return ('\\x%02x'):format(c:byte())
end

local function escaped(text)
	return (text:gsub('[%c \\]', hex))
end

local function source_of(i)
	return i.source:match '^[@=](.*)' or i.short_src
end

local lines = {} -- of this file, if names come from it
if os.getenv 'DEFINED' then for line in io.lines(arg[0]) do lines[#lines + 1] = line end end

-- Returns the name with which the line of I's function defines it; "" if it has none; nil if the line does not tell
local function defined(i)
	local line = i.source == '@' .. arg[0] and lines[i.linedefined] or ''
	local _, functions = line:gsub('%f[%w]function[ %w_.:]*%(', '')
	if functions ~= 1 or i.what == 'main' then return end
	return line:match 'function [%w_.:]-([%w_]+)%(' or line:match '([%w_]+) = function' or line:match "^%S*%['([^'\\]*)'%] = function" or
		(line:match '[({] ?function' or line:match 'return function' or line:match ', function') and ''
end

-- returns a function as debug.getinfo reports it, as text
local function frame(i)
	if i.what == 'C' then return escaped(c_name(i.func)) .. ' :0' end
	local source = source_of(i)
	local name = i.what == 'main' and 'main chunk' or defined(i) or i.namewhat ~= 'metamethod' and i.name
		-- stripped code may have empty names; "(for generator)", "for iterator", "integer index" and "?" are not names
	if not name or name == '' or name:match '^[(?]' or name == 'for iterator' or name == 'integer index' then name = source .. ':' .. math.max(i.linedefined, 0) end
	return escaped(name) .. ' ' .. escaped(source .. ':' .. math.max(i.currentline, 0))
end

-- Returns a function as flametap shows it: the module's name before the function's, C functions without a place, the first line of a chunk without a file.
local function told(i)
	if i.what == 'C' then
		local known = c_name(i.func)
		return host and host.names[i.func] and '[C]' or escaped(known)
	end
	local source, line = i.source:match '^[@=](.*)', ':' .. math.max(i.linedefined, 0)
	local base, name = (source or ''):match '[^/]*$', frame(i)
	if not source then
		source = i.source:match '^[^%c]*':sub(1, 45)
		source = '[string "' .. source .. (source == i.source and '"]' or '..."]')
		base = source
	elseif i.source:match '^=' then
		base = source
	end
	name = name:match '^(%S*) '
	if name == escaped(source_of(i) .. line) then
		name = base .. line
	else
		name = base:gsub('%.lua$', '') .. ':' .. name:gsub('\\x(%x%x)', function(h) return string.char(tonumber(h, 16)) end)
	end
	return escaped(name) .. ' ' .. escaped(source .. ':' .. math.max(i.currentline, 0))
end
local frame = replay and told or frame

-- the caller of a coroutine: it is stored before the call, because nothing else can tell it
below, calling = {}, {}

-- stack LEVEL: returns the stack, innermost first, from the caller's LEVEL on (1 is the caller itself)
function stack(level)
	local all = {}
	while true do
		local i = debug.getinfo(level + 1, 'nSlf')
		if not i then break end
		if i.what ~= 'tail' then all[#all + 1] = frame(i) end -- 5.1 has one for functions that are not there any more
		level = level + 1
	end
	local thread, is_main = coroutine.running()
	if thread and not is_main then
		below[thread] = below[thread] or calling
		for _, f in ipairs(below[thread]) do all[#all + 1] = f end
	end
	return all
end

-- resumes F [COROUTINE]: announces that the caller is going to call F, a C function, in this very line, which runs a coroutine
function resumes(f, thread)
	calling = stack(2)
	table.insert(calling, 1, replay and frame { what = 'C', func = f } or c_name(f) .. ' :0')
	if thread then below[thread] = calling end
end

-- ---- a situation

-- CPU time in nanoseconds of this thread, the only one
local now_is = ffi and ffi.new 'int64_t[2]'
local function cpu()
	if not ffi then return os.clock() * 1e9 end
	ffi.C.clock_gettime(3, now_is) -- CLOCK_THREAD_CPUTIME_ID
	return tonumber(now_is[0]) * 1e9 + tonumber(now_is[1])
end

local function write(name, leaf, frames)
	out:write(table.concat({ name, pid, pid, leaf, unpacks(frames) }, '\t'), '\n')
end

-- tells KIND NAME TEXT: sends the message in one write
local function tells(kind, name, text)
	if replay then replay:write(('replay: %s %s\t%s\n'):format(kind, name, text)) end
end

-- begins NAME [LEAF]: remembers the caller's stack
function begins(what, on_top)
	name, leaf, frames = what, on_top or '-', stack(2)
	tells('moment', name, '-\t' .. table.concat(frames, '\t'))
end

function ends()
	write(name, leaf, frames)
end

-- rounds WORK: returns how many calls of it take at least MS, by the fastest of some calls, because nothing makes a call faster than it is
local function rounds(work, ...)
	local least
	for _ = 1, 7 do
		local begun = cpu()
		work(...)
		local took = math.max(cpu() - begun, 1e4) -- some clocks stand still
		least = math.min(least or took, took)
	end
	return ms * 1e6 / least
end


-- goes WORK COUNT [SAYS]: WORK's stacks are on top of this function's stack, which is returned, and told by SAYS before
local function goes(work, count, says) local own = stack(1); if says then says(own) end work(count); return own end

-- learns S: collects the stacks of its work, above goes, by interpreting one instruction after the other
local function learns(s)
	local seen = {}
	local function looks()
		local above, level, last = {}, 2
		while true do
			local i = debug.getinfo(level, 'nSlf')
			if not i then return end -- it is beginning or ending
			if i.func == goes then break end
			if i.what ~= 'tail' then above[#above + 1] = frame(i) end
			level, last = level + 1, i.func
		end
		if last ~= s.work then return end
		local key = table.concat(above, '\t')
		if mark[1] ~= none then
			assert((s.marks[key] or mark[1]) == mark[1])
			s.marks[key] = mark[1]
		end
		if seen[key] then return end
		seen[key] = true
		s.stacks[#s.stacks + 1] = above
	end
	if compiles then jit.off() end
	debug.sethook(looks, '', 1)
	goes(s.work, s.least)
	debug.sethook()
	if compiles then jit.on() end
end

-- several NAME WORK SETTINGS: WORK(COUNT) has several stacks, COUNT times; it has all of them within `least` times (6). leaf: as for begins.
-- All stacks are learnt here; `measures` compiles WORK after all are learnt, because no hook is called in compiled code. go() is the situation, later.
local measures = {}
local function several(name, work, settings)
	local s = settings or {}
	s.name, s.work, s.stacks, s.marks, s.least = name, work, {}, {}, s.least or 6
	learns(s)
	s.count = s.times or 20000
	measures[#measures + 1] = function() s.count = math.ceil(s.count * rounds(work, s.count)) end
	return function()
		local function each_stack(own, what)
			for _, above in ipairs(s.stacks) do
				local all = {}
				for _, f in ipairs(above) do all[#all + 1] = f end
				for _, f in ipairs(own) do all[#all + 1] = f end
				what(all, s.marks[table.concat(above, '\t')])
			end
		end
		local function says(own)
			local text = {}
			each_stack(own, function(all, number)
				local frames = '\t' .. table.concat(all, '\t')
				text[#text + 1] = '\t' .. (number or '-') .. frames
				for on_top in (s.leaf or ''):gmatch '[^,]+' do text[#text + 1] = '\t-\t' .. on_top .. frames end
			end)
			tells('several', s.name, table.concat(text, '\t'))
		end
		each_stack(goes(s.work, s.count, replay and says), function(all) write(s.name, s.leaf or '-', all) end)
	end
end

local function loop() for _ = 1, n do end end
local function interpreted_loop() for _ = 1, few do end end
local function own_id()
	if ffi then return ffi.C.getpid() end
	return io.open('/proc/self/stat'):read '*n'
end
local function waits()
	while true do
		local go = io.open(file .. '.go')
		if go then return go:close() end
		if ffi then ffi.C.poll(nil, 0, 20) else os.execute 'sleep 0.02' end
	end
end

learn_functions()
if jit and not compiles then jit.off() end
if compiles then jit.off(interpreted_loop) end
pid = own_id()
n = math.ceil(n * rounds(loop))
few = math.ceil(few * rounds(interpreted_loop))

-- functions that may be on top of a situation's frames before it begins and after it ends
local function helpers()
	local i = debug.getinfo(hex, 'S')
	local all = { 'begins', 'ends', 'resumes', 'stack', 'frame', 'c_name', 'escaped', 'source_of', 'write', 'cpu', 'goes', 'situation', 'closures', 'waits',
		source_of(i) .. ':' .. i.linedefined }
	for _, f in pairs(functions) do all[#all + 1] = f end
	table.sort(all)
	for k, f in ipairs(all) do all[k] = escaped(f) end
	return all
end
out:write('subs\t', table.concat(helpers(), '\t'), '\n', compiles and 'compiled\n' or '')

local texts = { ('x'):rep(20000), ('y'):rep(20001) }
numbers = {}
for i = 1, 100 do numbers[i] = i * 7919 % 101 end

-- ---- with several stacks: functions that a compiler puts into one piece of code

-- guards, at which a compiler makes snapshots
local function h(x) mark[1] = 1.5 x = x * 1.5 + 1 if x > 901 then x = x - 801 end x = x * 1.25 + 2 if x > 902 then x = x - 802 end x = x * 1.125 + 3 if x > 903 then x = x - 803 end x = x * 1.0625 + 4 if x > 904 then x = x - 804 end x = x * 1.5 + 5 if x > 905 then x = x - 805 end x = x * 1.25 + 6 if x > 906 then x = x - 806 end x = x * 1.125 + 7 if x > 907 then x = x - 807 end x = x * 1.0625 + 8 if x > 908 then x = x - 808 end mark[1] = none return x end
local function g(x) local y = h(x); return y + 1 end
local function f(x) local y = g(x); return y + 1 end
local function three(count) local x = 1; for _ = 1, count do x = f(x) end return x end
local function e(x) local y = f(x); return y - 1 end
local function d(x) local y = e(x); return y - 1 end
local function five(count) local x = 1; for _ = 1, count do x = d(x) end return x end
local function other_h(x) mark[1] = 2.5 x = x * 1.75 + 2 if x > 701 then x = x - 601 end x = x * 1.25 + 3 if x > 702 then x = x - 602 end x = x * 1.375 + 4 if x > 703 then x = x - 603 end x = x * 1.0625 + 5 if x > 704 then x = x - 604 end x = x * 1.5 + 6 if x > 705 then x = x - 605 end x = x * 1.75 + 7 if x > 706 then x = x - 606 end x = x * 1.125 + 8 if x > 707 then x = x - 607 end x = x * 1.0625 + 9 if x > 708 then x = x - 608 end mark[1] = none return x end
local function other_g(x) local y = other_h(x); return y + 2 end
local function other_f(x) local y = other_g(x); return y + 2 end
local function branches(count) local x = 1; for i = 1, count do if i % 3 == 0 then x = other_f(x) else x = f(x) end end return x end
local function jumps_to_h(x) return h(x) end
local function jumps_on(x) return jumps_to_h(x) end
local function tails(count) local x = 1; for _ = 1, count do x = jumps_on(x) end return x end
local methods = {}
methods.__index = methods
function methods:set(x) self.x = h(x) return self end
function methods:get() local x = self.x; return self:set(x).x end
local function objects(count) local o = setmetatable({ x = 1 }, methods); for _ = 1, count do o:get() end return o.x end
local number = {}
number.__add = function(a, b) local x = h(a.x + b); a.x = x; return a end
number.__index = function(a, key) local x = h(rawget(a, 'x')); return x end
number.__lt = function(a, b) local x = h(a.x); return x > b.x end
local function operators(count) local o, m, s = setmetatable({ x = 1 }, number), setmetatable({ x = 2 }, number), 0; for _ = 1, count do o = o + 1; s = o.none; if o < m then s = 0 end end return s end
local function any(...) local x = h((...)); return x + select('#', ...) end
local function passes_on(...) local x = any(...); return x - 1 end
local function varargs_too(count) local x = 1; for i = 1, count do x = passes_on(x, i, nil) end return x end
local function safe(x) local ok, y = pcall(f, x); return y end
local function protected(count) local x = 1; for _ = 1, count do x = safe(x) end return x end
local function closes_over(count) local x = 1; local function adds(by) x = h(x) + by; return x end for i = 1, count do adds(2) end return x end
local function walks(of, i) i = i + 1; if i <= 8 then return i, h(of[i]) end end
local function custom(of) return walks, of, 0 end
local function iterates(count) local s = 0; for _ = 1, count do for _, x in custom(numbers) do s = s + x end end return s end
local function by_pairs(count) local s = 0; for _ = 1, count do for _, x in ipairs(numbers) do s = s + h(x) end end return s end
local function fib(k) if k < 2 then return k end return fib(k - 1) + fib(k - 2) end
local function fibs(count) local s = 0; for _ = 1, count do s = s + fib(7) end return s end
local function deep(k, x) if k == 0 then return h(x) + 1 end local y = deep(k - 1, x); return y + 1 end
local depth = replay and 8 or 20
local function deeps(count) local x = 1; for _ = 1, count do x = deep(depth, x) % 100 end return x end
local function makes(x) local t = { h(x), x, {} }; kept = t; return t[1] end
local function allocates(count) local x = 1; for _ = 1, count do x = makes(x) end return x end
local function text_of(x) local s = ('%d-%s'):format(x, 'abc'); return #s end
local function reverses_text(count) for i = 1, count do kept = string.reverse(texts[i % 2 + 1]) end end
local function finds_text(count) for i = 1, count do kept = string.find(texts[i % 2 + 1], 'z') end end
local function formats_text(count) for i = 1, count do kept = string.format('%s %g', i, 1.5) end end
local function asks_date(count) for _ = 1, count do kept = os.date() end end
local function joins(count) for _ = 1, count do kept = table.concat(numbers, ',') end end
local function makes_text(count) local s = 0; for i = 1, count do s = s + text_of(i) end return s end
local function less(a, b) local x, y = h(a), h(b); return x < y or x == y and a < b end
local function sorts_numbers(count) for _ = 1, count do local t = {}; for i = 1, 40 do t[i] = (i * 7919) % 41 end table.sort(t, less) end end
local function replaced(c) local x = h(#c); return x > 0 and c end
local function replaces(count) for _ = 1, count do string.gsub('abcdefgh', '%w', replaced) end end
local function matches(count) local s = 0; for _ = 1, count do for c in string.gmatch('abcdefgh', '%w') do s = h(s + #c) end end return s end
local function produces() local x = 1; while true do x = h(x); coroutine.yield(x) end end

local all_several = {
	several('inlined, three levels', three),
	several('inlined, five levels', five),
	several('inlined, in a side trace, too', branches, { least = 12 }),
	several('inlined, by tail calls', tails),
	several('inlined methods', objects),
	several('inlined metamethods', operators, { leaf = 'rawget' }),
	several('inlined, with varargs', varargs_too, { leaf = 'select' }),
	several('inlined, below pcall', protected, { leaf = 'pcall' }),
	several('inlined closure', closes_over),
	several('inlined iterator', iterates, { times = 2000 }),
	several('inlined, in ipairs', by_pairs, { least = 2, times = 500 }),
	several('recursion, compiled', fibs, { least = 1, times = 1000 }),
	several('recursion, 20 deep, compiled', deeps, { least = 1, times = 1000 }),
	several('allocates', allocates),
	several('makes text', makes_text, { leaf = 'string.format' }),
	several('string.reverse', reverses_text, { least = 2, times = 100, leaf = 'string.reverse' }),
	several('string.find', finds_text, { least = 2, times = 100, leaf = 'string.find' }),
	several('string.format', formats_text, { least = 2, times = 1000, leaf = 'string.format' }),
	several('table.concat', joins, { least = 2, times = 100, leaf = 'table.concat' }),
	several('os.date', asks_date, { least = 2, times = 100, leaf = 'os.date' }),
	several('sort by a compiled function', sorts_numbers, { least = 2, times = 20, leaf = 'table.sort' }),
	several('gmatch in a trace', matches, { least = 2, times = 200, leaf = 'string.gmatch_aux,string.gmatch,[C]' }),
	several('gsub by a compiled function', replaces, { least = 2, times = 200, leaf = 'string.gsub' }),
}
for _, measure in ipairs(measures) do measure() end

pcall(require, 'jit.vmdef') -- so that it is not loaded in a situation
if replay then replay:setvbuf 'no' replay:write('replay: found ' .. (jit and jit.version or _VERSION) .. '\n') end
tells('mark', tostring(mark):match '0x(%x+)', none)
io.write('ready ', pid, '\n')
io.flush()
waits()
go = true

-- ---- calls

begins 'main chunk' for _ = 1, n do end ends()

local function plain(what) begins(what) for _ = 1, n do end ends() end
local function calls(what) plain(what) return 1 end
calls 'plain call'
local alias = calls
alias 'alias'
function global(what) begins(what) for _ = 1, n do end ends() end
global 'global function'

do
	local class = { fields = {} }
	class.__index = class
	function class:method() begins 'method' for _ = 1, n do end ends() end
	function class.fields.field() begins 'field' for _ = 1, n do end ends() end
	class.list = { function() begins 'field without name' for _ = 1, n do end ends() end }
	local object = setmetatable({}, class)
	object:method()
	object.fields.field()
	object.list[1]()
end

local function jumped_to() begins 'tail call' for _ = 1, n do end ends() end
local function jumps() return jumped_to() end
local function around() jumps() return 1 end
around()

local function closures(what) return function() begins(what) for _ = 1, n do end ends() end end
for _, closure in ipairs { closures 'closures', closures 'closures' } do closure() end
(function() begins 'anonymous' for _ = 1, n do end ends() end)()

local function recurses(left) if left > 0 then recurses(left - 1) return 1 end begins 'recursion, 150 deep' for _ = 1, n do end ends() end
recurses(replay and 59 or 149)

local function varargs(...) begins('varargs ' .. select('#', ...)) for _ = 1, n do end ends() end
varargs(1, nil, 3)
varargs()
local function passes(...) varargs(...) return 1 end
passes(1, 2, 3, 4)

-- ---- coroutines

local function body(what) begins(what) for _ = 1, n do end ends() end
local function runs(what) local co = coroutine.create(body); resumes(coroutine.resume, co) coroutine.resume(co, what) return 1 end
runs 'coroutine.resume'
local function wraps() local w = coroutine.wrap(body); resumes(w) w 'coroutine.wrap' return 1 end
wraps()
local function again() body 'resumed again' coroutine.yield() body 'resumed again' end
local function twice() local co = coroutine.create(again); resumes(coroutine.resume, co) coroutine.resume(co); resumes(coroutine.resume, co) coroutine.resume(co) return 1 end
twice()
local function third() begins 'coroutines, three deep' for _ = 1, n do end ends() end
local function second() local w = coroutine.wrap(third); resumes(w) w() return 1 end
local function first() local co = coroutine.create(second); resumes(coroutine.resume, co) coroutine.resume(co) return 1 end
local function nests() local w = coroutine.wrap(first); resumes(w) w() return 1 end
nests()
local fails = jit and error or function(text) error(text) end -- 5.1 has no coroutines of C functions
local function after_error() local co = coroutine.create(fails); resumes(coroutine.resume, co) coroutine.resume(co, 'failed') begins 'after an error in a coroutine' for _ = 1, n do end ends() end
after_error()
local function guarded() pcall(body, 'coroutine, pcall') end
local function resumes_guarded() local co = coroutine.create(guarded); resumes(coroutine.resume, co) coroutine.resume(co) return 1 end
resumes_guarded()
if jit or _VERSION ~= 'Lua 5.1' then
	local function yields() coroutine.yield() body 'resumed below pcall' return 1 end
	local function guards() pcall(yields) return 1 end
	local function calls_guard() guards() return 1 end
	local function resumes_below() local co = coroutine.create(calls_guard); resumes(coroutine.resume, co) coroutine.resume(co); resumes(coroutine.resume, co) coroutine.resume(co) return 1 end
	resumes_below()
end

-- ---- functions that C calls

local function inside() begins 'pcall' for _ = 1, n do end ends() end
local function protects() pcall(inside) return 1 end
protects()
local function nested() begins 'pcall in pcall' for _ = 1, n do end ends() end
local function outer() pcall(nested) return 1 end
local function protects_twice() pcall(outer) return 1 end
protects_twice()
local function traced() begins 'xpcall' for _ = 1, n do end ends() end
local function handles() begins 'error handler' for _ = 1, n do end ends() end
local function raises() error 'raised' end
local function protects_with_handler() xpcall(traced, handles) xpcall(raises, handles) begins 'after an error' for _ = 1, n do end ends() end
protects_with_handler()
local function breaks() local none; return none.field end
local function protects_from_vm() xpcall(breaks, function() begins "handler of the machine's own error" for _ = 1, n do end ends() end) return 1 end
protects_from_vm()

local function compares(a, b) if not seen then seen = true begins 'table.sort' for _ = 1, n do end ends() end return a < b end
local function sorts() table.sort({ 3, 1, 2 }, compares) return 1 end
sorts()
local function replacement() begins 'string.gsub' for _ = 1, n do end ends() end
local function substitutes() string.gsub('a', 'a', replacement) return 1 end
substitutes()
local function reads_chunk() if read then return nil end read = true begins 'load from a function' for _ = 1, n do end ends() return 'return 1' end
local function reads() load(reads_chunk) return 1 end
reads()
local function required() begins 'package.preload' for _ = 1, n do end ends() return 1 end
package.preload.situations = function() required() return 1 end
local function requires() require 'situations' return 1 end
requires()

local meta = {}
meta.__index = function(_, key) if key then begins '__index' for _ = 1, n do end ends() end end
meta.__newindex = function() begins '__newindex' for _ = 1, n do end ends() end
meta.__add = function() begins '__add' for _ = 1, n do end ends() end
meta.__unm = function() begins '__unm' for _ = 1, n do end ends() end
meta.__lt = function() begins '__lt' for _ = 1, n do end ends() end
meta.__le = function() begins '__le' for _ = 1, n do end ends() end
meta.__eq = function() begins '__eq' for _ = 1, n do end ends() end
meta.__concat = function() begins '__concat' for _ = 1, n do end ends() return '' end
meta.__call = function() begins '__call' for _ = 1, n do end ends() end
meta.__tostring = function() begins '__tostring' for _ = 1, n do end ends() return 'x' end
local object, object_too = setmetatable({}, meta), setmetatable({}, meta)
local function below_index() return object.field, 1 end
local function below_newindex() object.field = 1 return 1 end
local function below_add() return object + 1, 1 end
local function below_unm() return -object, 1 end
local function below_lt() if object < object_too then return 2 end return 1 end
local function below_le() return object <= object_too, 1 end
local function below_eq() return object == object_too, 1 end
local function below_concat() return object .. 'b', 1 end
local function below_call() object() return 1 end
local function below_tostring() return tostring(object), 1 end
below_index() below_newindex() below_add() below_unm() below_lt() below_le() below_eq() below_concat() below_call() below_tostring()

if newproxy then
	local function drops()
		getmetatable(newproxy(true)).__gc = function() begins 'finalizer' for _ = 1, few do end ends() end
		collectgarbage()
		return 1
	end
	drops()
end
if ffi then
	local function frees() begins 'finalizer of cdata' for _ = 1, few do end ends() end
	local function drops()
		ffi.gc(ffi.new 'int[1]', frees)
		collectgarbage()
		return 1
	end
	drops()
	local function calls_back() begins 'FFI callback' for _ = 1, n do end ends() return 0 end
	local callback = ffi.cast('int (*)(const int *, const int *)', calls_back)
	local function qsorts() ffi.C.qsort(ffi.new 'int[2]', 2, 4, callback) return 1 end
	qsorts()
	local function deep_inside() begins 'below an FFI callback' for _ = 1, n do end ends() end
	local function calls_deep() pcall(deep_inside) return 0 end
	callback:set(calls_deep)
	qsorts()
	callback:free()
	local type_of = ffi.metatype('struct { int x; }', { __index = function() begins 'metamethod of cdata' for _ = 1, n do end ends() end })
	local function indexes() return type_of().y, 1 end
	indexes()
end

-- ---- loops

local function custom_iterator(_, i) if not i then begins 'iterator' for _ = 1, n do end ends() return 1 end end
local function iterates_once() for _ in custom_iterator do end return 1 end
iterates_once()
local function in_pairs() for _ in pairs { 1 } do begins 'in pairs' for _ = 1, n do end ends() end end
local function in_ipairs() for _ in ipairs { 1 } do begins 'in ipairs' for _ = 1, n do end ends() end end
local function in_next() for _ in next, { 1 } do begins 'in next' for _ = 1, n do end ends() end end
in_pairs() in_ipairs() in_next()
local function loops() begins 'while and repeat' local i, last = 0, n while i < last / 2 do i = i + 1 end repeat i = i + 1 until i >= last ends() end
loops()
local jumping = loads('local function back() begins "goto" local i, last = 0, few ::again:: i = i + 1 if i < last then goto again end ends() end back() return 1', '=goto')
if jumping then jumping() end

-- ---- chunks

local function chunks()
	loads('begins "chunk" for _ = 1, n do end ends() return 1', '=chunk name')()
	loads('local function made() begins "function in a chunk" for _ = 1, n do end ends() end made() return 1', '@made up; by load.lua')()
	loads('begins "chunk of source text" for _ = 1, n do end ends() return 1')()
	loads('\n\nbegins "chunk of source text, of more than one line" for _ = 1, n do end ends() return 1')()
	local function dumped() begins 'dumped' for _ = 1, n do end ends() end
	loads(string.dump(dumped), '=dumped')()
	local function stripped() begins 'stripped' for _ = 1, n do end ends() end
	loads(string.dump(stripped, true), '=stripped')()
	local whole = loads('local function one() begins "below stripped" for _ = 1, n do end ends() end\nlocal function two() one() return 1 end\ntwo() return 1', '=x')
	loads(string.dump(whole, true), '=stripped, too')()
end
chunks()

-- ---- names

names = { inner = {} }
names.inner.deep = function() begins 'field of a field' for _ = 1, n do end ends() end
names['Hostile;na me\n\\x 1'] = function() begins 'hostile name' for _ = 1, n do end ends() end
names['süß'] = function() begins 'name in UTF-8' for _ = 1, n do end ends() end
names[('l'):rep(120)] = function() begins 'long name' for _ = 1, n do end ends() end
local function calls_by_name()
	names.inner.deep()
	names['Hostile;na me\n\\x 1']()
	names['süß']()
end
calls_by_name()
loads('names.' .. ('l'):rep(120) .. '() return 1', '=long')()

-- ---- called by C

if host then
	local function called() begins 'called by C' for _ = 1, n do end ends() end
	local function calls_c() host.call(called) return 1 end
	calls_c()
	local function resumed() begins 'coroutine resumed by C' for _ = 1, n do end ends() end
	local function resumes_by_c() resumes(host.resume) host.resume(resumed) return 1 end
	resumes_by_c()
	local function innermost() begins 'coroutines resumed by C and by Lua' for _ = 1, n do end ends() end
	local function by_c() resumes(host.resume) host.resume(innermost) return 1 end
	local function by_lua() local w = coroutine.wrap(by_c); resumes(w) w() return 1 end
	local function by_c_again() resumes(host.resume) host.resume(by_lua) return 1 end
	by_c_again()
end

for _, situation in ipairs(all_several) do situation() end
