# SPDX-License-Identifier: GPL-2.0-or-later
# guest.sh: functions for the guests' tests of nginx: the nginx of a Debian release in its own root, under load. Sourced after lib.sh. Needs
# T.

with_lua=bookworm

# prepare_nginx RELEASE: prepares its root, $root, with 64 files
prepare_nginx() {
	root=/lab/roots/nginx-$1
	: >"$root/tmp/modules.conf"
	mkdir -p "$root/tmp/html/s"
	chmod -R a+rX "$root/tmp"
	[ -c "$root/dev/null" ] || mknod -m 666 "$root/dev/null" c 1 3
	for number in $(seq 0 63); do echo "$number" >"$root/tmp/html/s/$number"; done
	head -c 20000 /dev/urandom | base64 >"$root/tmp/html/text.txt"
	echo '<!--# include virtual="/s/7" --> <!--# include virtual="/gz/5" -->' >"$root/tmp/html/page.txt"
	echo >"$root/tmp/html/small.txt"
}

# start_nginx RELEASE: starts nginx with two workers; sets $master
start_nginx() {
	prepare_nginx "$1"
	lua='#'
	if [ "$1" = $with_lua ]; then
		lua=
		for name in ndk_http_module ngx_http_lua_module; do
			echo "load_module /usr/lib/nginx/modules/$name.so;" >>"$root/tmp/modules.conf"
		done
	fi
	cp /lab/nginx/chunks.lua "$root/tmp/"
	sed -e 's,@ROOT@,/tmp,g' -e 's,@PORT@,8080,g' -e 's,@BACK@,8081,g' -e "s,@LUA@,$lua,g" -e 's,@WORKERS@,2,g' \
		/lab/nginx/truth.conf >"$root/tmp/nginx.conf"
	chroot "$root" nginx -p /tmp -c /tmp/nginx.conf
	until_true test -s "$root/tmp/pid"
	master=$(cat "$root/tmp/pid")
	until_true sh -c "[ \$(pgrep -cP $master) = 2 ]"
}

# load_nginx CLIENTS PLACE…: starts the load; returns when each client has had an answer
load_nginx() {
	python3 /lab/nginx/load.py 8080 "$@" >"$T/load" 2>&1 &
	loading=$!
	until_true grep -q ready "$T/load" || note "$T/load"
}

stop_nginx() {
	kill "$loading" "$master" 2>/dev/null || :
	wait "$loading" 2>/dev/null || :
	until_true sh -c "! kill -0 $master 2>/dev/null" || :
}
