-- SPDX-License-Identifier: GPL-2.0-or-later
-- shares.lua SECONDS: computes for so long, of CPU time, in functions that take unequal shares of it, one of which calls a short one. All in Lua:
-- LuaJIT's profiler only looks between bytecodes, and would count what is done in C for the function that goes on.
local seconds = tonumber(arg[1])

local function sieve(n)
	local composite, count = {}, 0
	for i = 2, n do
		if not composite[i] then
			count = count + 1
			for k = i * i, n, i do composite[k] = true end
		end
	end
	return count
end

local function fib(n)
	if n < 2 then return n end
	return fib(n - 1) + fib(n - 2)
end

local function multiply(a, b, n)
	local c = {}
	for i = 1, n do
		local row, of = {}, a[i]
		for j = 1, n do
			local sum = 0
			for k = 1, n do sum = sum + of[k] * b[k][j] end
			row[j] = sum
		end
		c[i] = row
	end
	return c
end

local function collatz(n)
	local longest = 0
	for i = 1, n do
		local k, length = i, 0
		while k ~= 1 do
			k = k % 2 == 0 and k / 2 or 3 * k + 1
			length = length + 1
		end
		if length > longest then longest = length end
	end
	return longest
end

local function mandelbrot(n)
	local inside = 0
	for y = 1, n do
		for x = 1, n do
			local cr, ci, r, i, steps = 3 * x / n - 2, 2 * y / n - 1, 0, 0, 0
			while steps < 50 and r * r + i * i < 4 do r, i, steps = r * r - i * i + cr, 2 * r * i + ci, steps + 1 end
			if steps == 50 then inside = inside + 1 end
		end
	end
	return inside
end

local function mixes(x)
	for _ = 1, 8 do x = (x * 69069 + 1) % 4294967296 end
	return x
end

local function hashes(n)
	local x = 1
	for i = 1, n do x = (mixes(x) + i) % 4294967296 end
	return x
end

local matrix = {}
for i = 1, 32 do
	matrix[i] = {}
	for j = 1, 32 do matrix[i][j] = i * j % 7 end
end
while os.clock() < seconds do
	sieve(4000)
	fib(19)
	multiply(matrix, matrix, 32)
	collatz(300)
	mandelbrot(30)
	hashes(2000)
end
