# SPDX-License-Identifier: GPL-2.0-or-later
# 54-mem: compares ngx-mem with nginx's debug log of what it has allocated and freed, with known numbers of keys in zones, and with the
# numbers that Lua reports for its dictionaries.
set -u
. "$TOP/tests/nginx/lib.sh"

use_release "$nginx_with_lua" || { skip all "$no_root"; exit 0; }
mkdir -p "$work/html"
modules "$work/modules.conf"
head -c 1000000 /dev/zero >"$work/html/big"
echo small >"$work/html/small"
start_nginx "$here/mem.conf" || exit 1

# memory TABLE [PID]: prints that table as CSV
memory() {
	"$bin/ngx-mem" -p "${2-$master}" --csv --table "$1"
}

# field TABLE COLUMN KEY…: prints a field of the row whose first fields are KEY…
field() {
	memory "$1" | awk -F, -v column="$2" -v key="$3," 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) n = i }
		index($0, key) == 1 { print $n }'
}

# ---- pools
mkdir "$work/html/auth"
echo small >"$work/html/auth/small"
mkfifo "$T/in"
python3 "$here/clients.py" "$PORT" "$BACK" <"$T/in" >"$T/clients" 2>"$T/errors" &
clients=$!
exec 9>"$T/in"
until_true grep -q '^ready' "$T/clients" || { not_ok 'the clients' "$(tail -n 1 "$T/errors")"; kill "$clients"; }
for i in 1 2 3; do
	curl -s -o "$T/body$i" "http://127.0.0.1:$PORT/slow/big" 9>&- &
	slow="${slow-} $!"
done
count_of() {
	memory pools | awk -F, -v location="$1" '$2 == "requests" && $4 == location { print $5 }'
}
settled() {
	[ "$(count_of /slow/)" = 3 ]
}
until_true settled
# read_at_rest: reads; fails if nginx allocated or freed anything during the reading. $T/log is nginx's log until then.
read_at_rest() {
	before=$(wc -c <"$work/errors")
	"$bin/ngx-mem" -p "$master" --json >"$T/json" 2>"$T/said"
	status=$?
	cp "$work/errors" "$T/log"
	! tail -c "+$((before + 1))" "$T/log" | grep -qaE 'malloc|posix_memalign| free:'
}
check 'it is read while nothing changes' until_true read_at_rest
check_eq 'exit' 0 "$status"
check_eq 'nothing is said' '' "$(cat "$T/said")"
judged python3 "$here/judge_mem.py" "$T/json" "$T/log"
exec 9>&-
wait "$clients"
# shellcheck disable=SC2086 # numbers
kill $slow
gone() {
	! memory pools | grep -q '/slow/\|/back/'
}
check 'pools of requests that have ended are gone' until_true gone

# ---- zones
check_eq 'zones and their modules' "backs,ngx_http_upstream_module,65536 cached,ngx_http_proxy_module,2097152 keys,ngx_http_limit_req_module,1048576 " \
	"$(memory zones | sed 1d | grep -v ngx_http_lua_module | cut -d , -f 1-3 | sort | tr '\n' ' ')"
used_of_keys() {
	memory slots | awk -F, '$1 == "keys" { sum += $4 } END { print sum + 0 }'
}
before=$(used_of_keys)
pages=$(field zones used keys)
i=0
while [ $i -lt 300 ]; do
	echo "url = http://127.0.0.1:$PORT/small?key=$((i + 1000))"
	echo "output = $T/body"
	i=$((i + 1))
done >"$T/urls"
curl -s -K "$T/urls"
check_eq 'a node for each key' 300 "$(($(used_of_keys) - before))"
slot=$(memory slots | awk -F, '$1 == "keys" && $4 >= 300 { print $2, $3 }')
check_eq 'pages for them' "$((${slot#* } * ${slot% *} / 4096))" "$((($(field zones used keys) - pages) / 4096 + 1))"
check_eq 'used and free pages are all of it but the head' yes "$(memory zones | awk -F, 'NR > 1 { rest = $3 - $4 - $5; if (rest < 0 || rest > 4096 + $3 / 64) bad = 1; if ($6 > $5) bad = 1 }
	END { print bad ? "no" : "yes" }')"
check_eq 'a worker: the same zones' "$(memory zones)" "$(memory zones "$(memory pools | awk -F, 'NR == 2 { print $1 }')")"

# ---- dictionaries
curl -s "http://127.0.0.1:$PORT/fill" >"$T/lua"
check_eq 'capacity, free and keys, as Lua says' "$(cat "$T/lua")" \
	"$(field dicts capacity cats),$(field dicts free cats),$(($(field dicts keys cats) - $(field dicts expired cats)))"
check_eq 'keys' 2000 "$(field dicts keys cats)"
check_eq 'expired' 200 "$(field dicts expired cats)"
check_eq 'bytes of keys' "$((9 * 4 + 90 * 5 + 900 * 6 + 1001 * 7))" "$(field dicts key_bytes cats)"
check_eq 'bytes of values' $((20 * 99 * 50)) "$(field dicts value_bytes cats)"
check_eq 'an empty one' 0 "$(field dicts keys none)"
"$bin/ngx-mem" -p "$master" --text >"$T/text"
check_eq 'text: four tables' 'worker zone zone dict ' "$(awk 'NR == 1 || last == "" { printf "%s ", $1 } { last = $0 }' "$T/text")"
"$bin/ngx-mem" -p $$ >"$T/out" 2>"$T/said"
check_eq 'no nginx: exit' 2 $?
check 'no nginx: said' grep -q "^ngx-mem: no worker of nginx in process $$ " "$T/said"
stop_nginx
leave_release
