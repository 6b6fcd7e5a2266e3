-- SPDX-License-Identifier: GPL-2.0-or-later
-- order.lua: keeps a processor busy for 0.8 s in functions that C calls, for their order with C's frames: a callback of table.sort, a metamethod, and
-- a coroutine after it has yielded, where the language can do that below pcall, "guards" and what it calls.
local function compares(a, b) for _ = 1, 1e5 do end return a < b end
local function sorts() table.sort({ 3, 1, 2 }, compares) return 1 end
local object = setmetatable({}, { __index = function() for _ = 1, 3e5 do end return 1 end })
local function indexes() return object.field, 1 end
local function yields() coroutine.yield() for _ = 1, 3e5 do end end
local function guards() if _VERSION == 'Lua 5.1' then yields() else pcall(yields) end return 1 end
local function resumes() local w = coroutine.wrap(guards) w() w() return 1 end

while os.clock() < 0.8 do
	sorts()
	indexes()
	resumes()
end
