#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nginx: the labels of nginx's current request in a user's own script on real SystemTap, with one module for the nginx of three releases: at
# ticks, system calls and in the scheduler, compared with other knowledge of the request.
# roots: nginx-bookworm nginx-trixie nginx-sid
# tier: all
set -eu
. /lab/guest.sh
. /lab/nginx/guest.sh

share=/usr/local/share/flametap
module=nginx_own

prepare() {
	# the lengths of strings are the ones that ngx-values would print
	(cd "$LAB_WORK" && stap -p4 -r "$KVER" -m $module -DMAXSTRINGLEN=2000 -DMAXACTION=1000000 -DMAXACTION_INTERRUPTIBLE=1000000 -DSTP_NO_OVERLOAD $lab_lock_wait \
		-I $share/tapsets/nginx -I $share/tapsets/stacks -I $share/tapsets/lua -I $share/tapsets/vm /lab/t/nginx.stp >/dev/null)
}

# judge OUT: prints "KIND RIGHT WRONG NONE" for each kind of line, and examples of wrong lines
judge() {
	awk '
	function label(key,    i) {
		for (i = 2; i <= NF; i++)
			if (index($i, key "=") == 1)
				return substr($i, length(key) + 2)
		return ""
	}
	function judge(kind, good) {
		if (label("uri") == "" && kind != "gone") { none[kind]++; return }
		if (good) { right[kind]++; return }
		if (wrong[kind]++ < 5) print "# " $0
	}
	$1 == "open" { name = $2; sub("^/tmp/html", "", name)
		judge("open", label("uri") == name && label("handler") == "ngx_http_static_module") }
	$1 == "gone" { judge("gone", label("request") == "closing") }
	$1 == "tick" && $2 != "-" { number = $2; sub("request", "", number); uri = label("uri")
		judge("tick", uri == "/lua/" number || uri == "/api/" number) }
	$1 == "tick" && label("location") == "/lua/" && label("phase") == "content" {
		judge("handler", label("handler") == "ngx_http_lua_module") }
	$1 == "each" || $1 == "call" { judge($1, $2 == 1) }
	$1 == "tick" { if (NF > 2) right["known"]++; else if (wrong["known"]++ < 5) print "# " $0 }
	$1 == "tick" { places[label("uri") == "" ? "request=" label("request") : "location=" label("location")]++ }
	$1 == "wait" { waits[label("uri") == "" ? "request=" label("request") : "location=" label("location")]++ }
	END {
		for (kind in right) print kind, right[kind], wrong[kind] + 0, none[kind] + 0
		for (kind in wrong) if (!(kind in right)) print kind, 0, wrong[kind], none[kind] + 0
		for (place in places) print "ticks", place, places[place]
		for (place in waits) print "waits", place, waits[place]
	}' "$1"
}

# enough JUDGED KIND…: checks that each kind has 20 right lines
enough() {
	judged=$1
	shift
	for kind; do
		[ "$(awk -v kind="$kind" '$1 == kind { n = $2 } END { print n + 0 }' "$judged")" -ge 20 ] || return 1
	done
}

# release RELEASE: checks the output of ngx-values for RELEASE, and what the script does with it
release() {
	places="/s/ /gz/ /ssi/ /auth/ /s/" kinds='open gone each call'
	[ "$1" != $with_lua ] || places="$places /lua/ /api/ /lua/" kinds="$kinds tick handler"
	start_nginx "$1"
	# shellcheck disable=SC2086 # a word a place
	load_nginx 6 $places
	# a guest may be too slow for the time limits of the programs that read files
	until_true sh -c "ngx-values -p $master --staprun >'$T/values'"
	lua=''
	if [ "$1" = $with_lua ]; then
		sample-bt --engine stap --lua -p "$(pgrep -d, -P "$master")" -d >"$T/described" 2>"$T/described.err" || note "$T/described.err"
		lua=$(sed -n 's/^# staprun .*[.]ko .*targets=[^ ]* //p' "$T/described")
	fi
	# a guest that waits for its processor serves few requests in a second
	for seconds in 20 60 120; do
		# shellcheck disable=SC2046,SC2086 # words
		timeout $((seconds + 100)) staprun -R "$LAB_WORK/$module.ko" seconds=$seconds $(cat "$T/values") $lua \
			>>"$T/$1.out" 2>>"$T/$1.err" || :
		judge "$T/$1.out" >"$T/$1.judged"
		# shellcheck disable=SC2086 # words
		! enough "$T/$1.judged" $kinds || break
	done
	lab_keep "$T/$1.out" "$T/$1.err" "$T/$1.judged" "$T/values"
	note "$T/$1.judged"
	note "$T/$1.err"
	for kind in $kinds; do
		# shellcheck disable=SC2046 # words
		set -- "$1" $(sed -n "s/^$kind //p" "$T/$1.judged") 0 0 0
		check "$1: $kind: enough to judge" test "$2" -ge 20
		check "$1: $kind: 99 % right: $2 of $(($2 + $3))" test "$(($3 * 100))" -le "$(($2 + $3))"
		check "$1: $kind: $4 of $(($2 + $3 + $4)) without a request" test "$(($4 * 20))" -le "$(($2 + $3 + $4))"
	done
	# shellcheck disable=SC2046 # words
	set -- "$1" $(sed -n 's/^known //p' "$T/$1.judged") 0 0 0
	check "$1: at $2 of $(($2 + $3)) ticks it is known what nginx does" test "$(($3 * 20))" -le "$2"
	stop_nginx
}

in_guest() {
	for name in bookworm trixie sid; do
		release $name
	done
}

guest_main "$@"
