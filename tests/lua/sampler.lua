-- SPDX-License-Identifier: GPL-2.0-or-later
-- sampler.lua: `luajit -l sampler programs/situations.lua …` with SAMPLES=FILE in the environment: the program records itself with LuaJIT's
-- own profiler, with stacks as debug.traceback prints them. FILE is a recording for the judge: do the program's own stacks equal LuaJIT's?
-- The profiler waits for the end of a C function, of a finalizer, and, in compiled code, of a loop without calls. Its ticks are the ticks
-- of the kernel's timers, 4 ms.
local ids = require 'jit.vmdef'.ffnames
local info = require 'jit.util'.funcinfo
local profile = require 'jit.profile'
local rows, weights = {}, {}

local function escaped(text)
	text = text:gsub('[%c \\]', function(c) return ('\\x%02x'):format(c:byte()) end)
	return text == '' and '-' or text
end

local function c_function(f)
	local id = info(f).ffid
	return id and id > 1 and ids[id] or '[C]'
end

-- one frame of a traceback, as the fields of a name record
local function of_line(line, f)
	if line:match '^%[C%]' then return c_function(f) .. ' 0 - - 0' end
	local place, is = line:match '^(.-): in (.*)$'
	local source, at = place:match '^(.*):(%d+)$'
	if not source then source, at = place, 0 end
	local name = is:match "^function '(.+)'$"
	if info(f).linedefined == 0 and info(f).lastlinedefined > 0 then name = 'main chunk' end -- also if it is called by a name
	if not name or name:match '^__' or name:match '^%(' then name = source .. ':' .. info(f).linedefined end
	return ('%s 0 - %s %d'):format(escaped(name), escaped(source), at)
end

-- which coroutine was resumed by which frames, reported by the program itself; FRAMEs are "function file:line", escaped
local function of_resumers(thread, frames)
	for _, f in ipairs(below[thread] or {}) do
		local name, source, line = f:match '^(%S+) (.*):(%d+)$'
		frames[#frames + 1] = ('%s 0 - %s %s'):format(name, source == '' and '-' or source, line)
	end
end

-- The lines of a traceback. It leaves out the middle of a deep stack; the program has only one kind of deep stack.
local function lines_of(thread, levels)
	local text = debug.traceback(thread, ''):match '^\n?stack traceback:\n\t(.*)$' .. '\n\t'
	local lines = {}
	for line in text:gsub('\n\t', '\0'):gmatch '%Z+' do lines[#lines + 1] = line end
	for i, line in ipairs(lines) do
		if line == '...' then
			lines[i] = lines[i - 1]
			for _ = #lines + 1, levels do table.insert(lines, i, lines[i]) end
			break
		end
	end
	return lines
end

local function frames_of(thread)
	local frames, functions = {}, {}
	while true do
		local i = debug.getinfo(thread, #functions, 'f')
		if not i then break end
		functions[#functions + 1] = i.func
	end
	for i, line in ipairs(lines_of(thread, #functions)) do frames[i] = of_line(line, functions[i]) end
	of_resumers(thread, frames)
	return frames
end

local main_thread
local function tick(thread)
	main_thread = main_thread or thread
	if not go or thread ~= main_thread and not below[thread] then return end
	local row = table.concat(frames_of(thread), '\n')
	if not weights[row] then
		weights[row] = 0
		rows[#rows + 1] = row
	end
	weights[row] = weights[row] + 1
end

local function write()
	profile.stop()
	local out = assert(io.open(os.getenv 'SAMPLES', 'w'))
	local n = 0
	out:write('flametap-recording 2\nevent 0 on-cpu samples 4000000 cpu\ntask 0 ', pid, ' ', pid, ' 1 luajit\n')
	for id, row in ipairs(rows) do
		local all = {}
		for frame in row:gmatch '[^\n]+' do
			out:write('frame ', n, ' lua name\nname ', n, ' ', frame, '\n')
			all[#all + 1] = n
			n = n + 1
		end
		out:write('stack ', id - 1, ' lua root - ', table.concat(all, ' '), '\nrow 0 0 ', id - 1, ' - ', weights[row], ' ', weights[row], '\n')
	end
	out:write('end ', n, '\n')
	out:close()
end

at_end = newproxy(true) -- at the end of the program
getmetatable(at_end).__gc = write
profile.start('fi4', tick)
