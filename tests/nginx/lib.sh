# SPDX-License-Identifier: GPL-2.0-or-later
# nginx/lib.sh: sourced by tests/nginx/t/*.sh. Needs TOP, BIN and O, which tests/parts sets.

. "$TOP/tests/lib.sh"
. "$TOP/tests/record.sh"
bin=${BIN%/*}
here=$TOP/tests/nginx
built=$TOP/${O:-build}/tests/nginx
LC_ALL=C
export LC_ALL

lua_modules() {
	for module in ndk_http_module ngx_http_lua_module; do
		echo "load_module $1/usr/lib/nginx/modules/$module.so;"
	done
}

has_lua() {
	[ -f /usr/lib/nginx/modules/ngx_http_lua_module.so ]
}

# free_port: a port that nothing listens at, for nginx and for what it asks
free_port() {
	python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# start_nginx CONFIG: in $T/nginx, with $PORT and $BACK in the file replaced; sets master and workers
start_nginx() {
	root=$T/nginx
	mkdir -p "$root/html" "$root/logs"
	chmod 755 "$T_top" "$T" "$root" "$root/html"
	PORT=$(free_port) BACK=$(free_port)
	sed -e "s,@ROOT@,$root,g" -e "s,@PORT@,$PORT,g" -e "s,@BACK@,$BACK,g" "$1" >"$root/nginx.conf"
	nginx -p "$root" -c "$root/nginx.conf" >"$root/start" 2>&1 || { not_ok 'nginx starts' "$(head -n 1 "$root/start")"; return 1; }
	until_true 30 test -s "$root/pid"
	master=$(cat "$root/pid")
	until_true 30 pgrep -P "$master" >/dev/null
	workers=$(pgrep -P "$master" | tr '\n' ' ')
}

stop_nginx() {
	kill -TERM "$master" 2>/dev/null || :
	until_true 30 sh -c "! kill -0 $master 2>/dev/null" || kill -KILL "$master"
}
