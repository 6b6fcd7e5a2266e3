-- SPDX-License-Identifier: GPL-2.0-or-later
-- many.lua flushes|states: runs until it is killed. The numbers in the functions' names tell which stacks are right.
-- flushes: outer_N calls inner_N, which is inlined into a trace, for a thousand N; the traces are flushed again and again.
-- states: the same in a hundred Lua states of this process, one after the other.
local format = string.format

local function source(n)
	return format([[
		local values = { 1, 2, 3, 4, 5, 6, 7, 8 }
		local function inner_%d(i) local value = values[i %% 8 + 1] if value == 9 then return 0 end return value * i %% 11 end
		function outer_%d(n) local sum = 0 for i = 1, n do sum = sum + inner_%d(i) end return sum end]], n, n, n)
end

local function flushes()
	for n = 1, 1000 do assert(loadstring(source(n), '@f' .. n))() end
	print 'ready'
	while true do
		for n = 1, 1000 do _G['outer_' .. n](10000) end
		jit.flush()
	end
end

local ffi = require 'ffi'
ffi.cdef [[
	typedef struct lua_State lua_State;
	lua_State *luaL_newstate(void);
	void luaL_openlibs(lua_State *);
	int luaL_loadbuffer(lua_State *, const char *, size_t, const char *);
	int lua_pcall(lua_State *, int, int, int);
	void lua_getfield(lua_State *, int, const char *);
	void lua_pushinteger(lua_State *, ptrdiff_t);
]]
local GLOBALS = -10002

local function new_state(n)
	local state, text = ffi.C.luaL_newstate(), source(n)
	ffi.C.luaL_openlibs(state)
	assert(ffi.C.luaL_loadbuffer(state, text, #text, '@f' .. n) == 0 and ffi.C.lua_pcall(state, 0, 0, 0) == 0)
	return state
end

local function states()
	jit.off(true, true) -- functions that may call back into Lua must not be called from traces
	local all = {}
	for n = 1, 100 do all[n] = new_state(n) end
	print 'ready'
	while true do
		for n = 1, 100 do
			ffi.C.lua_getfield(all[n], GLOBALS, 'outer_' .. n)
			ffi.C.lua_pushinteger(all[n], 100000)
			assert(ffi.C.lua_pcall(all[n], 1, 0, 0) == 0)
		end
	end
end

io.stdout:setvbuf 'no'
if ... == 'flushes' then flushes() else states() end
