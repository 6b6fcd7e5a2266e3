# SPDX-License-Identifier: GPL-2.0-or-later
# 22-kinds: like 20-truth, for requests that ask FastCGI, uwsgi and HTTPS upstreams, have subrequests, are redirected inside nginx, or come
# over HTTPS: does the label of each sample agree with what the stack tells about the request? Lua functions are named after the URI, and
# some modules work for one location only.
set -u
. "$TOP/tests/nginx/lib.sh"

# by_kind [tls]: records, and judges the labels uri and location, for labels_agree
by_kind() {
	record kinds -t 1 -p "$master" -u --mixed --lua
	for key in uri location; do
		"$bin/bt-collapse" --by $key "$T/kinds.rec" >"$T/kinds.by" 2>/dev/null
		"$here/judge-kinds" $key "$T/kinds.by" "$@"
	done
}

# serve FILE FOLDER…: makes FILE available as each of the 64 numbers in these folders
serve() {
	file=$1
	shift
	for folder; do
		mkdir -p "$work/html/$folder"
		for nr in $(seq 0 63); do ln -s "$file" "$work/html/$folder/$nr"; done
	done
}

make_kinds() {
	mkdir -p "$work/html"
	head -c 60000 /dev/urandom | base64 >"$work/html/text"
	for _ in 1 2 3; do echo '<!--# include virtual="/part$uri" -->'; head -c 40000 /dev/zero | tr '\0' '<'; done >"$work/html/page"
	head -c 10000 /dev/urandom | base64 >"$work/html/small"
	serve ../text named
	serve ../page ssi
	serve ../small auth final
	serve ../../small part/ssi handled/error
	modules "$work/modules.conf"
	cp "$here/kinds.lua" "$T/cert" "$T/key" "$T/upstreams.conf" "$work"
	chmod -R a+rX "$work"
}

# judged_kinds NAME "KIND …" [tls]: checks the labels by URI and by location
judged_kinds() {
	# shellcheck disable=SC2086 # one word or none
	labels_agree "$1: labels agree with stacks" "$(for kind in $2; do echo "uri-$kind location-$kind"; done)" by_kind ${3-}
	check_eq "$1: exit" 0 "$status"
	check_eq "$1: no URI that was not requested" '' "$(values uri "$T/kinds.rec" | sed 's/ [0-9]*$//' | grep -vxE \
		"(/(fcgi|post|uwsgi|tls|auth|ssi|rewrite|final|try|named|error|part/ssi|handled/error)/([0-9]|[1-5][0-9]|6[0-3])|/check|\[no uri\])")"
}

# has_subrequest: whether the last recording has a sample of a subrequest; records again if it has none
has_subrequest() {
	values sub "$T/kinds.rec" | grep '^1 ' >"$T/sub" && return
	by_kind >/dev/null
	return 1
}

# of_nginx NAME: tests the nginx of $jail
of_nginx() {
	make_kinds
	start_nginx "$here/kinds.conf" || return 0
	places='/fcgi/ /post/ /uwsgi/ /ssi/ /rewrite/ /try/ /error/' kinds='fastcgi gzip handshake ssi sub uwsgi'
	! has_lua || {
		places="$places /auth/"
		kinds="$kinds lua-auth lua-check lua-fcgi lua-final lua-handled lua-named lua-part lua-post lua-ssi lua-uwsgi"
	}
	# shellcheck disable=SC2086
	load /tls/ $places
	judged_kinds "$1" "$kinds"
	check "$1: subrequests say so" until_true has_subrequest
	end_load
	if [ "${CHECK_ALL:-}" ]; then
		# shellcheck disable=SC2086
		load_from "https://127.0.0.1:$BACK/" $places
		judged_kinds "$1: HTTPS" "$kinds" tls
		end_load
	fi
	check_eq "$1: nginx did not fail" '' "$(grep -E '\[(crit|alert|emerg)\]' "$work/errors" | head -n 3)"
	stop_nginx
}

openssl req -x509 -newkey rsa:2048 -nodes -keyout "$T/key" -out "$T/cert" -days 2 -subj /CN=front.test 2>/dev/null
mkfifo "$T/in"
python3 "$here/upstreams.py" "$T/cert" "$T/key" "$T/upstreams.conf" <"$T/in" 2>"$T/errors" &
exec 9>"$T/in"
until_true test -s "$T/upstreams.conf" || not_ok 'the upstreams' "$(tail -n 1 "$T/errors")"
of_releases
exec 9>&-
