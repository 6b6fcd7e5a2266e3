# SPDX-License-Identifier: GPL-2.0-or-later
# 50-modules: compares the phase handlers and filters of this system's nginx with the order that nginx's build gives them, and with the
# modules that were built in.
set -u
. "$TOP/tests/nginx/lib.sh"

use_release "$nginx_with_lua" || { skip all "$no_root"; exit 0; }

# The order in auto/modules of nginx; a later module runs before the earlier ones.
header_order='slice not_modified headers userid gunzip addition xslt image sub charset ssi gzip range_header v3 v2 chunked header'
body_order='slice range_body copy headers gunzip addition xslt image sub charset ssi postpone gzip chunked write'
phase_order='post_read server_rewrite find_config rewrite post_rewrite preaccess access post_access precontent content'

# names RUNS: prints the names of these modules, without their common parts
names() {
	awk -F, -v runs="$1" '$1 == runs { print $2 }' "$T/csv" | sed -e 's/^ngx_http_//' -e 's/_module$//' -e 's/_filter$//' | tr '\n' ' '
}

# built ORDER: prints those words whose module this nginx has, always or by a build option
built() {
	for module in $1; do
		case $module in
		slice | gunzip | addition | sub | v2 | v3)
			${jail:+chroot "$jail"} nginx -V 2>&1 | grep -q -e "--with-http_${module}_module\( \|\$\)" || continue
			;;
		xslt | image) continue ;; # dynamic modules, which are not loaded here
		esac
		printf '%s ' "$module"
	done
}

mkdir -p "$work/html"
: >"$work/modules.conf"
start_nginx "$here/read.conf" || exit 1
"$bin/ngx-modules" -p "$master" --csv >"$T/csv" 2>"$T/said"
check_eq 'exit' 0 $?
check_eq 'nothing is said' '' "$(cat "$T/said")"
check_eq 'header filters' "$(built "$header_order")" "$(names header_filter)"
check_eq 'body filters' "$(built "$body_order")" "$(names body_filter)"
check_eq 'filters of the body of requests' 'core ' "$(names request_body_filter)"
check_eq 'phases' "$phase_order " "$(awk -F, 'NR > 1 { print $1 }' "$T/csv" | uniq | grep -v filter | tr '\n' ' ')"
# within a phase, too, modules that come later in the build run first
check_eq 'handlers of access' 'access auth_basic auth_request ' "$(names access)"
check_eq 'handlers of precontent' 'try_files mirror ' "$(names precontent)"
check_eq 'the last handler of content' 'static ' "$(names content | sed 's/.* \([^ ]* \)$/\1/')"
check_eq 'nothing unknown' '' "$(grep unknown "$T/csv")"
"$bin/ngx-modules" -p "${workers% }" --csv >"$T/worker.csv"
check_eq 'a worker: the same' "$(cat "$T/csv")" "$(cat "$T/worker.csv")"
"$bin/ngx-modules" -p "$master" --json >"$T/json"
python3 - "$T/json" "$T/csv" >"$T/same" 2>&1 <<'END'
import csv, json, sys
assert json.load(open(sys.argv[1])) == list(csv.DictReader(open(sys.argv[2])))
END
check_eq 'JSON: the same' '' "$(cat "$T/same")"
"$bin/ngx-modules" -p "$master" --text | awk '{ print $1 "," $2 "," $3 }' >"$T/text"
check_eq 'text: the same' "$(cat "$T/csv")" "$(cat "$T/text")"
"$bin/ngx-modules" -p $$ >"$T/out" 2>"$T/said"
check_eq 'no nginx: exit' 2 $?
check_eq 'no nginx: said' "ngx-modules: no worker of nginx in process $$ or its children: give the PID of nginx's master or of a worker" "$(cat "$T/said")"
stop_nginx

modules "$work/modules.conf"
sed 's,location /slow/,location /lua { content_by_lua "ngx.say(1)"; header_filter_by_lua "ngx.header.a = 1"; body_filter_by_lua "ngx.arg[1] = 2"; }\n&,' \
	"$here/read.conf" >"$T/lua.conf"
start_nginx "$T/lua.conf" || exit 1
"$bin/ngx-modules" -p "$master" --csv >"$T/csv"
check_eq 'with Lua: header filters' "$(built "$header_order" | sed 's/not_modified /&lua /')" "$(names header_filter | sed 's/lua lua/lua/')"
check_eq 'with Lua: body filters' "$(built "$body_order" | sed 's/copy /&lua /')" "$(names body_filter | sed 's/lua lua/lua/')"
stop_nginx
leave_release
