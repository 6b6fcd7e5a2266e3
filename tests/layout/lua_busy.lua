-- SPDX-License-Identifier: GPL-2.0-or-later
-- lua_busy.lua: changes its stacks all the time, and enters and leaves compiled code. It prints all possible stacks for
-- tests/replay/take; functions that C calls have the line where they are defined.
local list, seen = { 1, 2, 3 }, 0
local function leaf(x) if x > 900 then x = x - 800 end if x % 7 < 3 then x = x + 1.25 end return x * 1.5 end
local function middle(x) local y = leaf(x); return y + 1 end
local function count(n) local x = 1; for _ = 1, n do x = middle(x) end return x end
local function replaced() seen = seen + leaf(1); return false end
local function replaces() string.gsub('aba', 'a', replaced) return 1 end
local function body() for _ = 1, 3 do seen = middle(1); coroutine.yield() end end
local function resumes() local w = coroutine.wrap(body); w() w() w() return 1 end
local function walks() local s = 0; for _, x in ipairs(list) do s = s + leaf(x) end return s end
local function fails() error('failed', 0) end
local function catches() pcall(fails) return 1 end
local function makes() local t = {}; for i = 1, 10 do t[i] = { leaf(i) } end return t end
local function all() count(20) replaces() resumes() walks() catches() makes() return 1 end

local null -- open to the end, so that no finalizer runs
if os.getenv 'REPLAY' then
	null = assert(io.open('/dev/null', 'w'))
	null:setvbuf 'no'
	null:write([[replay: may ^(\[C\];)?lua_busy:main\\x20chunk(;lua_busy:all(]] ..
		[[;lua_busy:count(;lua_busy:middle(;lua_busy:leaf)?)?|]] ..
		[[;lua_busy:replaces(;string.gsub(;lua_busy.lua:8(;lua_busy:leaf)?)?)?|]] ..
		[[;lua_busy:resumes(;coroutine.wrap(_aux)?|;\[C\]|(;(coroutine.wrap_aux|lua_busy:w|\[C\]))?]] ..
		[[;lua_busy.lua:10(;lua_busy:middle(;lua_busy:leaf)?|;coroutine.yield)?)?|]] ..
		[[;lua_busy:walks(;ipairs(_aux)?|;\[C\]|;lua_busy:leaf)?|]] ..
		[[;lua_busy:catches(;pcall(;lua_busy.lua:13(;error)?)?)?|]] ..
		[[;lua_busy:makes(;lua_busy:leaf)?]] .. ")?)?$\n")
end
while true do all() end
