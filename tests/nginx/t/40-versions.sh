# SPDX-License-Identifier: GPL-2.0-or-later
# tier: all
# 40-versions: samples of the nginx of Debian's releases, and of this system's nginx if it has one: labels, and the names of static
# functions.
set -u
. "$TOP/tests/nginx/lib.sh"

# of_nginx NAME: tests the nginx of $jail
of_nginx() {
	make_html
	start_nginx "$here/truth.conf" || return 0
	load /gz/ /ssi/ /auth/
	labels_agree "$1: labels agree with stacks" 'gzip epoll module' by_uri -p "$master"
	check_eq "$1: exit" 0 "$status"
	uris_requested "$1"
	check "$1: handlers by their module" sh -c "'$bin/bt-report' --by handler '$T/a.rec' 2>/dev/null | grep -q '^ngx_http_static_module,'"
	end_load
	stop_nginx
}

! command -v nginx >"$T/found" || of_nginx here
of_releases
