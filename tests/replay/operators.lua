-- SPDX-License-Identifier: GPL-2.0-or-later
-- operators.lua: keeps Lua in one bytecode after the other, and tells each of them to tests/replay/take. The names are those that luac -l
-- and luajit -bl give for these lines.

local replay = assert(io.open('/dev/null', 'w'))
replay:setvbuf 'no'

local is_jit = jit ~= nil
local long = ('x'):rep(20000)
local equal = ('x'):rep(19999) .. 'x'
local other = ('x'):rep(19999) .. 'y'
local words = {}
for i = 1, 2000 do words[i] = 'word' .. i end

-- tells OP LEAF: what the caller does next, and the C function that it calls for that, if any
local function tells(op, leaf)
	local frames, places = { leaf }, { situation, 'main\\x20chunk' }
	for level, place in ipairs(places) do
		frames[#frames + 1] = ('operators:%s operators.lua:%d'):format(place, debug.getinfo(level + 1, 'l').currentline)
	end
	frames[#frames + 1] = '[C]'
	replay:write(('replay: moment %s\t-\top=%s\t%s\n'):format(situation, op, table.concat(frames, '\t')))
end

function compares() tells(is_jit and 'ISLT' or 'LT'); result = long < other end
function joins() tells(is_jit and 'CAT' or 'CONCAT'); result = long .. other .. equal end
function calls() tells('CALL', 'string.rep'); result = long.rep('xyz', 2000) end
function concats() tells('CALL', 'table.concat'); result = table.concat(words) end
function loops() tells(is_jit and 'FORL' or 'FORLOOP'); for _ = 1, 5000 do end end

situation = 'compares'; compares()
situation = 'joins'; joins()
situation = 'calls'; calls()
situation = 'concats'; concats()
situation = 'loops'; loops()
