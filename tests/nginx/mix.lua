-- SPDX-License-Identifier: GPL-2.0-or-later
-- For wrk: requests of the places in its arguments, such as /gz/, each with one of 64 numbers.
local places, nr = {}, 0

function init(args)
	for i = 1, #args do places[i] = args[i] end
end

function request()
	nr = nr + 1
	return wrk.format("GET", places[nr % #places + 1] .. nr * 7 % 64, { ["Accept-Encoding"] = "gzip" })
end
