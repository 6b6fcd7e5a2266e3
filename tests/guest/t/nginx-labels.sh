#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nginx-labels: one nginx under load is recorded by both engines in turn, which must label the samples alike; where its workers wait; and
# what is refused.
# roots: nginx-sid
# tier: all
set -eu
. /lab/guest.sh
. /lab/record.sh
. /lab/nginx/guest.sh

release=sid
places='/s/ /gz/ /ssi/ /auth/ /gz/'

# The modules are built for the files that a process of nginx has mapped; any such process will do.
prepare() {
	prepare_nginx $release
	echo 'daemon off; master_process off; pid /tmp/pid; error_log /tmp/errors; events {}' >"$root/tmp/nginx.conf"
	lab_start chroot "$root" nginx -p /tmp -c /tmp/nginx.conf
	lab_record -F 199 --nginx -u -p "$target" -o "$LAB_WORK/on.ko"
	lab_record -F 199 --nginx -u -a -o "$LAB_WORK/all.ko"
	lab_record --script off-cpu --nginx -k --state all -p "$target" -o "$LAB_WORK/off.ko"
	lab_finish
	rm -f "$root/tmp/pid"
}

recorder() {
	sample-bt --engine "$engine" --nginx "$@"
}

# values KEY RECORDING: prints "VALUE WEIGHT" lines
values() {
	bt-report --by "$1" "$T/$2.rec" 2>/dev/null | sed 1d | sed -E 's/^(.*),([0-9]+),[0-9.]+$/\1 \2/'
}

# names KEY PATTERN RECORDING: prints the matching values in one line
names() {
	values "$1" "$3" | sed -n "s,^\\($2\\) [0-9]*\$,\\1,p" | sort | tr '\n' ' ' | sed 's/ $//'
}

# agree KEY: checks that both engines give its values the same shares, within five standard deviations and three points
agree() {
	values "$1" stap >"$T/by.stap"
	values "$1" bpf >"$T/by.bpf"
	check "$1: enough samples" awk '{ n[FILENAME] += $NF } END { for (f in n) if (n[f] < 200) exit 1; exit length(n) != 2 }' "$T/by.stap" "$T/by.bpf"
	awk '{ weight = $NF; sub(/ [0-9]+$/, ""); n[FILENAME, $0] = weight; all[FILENAME] += weight; seen[$0] }
		END {
			for (value in seen) {
				a = n[ARGV[1], value] / all[ARGV[1]]; b = n[ARGV[2], value] / all[ARGV[2]]; p = (a + b) / 2
				limit = 5 * sqrt(p * (1 - p) * (1 / all[ARGV[1]] + 1 / all[ARGV[2]])) + 0.03
				distance = a > b ? a - b : b - a
				printf "%s %s: %.1f and %.1f %%, limit %.1f\n", distance <= limit ? "near" : "far", value, 100 * a, 100 * b, 100 * limit
			}
		}' "$T/by.stap" "$T/by.bpf" >"$T/by"
	note "$T/by"
	check_eq "$1: both engines agree" '' "$(grep '^far' "$T/by" || :)"
}

on_cpu() {
	engine=stap
	expect_record stap 0 --module "$LAB_WORK/on.ko" -p "$master" --with client,worker -t 30
	engine=bpf
	expect_record bpf 0 -F 199 -p "$master" -u --with client,worker -t 30
	for key in location phase handler request host method status sub client; do agree $key; done
	for worker in $(pgrep -P "$master"); do # the workers share the load unevenly
		check_eq "worker $worker: its samples" "nginx/$worker" \
			"$(bt-collapse --threads --label "worker=$worker" "$T/stap.rec" 2>/dev/null | cut -d';' -f1 | sort -u)"
	done
	check_eq 'locations' '/auth/ /gz/ /ssi/' "$(names location '/[a-z]*/' stap)"
	check 'a part of the samples' sh -c "[ \$(bt-collapse --label 'location=/gz/*' '$T/stap.rec' 2>/dev/null | wc -l) -gt 0 ]"
	engine=stap
	expect_record one 0 --module "$LAB_WORK/on.ko" -p "$(pgrep -P "$master" | head -n 1)" --with worker --where 'location=/gz/*' -t 10
	check_eq 'one worker: its samples alone' "$(pgrep -P "$master" | head -n 1)" "$(values worker one | sed -n 's/^\([0-9]*\) .*/\1/p')"
	check 'one worker: only what was asked for' test "$(weight "$T/one.folded")" -gt 0 -a \
		"$(weight "$T/one.folded")" = "$(values location one | sed -n 's,^/gz/ ,,p')"
}

