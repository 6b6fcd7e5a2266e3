# SPDX-License-Identifier: GPL-2.0-or-later
# 20-truth: 16 clients, two workers, many requests in turn in each: does the label of each sample agree with what the stack itself tells
# of the request? Functions of Lua are named after the number in the URI, and only one location compresses.
set -u
. "$TOP/tests/nginx/lib.sh"

use_release "$nginx_with_lua" || { skip all "$no_root"; exit 0; }
places='/gz/ /lua/ /api/ /ssi/ /auth/ /lua/'

make_html
WORKERS=2
start_nginx "$here/truth.conf" || exit 1
# shellcheck disable=SC2086
load 300 $places
record_least=1500
# shellcheck disable=SC2086
record_for a 8 -p "$master" -u --mixed --lua --by uri -o "$T/a.folded"
check_eq 'exit' 0 "$status"
[ "$status" = 0 ] || note "$T/a.err"
labels_agree 'mixed' "$T/a.folded"
labels_add_up 'mixed' "$T/a.rec" "$(account kept a)"
check_eq 'both workers' 2 "$("$bin/bt-collapse" --threads "$T/a.rec" 2>/dev/null | cut -d';' -f1 | sort -u | wc -l)"
values location "$T/a.rec" >"$T/locations"
check_eq 'locations that nginx has not' '' "$(grep -vE '^(/(lua|api|gz|ssi|auth)/|\[no location\]) ' "$T/locations")"
check 'nearly all samples are of a request' sh -c "awk '/^.no location/ { none = \$NF } { sum += \$NF } END { exit !(none <= sum / 10) }' '$T/locations'"
values handler "$T/a.rec" >"$T/handlers"
check 'handlers by their module' grep -q '^ngx_http_static_module ' "$T/handlers"
check_eq 'what belongs to no request says what it is' '' "$(values request "$T/a.rec" |
	grep -vE '^(accept|reading|quic|closing|timers|idle|other|\[no request\]) ')"

for options in '-u' '-k' '-uk' '--lua -k'; do
	record_least=20
	# shellcheck disable=SC2086
	record_for b 2 -p "$master" $options --by location
	check_eq "$options: exit" 0 "$status"
	check "$options: samples have locations" sh -c "'$bin/bt-report' --by location '$T/b.rec' 2>/dev/null | grep -q '^/gz/,'"
done

worker=${workers%% *}
record_least=200
record_for one 2 -p "$worker" -u --with worker,conn,args --where 'location=/gz/*' -o "$T/one.folded"
check_eq 'one worker: its samples alone' "$worker" "$(values worker "$T/one.rec" | grep -v '^.no worker' | cut -d' ' -f1)"
check 'one worker: connections, as they are asked for' sh -c "'$bin/bt-report' --by conn '$T/one.rec' 2>/dev/null | grep -qE '^[0-9]+,'"

# after a reload others work, and those before end
begin_record reload -p "$master" -t 6 -u --with worker
kill -HUP "$master"
until_true 30 sh -c '! kill -0 "$1" 2>/dev/null' sh "$worker"
end_record
check_eq 'reload: exit' 0 "$status"
later=$(pgrep -P "$master" | tr '\n' ' ')
check 'reload: there are new workers' test -n "$later"
for pid in $later; do
	check "reload: a new worker has labels" sh -c "'$bin/bt-report' --by worker '$T/reload.rec' 2>/dev/null | grep -q '^$pid,'"
done
end_load
stop_nginx
leave_release
