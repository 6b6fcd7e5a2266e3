# SPDX-License-Identifier: GPL-2.0-or-later
# 40-versions: samples of the nginx of Debian's releases, and of this system's if it has one: labels, and the names of static functions.
set -u
. "$TOP/tests/nginx/lib.sh"

# of_nginx NAME: that of $jail
of_nginx() {
	make_html
	start_nginx "$here/truth.conf" || return 0
	load 300 /gz/ /ssi/ /auth/
	record_least=1000
	record_for a 4 -p "$master" -u --by uri -o "$T/a.folded"
	end_load
	check_eq "$1: exit" 0 "$status"
	[ "$status" = 0 ] || note "$T/a.err"
	"$here/judge" "$T/a.folded" >"$T/judged"
	note "$T/judged" | grep -E 'gzip|^# #'
	check "$1: gzip: 99 % right" awk '$1 == "gzip" && $2 >= 20 && $3 * 100 <= $2 + $3 { good = 1 } END { exit !good }' "$T/judged"
	check_eq "$1: no URI that was not requested" '' "$(awk '$1 == "uri" { $1 = ""; $NF = ""; print }' "$T/judged" |
		grep -vxE ' /(gz|ssi|auth)/([0-9]|[1-5][0-9]|6[0-3]) | /(text|page|small)\.txt | \[no uri\] ')"
	check "$1: handlers by their module" sh -c "'$bin/bt-report' --by handler '$T/a.rec' 2>/dev/null | grep -q '^ngx_http_static_module,'"
	# what only one module has, called by nothing else
	check_eq "$1: the event loop calls the module of epoll" 'ngx_process_events_and_timers;[ngx_epoll_module]+0x' \
		"$(grep -oE 'ngx_process_events_and_timers;\[ngx_epoll_module\]\+0x' "$T/a.folded" | sort -u)"
	check_eq "$1: that module nowhere else" '' \
		"$(grep -oE '[^;]*;\[ngx_epoll_module\]' "$T/a.folded" | grep -vE '^(ngx_process_events_and_timers|\[ngx_epoll_module\]\+0x[0-9a-f]*);' | sort -u)"
	check_eq "$1: of modules that were not used" '' "$(grep -oE '\[ngx_http_(dav|autoindex|fastcgi|uwsgi|scgi|memcached|flv|mp4)[a-z_]*\]' "$T/a.folded" |
		sort | uniq -c | awk '$1 > 5')"
	stop_nginx
}

! command -v nginx >"$T/found" || of_nginx here
of_releases
