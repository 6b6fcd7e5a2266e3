# SPDX-License-Identifier: GPL-2.0-or-later
# nginx/lib.sh: sourced by tests/nginx/t/*.sh. Needs TOP, BIN and O, which tests/run sets.

. "$TOP/tests/lib.sh"
. "$TOP/tests/record.sh"
bin=${BIN%/*}
here=$TOP/tests/nginx
built=$TOP/${O:-build}/tests/nginx
LC_ALL=C
export LC_ALL

. "$TOP/tests/roots.sh"

jail='' work=$T/nginx

# use_release SUITE: its nginx instead of this system's; false, with a reason as $no_root: it cannot be had
use_release() {
	nginx_root "$1" || return 1
	jail=$root
	work=$(mktemp -d "$jail/tmp/flametap.XXXXXX") || exit
	chmod 755 "$work"
}

leave_release() {
	[ -z "$jail" ] || rm -rf "$work"
	jail=''
}

# of_releases: calls of_nginx SUITE with the nginx of each
of_releases() {
	for suite in $nginxes; do
		if use_release "$suite"; then
			of_nginx "$suite"
			leave_release
		else
			skip "$suite" "$no_root"
		fi
	done
}

has_lua() {
	[ -f "$jail/usr/lib/nginx/modules/ngx_http_lua_module.so" ]
}

# modules CONF: of Lua, if they are there
modules() {
	: >"$1"
	! has_lua || for module in ndk_http_module ngx_http_lua_module; do
		echo "load_module /usr/lib/nginx/modules/$module.so;" >>"$1"
	done
}

# free_port: a port that nothing listens at, for nginx and for what it asks
free_port() {
	python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# start_nginx CONFIG: that of this system, or of the folder $jail, in $work, with the places between @ in the file replaced; sets master
# and workers
start_nginx() {
	mkdir -p "$work/html"
	[ -n "$jail" ] || chmod 755 "$T_top" "$T"
	PORT=$(free_port) BACK=$(free_port)
	lua=
	has_lua || lua='#'
	sed -e "s,@ROOT@,${work#"$jail"},g" -e "s,@PORT@,$PORT,g" -e "s,@BACK@,$BACK,g" -e "s,@LUA@,$lua,g" \
		-e "s,@WORKERS@,${WORKERS:-1},g" "$1" >"$work/nginx.conf"
	${jail:+chroot "$jail"} /usr/sbin/nginx -p "${work#"$jail"}" -c "${work#"$jail"}/nginx.conf" >"$T/start" 2>&1 || {
		not_ok 'nginx starts' "$(head -n 1 "$T/start")"
		return 1
	}
	until_true 30 test -s "$work/pid"
	master=$(cat "$work/pid")
	until_true 30 pgrep -P "$master" >/dev/null
	workers=$(pgrep -P "$master" | tr '\n' ' ')
}

stop_nginx() {
	kill -TERM "$master" 2>/dev/null || :
	until_true 30 sh -c "! kill -0 $master 2>/dev/null" || kill -KILL "$master"
}

# make_html: what the configuration truth.conf serves
make_html() {
	mkdir -p "$work/html"
	chmod 755 "$work" "$work/html"
	head -c 60000 /dev/urandom | base64 >"$work/html/text.txt"
	echo '<!--# include virtual="/gz/7" --> <!--# include virtual="/auth/5" -->' >"$work/html/page.txt"
	echo >"$work/html/small.txt"
	modules "$work/modules.conf"
	cp "$here/chunks.lua" "$work"
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

# labels_agree NAME FOLDED: of a recording --by uri, requests of truth.conf; with what stacks tell: functions of Lua are named after the
# number in the URI, and only one location compresses
labels_agree() {
	"$here/judge" "$2" >"$T/judged"
	check_eq "$1: what is judged" 'lua gzip' "$(awk '$1 == "lua" || $1 == "gzip" { print $1 }' "$T/judged" | tr '\n' ' ' | sed 's/ $//')"
	awk '$1 == "lua" || $1 == "gzip"' "$T/judged" | while read -r what right wrong; do
		note "$T/judged" | grep -v '^# uri' | head -n 12
		check "$1: $what: enough to judge" test "$right" -ge 20
		check "$1: $what: 99 % right: $right of $((right + wrong))" test "$((wrong * 100))" -le "$((right + wrong))"
	done >"$T/results"
	cat "$T/results"
	! grep -q '^not ok' "$T/results" || : >"$T_top/failed"
	check_eq "$1: no URI that was not requested" '' "$(awk '$1 == "uri" { $1 = ""; $NF = ""; print }' "$T/judged" |
		grep -vxE ' /(lua|api|gz|ssi|auth)/([0-9]|[1-5][0-9]|6[0-3]) | /(text|page|small)\.txt | \[no uri\] ')"
}

# labels_add_up NAME FILE SAMPLES: the samples of all values are all samples
labels_add_up() {
	for key in location phase handler request; do
		values "$key" "$2" >"$T/values"
		check_eq "$1: the sum over $key" "$3" "$(awk '{ sum += $NF } END { print sum + 0 }' "$T/values")"
	done
}
