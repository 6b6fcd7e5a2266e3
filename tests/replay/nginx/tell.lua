-- SPDX-License-Identifier: GPL-2.0-or-later
-- tell.lua: tells tests/replay/take, from nginx's own variables, which request nginx processes.
jit.off()
local out = io.open('/dev/null', 'w')
out:setvbuf 'no'
local busy = 3000 -- rounds of a loop after each message: more instructions than take steps through
local told = {} -- places of the requests that were told

local function line(name, value)
	return value and value ~= '' and ('\t%s %s'):format(name, value) or ''
end

local function labels()
	local v = ngx.var
	return line('uri', v.uri) .. line('args', v.args) .. line('method', v.request_method) .. line('host', v.host) ..
		line('server', v.server_name) .. line('client', v.remote_addr) .. line('conn', v.connection) ..
		line('sub', ngx.is_subrequest and 1 or 0)
end

-- message PLACE WHERE LABELS: sends a message once for each place and URI
local function message(place, where, of)
	local name = ngx.var.uri .. ', ' .. place
	if told[name] then return false end
	told[name] = true
	out:write(('replay: request %s\t%s%s\n'):format(name, where, of))
	return true
end

-- tell PLACE: tells the request that is processed here
function tell(place)
	if message(place, '-', labels()) then
		for _ = 1, busy do end
	end
end

-- tells the same request, but outside of Lua: the location names the place, in code that works for this request only
function tell_later()
	local where = ngx.var.later
	if where and where ~= '' and not ngx.is_subrequest then message((where:match '%(%)$' and 'after ' or 'in ') .. where, where, labels()) end
end

-- tells the request until it is freed; then there is none
function tell_end()
	if not ngx.is_subrequest then message('after its end', 'ngx_destroy_pool()', '\tno request') end
end