# the whole machine: nginx's samples have their labels, and samples of other processes have none
whole_machine() {
	engine=stap
	expect_record all 0 --module "$LAB_WORK/all.ko" -a --with worker -t 15
	check_eq 'the whole machine: locations' '/auth/ /gz/ /ssi/' "$(names location '/[a-z]*/' all)"
	check_eq 'the whole machine: workers' "$(pgrep -P "$master" | sort | tr '\n' ' ' | sed 's/ $//')" "$(names worker '[0-9]*' all)"
	bt-collapse --threads --by worker "$T/all.rec" 2>/dev/null >"$T/all.by"
	check_eq 'the whole machine: no label where nginx does not run' '' "$(grep -v '^\[no worker\];' "$T/all.by" | grep -v '^[0-9]*;nginx/' | head -n 3)"
	check 'the whole machine: others' sh -c "grep '^.no worker.;' '$T/all.by' | grep -qv ';nginx/'"
}

off_cpu() {
	engine=stap
	expect_record waits-stap 0 --script off-cpu --module "$LAB_WORK/off.ko" -p "$master" -t 15
	engine=bpf
	expect_record waits-bpf 0 --script off-cpu --state all -k -p "$master" -t 15
	for engine in stap bpf; do
		values request waits-$engine >"$T/requests"
		note "$T/requests"
		check_eq "waits, $engine: for events" idle "$(names request idle waits-$engine)"
		check "waits, $engine: with a request, preempted or blocked" grep -q '^.no request' "$T/requests"
		check_eq "waits, $engine: by location" '/auth/ /gz/ /ssi/' "$(names location '/[a-z]*/' waits-$engine)"
		check_eq "waits, $engine: states, too" 'R S W' "$(names state '[RSW]' waits-$engine)"
	done
}

# refused NAME CODE SAYS ARG…: checks the exit code and that there is one line of output
refused() {
	name=$1 code=$2 says=$3
	shift 3
	ngx-sample-bt --engine stap -t 1 "$@" >"$T/out" 2>"$T/err" && status=0 || status=$?
	check_eq "$name: exit code" "$code" "$status"
	note "$T/err"
	check "$name: says why" grep -q -e "$says" "$T/err"
	check_eq "$name: in one line" 1 "$(grep -c . "$T/err")"
}

refusals() {
	refused 'an unknown label' 64 "has no label 'color'" --with color -p "$master"
	refused 'requests' 64 '--requests needs the built-in engine' --requests -p "$master"
	refused 'no nginx' 2 'no nginx runs' -p $$
	refused 'a command' 2 'start it first' -- true
	sample-bt --engine stap -u -F 199 -t 1 --module "$LAB_WORK/on.ko" -p "$master" >"$T/out" 2>"$T/err" && status=0 || status=$?
	check_eq 'a module with labels, without asking for them: exit code' 2 "$status"
	check 'a module with labels: says why' grep -q "built for another recording, 'on-cpu -u --nginx'" "$T/err"
	note "$T/err"
}

in_guest() {
	start_nginx $release
	# shellcheck disable=SC2086 # a word a place
	load_nginx 6 $places
	on_cpu
	whole_machine
	off_cpu
	refusals
	stop_nginx
	lab_keep "$T"/*.rec "$T"/*.err
}

guest_main "$@"
