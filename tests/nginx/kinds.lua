-- SPDX-License-Identifier: GPL-2.0-or-later
-- Each URI has a function of its own, named after the letters and the number in it, such as final7. A subrequest whose URI has no number
-- uses its main request's number.
local chunks = {}

local function chunk()
	local kind, number = ngx.var.uri:match("^/(%a+)"), ngx.var.request_uri:match("%d+")
	if not kind or not number then return function() end end
	local name = kind .. number
	if not chunks[name] then
		chunks[name] = loadstring([[
			local function work(n)
				local sum = 0
				for i = 1, n do sum = sum + #tostring(i) end
				return sum
			end
			return work(600)
		]], "=" .. name)
	end
	return chunks[name]
end

function work()
	chunk()()
end

-- Yields to other requests.
function in_turn()
	for _ = 1, 4 do
		work()
		ngx.sleep(0)
	end
end

function at_end()
	if ngx.arg[2] then work() end
end
