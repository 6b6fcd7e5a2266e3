-- SPDX-License-Identifier: GPL-2.0-or-later
-- exits.lua MODE: when it reads a line, it leaves its traces a known number of times; then it waits for another line.
local mode = ...
local function count(n, each)
	local sum = 0
	for i = 1, n do
		if i % each == 0 then sum = sum + 2 else sum = sum + 1 end
	end
	return sum
end
local function side(n, each)
	local sum = 0
	for i = 1, n do
		if i % 2 == 0 then
			if i % each == 0 then sum = sum + 3 else sum = sum + 2 end
		else
			sum = sum + 1
		end
	end
	return sum
end
if mode == "off" then jit.off() end
-- so that no exit becomes a side trace
if mode ~= "side" then jit.opt.start("hotexit=1000000") end
count(1000, 2000)
if mode == "side" then
	side(10000, 20000)
	jit.opt.start("hotexit=1000000")
end
io.write("ready\n")
io.flush()
io.read("*l")
if mode == "flush" then
	for _ = 1, 50 do
		jit.flush()
		count(1000, 2000)
		count(6000, 3)
	end
elseif mode == "side" then
	side(300000, 10)
else
	count(300000, 3)
end
io.write("done\n")
io.flush()
if mode ~= "end" then io.read("*l") end
