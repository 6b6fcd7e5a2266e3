-- SPDX-License-Identifier: GPL-2.0-or-later
-- climb.lua DEPTH [WIDTH]: computes without end below DEPTH calls. With WIDTH 1 it calls always the same functions, so that LuaJIT inlines
-- them into one trace; otherwise it calls WIDTH different functions in varying order.
local depth, width = tonumber(arg[1]), tonumber(arg[2] or 1)
local x = 1
local levels = {}

local function leaf()
	for _ = 1, width == 1 and 1 or 10 do
		x = (x * 69069 + 1) % 4294967296
	end
	return x
end

for level = 1, depth - 2 do -- the main chunk is one, leaf another
	local list = {}
	for n = 1, width do
		local below = levels[level - 1]
		local source = 'local below, leaf, width = ... return function(x) return %s + %d end'
		local call = below and 'below[width == 1 and 1 or math.floor(x / 65536) % width + 1]((x * 69069 + 1) % 4294967296)' or 'leaf()'
		list[n] = assert(load(source:format(call, n), '=climb' .. level))(below, leaf, width)
	end
	levels[level] = list
end

local top = levels[#levels] or {leaf}
while true do
	x = top[1](x) % 4294967296
end
