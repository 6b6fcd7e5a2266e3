# SPDX-License-Identifier: GPL-2.0-or-later
# 22-kinds: as 20-truth, of requests that ask FastCGI, uwsgi and HTTPS, have subrequests, are redirected inside nginx, or come by HTTPS:
# does the label of each sample agree with what the stack tells of the request? Functions of Lua are named after the URI, and some
# modules work for one location only. The latter is judged with the nginx of all releases.
set -u
. "$TOP/tests/nginx/lib.sh"

# load_from URL PLACE…: in the background, from 16 clients; each asks for 50 things by one connection
load_from() {
	url=$1
	shift
	wrk -c 16 -t 1 -d 600 -s "$here/mix.lua" "$url" -- "$@" >"$T/wrk" 2>&1 &
	loading=$!
	sleep 1
}

# judged_kinds NAME RECORDING WHAT [tls]: by URI and by location; each of WHAT was seen
judged_kinds() {
	for key in uri location; do
		"$bin/bt-collapse" --by "$key" "$T/$2.rec" >"$T/$key.folded" 2>/dev/null
		# shellcheck disable=SC2086 # one word or none
		"$here/judge-kinds" "$key" "$T/$key.folded" ${4-} >"$T/judged"
		note "$T/judged"
		check_eq "$1: $key: what is judged" "$(echo "$3" | tr ' ' '\n' | sort)" "$(awk '$1 != "#" && $2 >= 10 { print $1 }' "$T/judged")"
		check "$1: $key: 99 % right" awk '$1 != "#" { right += $2; wrong += $3 } END { exit !(wrong * 100 <= right + wrong) }' "$T/judged"
		# a response of any kind may be in the head of these two filters
		check_eq "$1: $key: so is each" '' "$(awk '$1 !~ /^(#|ssi|sub)$/ && $3 * 100 > $2 + $3' "$T/judged")"
	done
	check_eq "$1: no URI that was not requested" '' "$(values uri "$T/$2.rec" | sed 's/ [0-9]*$//' | grep -vxE \
		"(/(fcgi|post|uwsgi|tls|auth|ssi|rewrite|final|try|named|error|part/ssi|handled/error)/([0-9]|[1-5][0-9]|6[0-3])|/check|\[no uri\])")"
}

# serve FILE FOLDER…: it, as each of the 64 numbers in these
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

# judged_nginx NAME: that of $jail
judged_nginx() {
	make_kinds
	start_nginx "$here/kinds.conf" || return 0
	places='/fcgi/ /post/ /uwsgi/ /ssi/ /rewrite/ /try/ /error/' what='fastcgi gzip handshake ssi sub uwsgi'
	! has_lua || {
		places="$places /auth/"
		what="$what lua-auth lua-check lua-fcgi lua-final lua-handled lua-named lua-part lua-post lua-ssi lua-uwsgi"
	}
	# shellcheck disable=SC2086
	load_from "http://127.0.0.1:$PORT/" /tls/ $places
	record_for clear "$seconds" -p "$master" -u --mixed --lua
	check_eq "$1: exit" 0 "$status"
	! has_lua || what="$what lua-tls"
	judged_kinds "$1" clear "$what"
	values sub "$T/clear.rec" >"$T/sub"
	check "$1: subrequests say so" grep -q '^1 ' "$T/sub"
	end_load

	# shellcheck disable=SC2086
	load_from "https://127.0.0.1:$BACK/" $places
	record_for secure "$seconds" -p "$master" -u --mixed --lua
	check_eq "$1: HTTPS: exit" 0 "$status"
	judged_kinds "$1: HTTPS" secure "${what% lua-tls}" tls
	end_load
	check_eq "$1: nginx did not fail" '' "$(grep -E '\[(crit|alert|emerg)\]' "$work/errors" | head -n 3)"
	stop_nginx
}

openssl req -x509 -newkey rsa:2048 -nodes -keyout "$T/key" -out "$T/cert" -days 2 -subj /CN=front.test 2>/dev/null
mkfifo "$T/in"
python3 "$here/upstreams.py" "$T/cert" "$T/key" "$T/upstreams.conf" <"$T/in" 2>"$T/errors" &
exec 9>"$T/in"
until_true 60 test -s "$T/upstreams.conf" || not_ok 'the upstreams' "$(tail -n 1 "$T/errors")"
for suite in $nginxes; do
	if use_release "$suite"; then
		seconds=4 record_least=1500
		! has_lua || seconds=10 record_least=4000
		judged_nginx "$suite"
		leave_release
	else
		skip "$suite" "$no_root"
	fi
done
exec 9>&-
