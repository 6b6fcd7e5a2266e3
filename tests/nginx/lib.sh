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
	lua=; has_lua || lua="#"
	sed -e "s,@ROOT@,$root,g" -e "s,@PORT@,$PORT,g" -e "s,@BACK@,$BACK,g" -e "s,@HERE@,$here,g" -e "s,@LUA@,$lua,g" \
		-e "s,@WORKERS@,${WORKERS:-1},g" "$1" >"$root/nginx.conf"
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

# make_html: what the configuration truth.conf serves
make_html() {
	mkdir -p "$T/nginx/html"
	head -c 60000 /dev/urandom | base64 >"$T/nginx/html/text.txt"
	echo '<!--# include virtual="/gz/7" --> <!--# include virtual="/auth/5" -->' >"$T/nginx/html/page.txt"
	echo >"$T/nginx/html/small.txt"
	: >"$T/nginx/modules.conf"
	! has_lua || lua_modules "" >"$T/nginx/modules.conf"
}

# load SECONDS PLACE…: requests of these places, in the background
load() {
	load_time=$1
	shift
	wrk -c 16 -t 1 -d "$load_time" -s "$here/mix.lua" "http://127.0.0.1:$PORT/" -- "$@" >"$T/wrk" 2>&1 &
	loading=$!
	sleep 1
}

end_load() {
	kill "$loading" 2>/dev/null || :
	wait "$loading" 2>/dev/null || :
}

recorder() {
	"$bin/ngx-sample-bt" "$@"
}

# values KEY FILE: "VALUE WEIGHT" of the label, one a line
values() {
	"$bin/bt-report" --by "$1" "$2" 2>/dev/null | sed 1d | sed -E 's/^(.*),([0-9]+),[0-9.]+$/\1 \2/'
}
