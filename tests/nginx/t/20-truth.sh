# SPDX-License-Identifier: GPL-2.0-or-later
# 20-truth: 16 clients, two workers, many requests in turn in each worker: does the label of each sample agree with what the stack itself
# tells about the request? Lua functions are named after the number in the URI, and only one location compresses.
set -u
. "$TOP/tests/nginx/lib.sh"

# seen OPTION…: checks that a recording with these options has a sample of a request, labelled with its location
seen() {
	record b -t 0.5 -p "$master" "$@" --by location
	[ "$status" = 0 ] && "$bin/bt-report" --by location "$T/b.rec" 2>/dev/null | grep -q '^/gz/,'
}

# has_workers NAME: checks that a recording with --with worker has samples of both current workers
has_workers() {
	record "$1" -t 0.5 -p "$master" -u --with worker
	values worker "$T/$1.rec" | grep -v '^.no worker' | cut -d' ' -f1 | sort >"$T/recorded"
	pgrep -P "$master" | sort | cmp -s - "$T/recorded"
}

use_release "$nginx_with_lua" || { skip all "$no_root"; exit 0; }
make_html
WORKERS=2
start_nginx "$here/truth.conf" || exit 1
load /gz/ /lua/ /api/ /ssi/ /auth/ /lua/
labels_agree 'labels agree with stacks' 'lua gzip epoll module' by_uri -p "$master" --mixed --lua
check_eq 'exit' 0 "$status"
uris_requested mixed
labels_add_up 'mixed' "$T/a.rec" "$(account kept a)"
check_eq 'locations that nginx has not' '' "$(values location "$T/a.rec" | grep -vE '^(/(lua|api|gz|ssi|auth)/|\[no location\]) ')"
check_eq 'what belongs to no request says what it is' '' "$(values request "$T/a.rec" |
	grep -vE '^(accept|reading|quic|closing|timers|idle|other|\[no request\]) ')"
for options in -u -k -uk '--lua -k'; do
	# shellcheck disable=SC2086
	check "$options: samples have locations" until_true seen $options
done

worker=${workers%% *}
one_worker() {
	record one -t 0.5 -p "$worker" -u --with worker,conn,args --where 'location=/gz/*'
	"$bin/bt-report" --by conn "$T/one.rec" 2>/dev/null | grep -qE '^[0-9]+,'
}
check 'one worker: connections, as they are asked for' until_true one_worker
check_eq 'one worker: its samples alone' "$worker" "$(values worker "$T/one.rec" | grep -v '^.no worker' | cut -d' ' -f1)"

# after a reload other workers work, and the previous ones end
check 'both workers' until_true has_workers before
begin_record reload -p "$master" -t 3600 -u --with worker
kill -HUP "$master"
until_true sh -c '! kill -0 "$1" 2>/dev/null' sh "$worker"
until_true has_workers after
stop_record
check_eq 'reload: exit' 0 "$status"
check_eq 'reload: new workers have labels' "$(cat "$T/recorded")" \
	"$(values worker "$T/reload.rec" | cut -d' ' -f1 | grep -xF -f "$T/recorded" | sort)"
end_load
stop_nginx
leave_release
