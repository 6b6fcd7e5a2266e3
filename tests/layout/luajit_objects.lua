-- SPDX-License-Identifier: GPL-2.0-or-later
-- Keeps OBJECTS objects of each kind, prints how much memory is allocated, and then does nothing, or, with BUSY, allocates without end.
jit.off()
local n = tonumber(os.getenv("OBJECTS"))
local ffi = require "ffi"
local buffer = ffi.typeof("char[?]")
local keep = { string.rep("x", 1000000) }
local function add(object) keep[#keep + 1] = object end
local function wait()
	local local_one = 1
	add(function() return local_one end)
	coroutine.yield()
end
for i = 1, n do
	add({})
	add({ i })
	add({ a = i, b = i, c = i })
	add(("x"):rep(90) .. (1e9 + i))
	add(function() return i end)
	add(ffi.new("double"))
	add(buffer(100))
	add(newproxy())
	add(coroutine.create(wait))
	coroutine.resume(keep[#keep])
end
collectgarbage()
collectgarbage()
if not os.getenv("BUSY") then collectgarbage("stop") end
io.write(collectgarbage("count") * 1024, "\n")
io.flush()
while true do
	for i = 1, 10000 do
		if os.getenv("BUSY") then keep[i % 5000] = { tostring(i), function() return i end } end
	end
end
