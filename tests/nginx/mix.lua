-- SPDX-License-Identifier: GPL-2.0-or-later
-- For wrk: requests for the places in its arguments, such as /gz/, each with one of 64 numbers; requests for /post/ have a body.
local places, nr = {}, 0
local body = ("what is in a body"):rep(2000)

function init(args)
	for i = 1, #args do places[i] = args[i] end
end

function request()
	nr = nr + 1
	local place = places[nr % #places + 1]
	local has_body = place == "/post/"
	return wrk.format(has_body and "POST" or "GET", place .. nr * 7 % 64, { ["Accept-Encoding"] = "gzip" }, has_body and body or nil)
end
