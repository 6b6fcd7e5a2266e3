-- SPDX-License-Identifier: GPL-2.0-or-later
-- Loads every module that LuaJIT itself has, makes some traces, and runs on.
for _, name in ipairs { "ffi", "jit.util", "jit.opt", "jit.profile", "string.buffer", "table.new", "table.clear", "table.nkeys", "table.isempty",
	"table.isarray", "table.clone", "thread.exdata", "thread.exdata2" } do
	pcall(require, name)
end
local function sum(n)
	local s = 0
	for i = 1, n do s = s + i % 7 end
	return s
end
while true do
	for i = 1, 100 do sum(i) end
	string.gsub("hello", "l", function(c) return c end)
end
