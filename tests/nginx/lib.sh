# SPDX-License-Identifier: GPL-2.0-or-later
# nginx/lib.sh: functions for tests/nginx/t/*.sh. Needs TOP, BIN and O, which tests/run sets.

. "$TOP/tests/lib.sh"
. "$TOP/tests/record.sh"
bin=${BIN%/*}
here=$TOP/tests/nginx
built=$TOP/${O:-build}/tests/nginx
LC_ALL=C
export LC_ALL

. "$TOP/tests/roots.sh"

jail='' work=$T/nginx master=''
at_end 'end_all'

# end_all: ends all background processes when a test is interrupted; keeps its exit status
end_all() {
	end_status=$?
	[ -z "$master" ] || kill -TERM "$master" 2>/dev/null || :
	leave_release
	return $end_status
}

# use_release SUITE: uses its nginx instead of this system's; fails, with a reason in $no_root, if it cannot be had
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

# of_releases: calls of_nginx SUITE with the nginx of the release that has Lua, or, with --all, of each release
of_releases() {
	if [ "${CHECK_ALL:-}" ]; then of_suites "$nginxes"; else of_suites "$nginx_with_lua"; fi
}

# of_suites "SUITE …": calls of_nginx with the nginx of each of these suites
of_suites() {
	for suite in $1; do
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

# modules CONF: writes the lines that load Lua's modules, if they are installed
modules() {
	: >"$1"
	! has_lua || for module in ndk_http_module ngx_http_lua_module; do
		echo "load_module /usr/lib/nginx/modules/$module.so;" >>"$1"
	done
}

# free_port: prints a port on which no process listens, for nginx and for its upstreams
free_port() {
	python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# start_nginx CONFIG: starts this system's nginx, or the nginx in the folder $jail, in $work, with the words between @ in the file replaced;
# sets master and workers
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
	until_true test -s "$work/pid"
	master=$(cat "$work/pid")
	until_true pgrep -P "$master" >/dev/null
	workers=$(pgrep -P "$master" | tr '\n' ' ')
}

stop_nginx() {
	kill -TERM "$master" 2>/dev/null || :
	until_true sh -c "! kill -0 $master 2>/dev/null" || kill -KILL "$master"
	master=
}

# at_rest: waits until nginx processes no request: requests whose end the clients have seen are then counted
at_rest() {
	until_true serves_nothing || not_ok 'nginx' "serves on: $(tail -n 1 "$T/served")"
}

serves_nothing() {
	"$bin/ngx-reqs" -p "$master" --csv >"$T/served" 2>/dev/null
	[ "$(wc -l <"$T/served")" = 1 ]
}

# make_html: makes the files that the configuration truth.conf serves
make_html() {
	mkdir -p "$work/html"
	chmod 755 "$work" "$work/html"
	head -c 60000 /dev/urandom | base64 >"$work/html/text.txt"
	echo '<!--# include virtual="/gz/7" --> <!--# include virtual="/auth/5" -->' >"$work/html/page.txt"
	echo >"$work/html/small.txt"
	modules "$work/modules.conf"
	cp "$here/chunks.lua" "$work"
}

# load PLACE…: sends requests for these places from 16 clients in the background, until end_load
load() {
	load_from "http://127.0.0.1:$PORT/" "$@"
}

# load_from URL PLACE…: sends requests to a server given by its URL
load_from() {
	load_url=$1
	shift
	wrk -c 16 -t 1 -d 600 -s "$here/mix.lua" "$load_url" -- "$@" >"$T/wrk" 2>&1 &
	loading=$!
	until_true sh -c "ss -Htn state established '( sport = :$PORT or sport = :$BACK )' | grep -q ."
}

end_load() {
	kill "$loading" 2>/dev/null || :
	wait "$loading" 2>/dev/null || :
}

recorder() {
	"$bin/ngx-sample-bt" "$@"
}

# values KEY FILE: prints "VALUE WEIGHT" for each value of the label
values() {
	"$bin/bt-report" --by "$1" "$2" 2>/dev/null | sed 1d | sed -E 's/^(.*),([0-9]+),[0-9.]+$/\1 \2/'
}

# labels_agree NAME "KIND …" COMMAND ARG…: COMMAND records and prints "KIND RIGHT WRONG" for kinds of samples whose stack tells what their
# label should be. It runs again and again until some samples of each kind are right, and `sequential` has decided that all samples together
# are good, or that the samples of one kind are bad.
labels_agree() {
	agree_name=$1 agree_kinds=$2
	shift 2
	: >"$T/agree"
	verdict=more
	until_true labels_decide "$@" || :
	check_eq "$agree_name" good "$verdict"
	note "$T/sums"
	[ "$verdict" = good ] || grep '^#' "$T/judged" || :
}

labels_decide() {
	"$@" >"$T/judged"
	grep -vE '^(#|uri )' "$T/judged" >>"$T/agree"
	verdict=$(verdict_of_kinds)
	[ "$verdict" != more ]
}

verdict_of_kinds() {
	awk '{ right[$1] += $2; wrong[$1] += $3 } END { for (kind in right) print kind, right[kind], wrong[kind] }' "$T/agree" | sort >"$T/sums"
	while read -r _ right wrong; do
		[ "$(sequential "$right" "$wrong")" != bad ] || { echo bad; return; }
	done <"$T/sums"
	for kind in $agree_kinds; do
		awk -v kind="$kind" '$1 == kind && $2 >= 3 { seen = 1 } END { exit !seen }' "$T/sums" || { echo more; return; }
	done
	# shellcheck disable=SC2046 # two numbers
	sequential $(awk '{ right += $2; wrong += $3 } END { print right + 0, wrong + 0 }' "$T/sums")
}

# by_uri OPTION…: records requests of truth.conf as $T/a, for labels_agree
by_uri() {
	record a -t 1 "$@" -u --by uri -o "$T/a.folded"
	[ "$status" = 0 ] || note "$T/a.err"
	"$here/judge" "$T/a.folded"
}

# uris_requested NAME: checks that the samples judged last have no other URIs
uris_requested() {
	check_eq "$1: no URI that was not requested" '' "$(awk '$1 == "uri" { $1 = ""; $NF = ""; print }' "$T/judged" |
		grep -vxE ' /(lua|api|gz|ssi|auth)/([0-9]|[1-5][0-9]|6[0-3]) | /(text|page|small)\.txt | \[no uri\] ')"
}

# labels_add_up NAME FILE SAMPLES: checks that the samples of all values are SAMPLES in all
labels_add_up() {
	for key in location phase handler request; do
		values "$key" "$2" >"$T/values"
		check_eq "$1: the sum over $key" "$3" "$(awk '{ sum += $NF } END { print sum + 0 }' "$T/values")"
	done
}
