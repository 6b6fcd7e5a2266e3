-- SPDX-License-Identifier: GPL-2.0-or-later
-- Each number has a function of its own, named after it; run() calls the function of the request's number, which yields to other requests.
local chunks = {}
for id = 0, 63 do
	chunks[id] = loadstring([[
		local function work(n)
			local sum = 0
			for i = 1, n do sum = sum + #tostring(i) end
			return sum
		end
		for _ = 1, 20 do
			work(400)
			ngx.sleep(0)
		end
	]], "=request" .. id)
end

function run()
	local id = ngx.var.uri:match("%d+")
	chunks[tonumber(id)]()
	ngx.say(id)
end

-- Blocks for 30 ms, without yielding to other requests.
local ffi = require("ffi")
ffi.cdef("int usleep(unsigned microseconds);")

function block()
	ffi.C.usleep(30000)
	ngx.say("done")
end
