# SPDX-License-Identifier: GPL-2.0-or-later
# wall.sh: functions for the tests of wall time, in the guest and on this machine. WAITS is tests/programs/waits.

# lives REC: prints a line "TID NS" for each thread, the sum of all its rows
lives() {
	awk '$1 == "task" { tid[$2] = $4 } $1 == "row" { ns[tid[$3]] += $7 } END { for (t in ns) printf "%d %.0f\n", t, ns[t] }' "$1" | sort -n
}

# all_time NAME ARG…: records the threads of waits, and a process that was started later and only sleeps. A thread's time begins when the
# recorder finds it, in the order of the IDs, or before that, and has no gaps. So no thread has less than one that was found later.
all_time() {
	name=$1
	shift
	"$WAITS" 600 >"$T/target.out" 2>&1 &
	target=$!
	await_start $target
	sleep 600 &
	last=$!
	expect_record "$name" 0 -p $target,$last -t 2 "$@"
	kill $last $target
	wait $last $target || :
	check "$name: nothing is lost" grep -q ' kept, 0 lost' "$T/$name.err"
	lives "$T/$name.rec" >"$T/lives"
	shortest=$(awk -v last=$last '$1 == last { print $2 }' "$T/lives")
	longest=$(awk '$2 == "seconds" { printf "%.0f\n", $3 * 1e9 + 1e6 }' "$T/$name.rec")
	check_eq "$name: all threads" 8 "$(grep -c . "$T/lives")"
	while read -r tid ns; do
		[ "$tid" -gt "$last" ] || # the IDs have begun again
			check "$name: thread $tid has all of its time: $ns of $shortest to $longest ns" \
				awk "BEGIN { exit !($shortest <= $ns && $ns <= $longest) }"
	done <"$T/lives"
}

# everywhere: records where the threads of waits run and wait, until that was seen
everywhere() {
	decided_seconds=''
	record_until_seen 'where it runs' ';work_for.*\[on CPU\] ' -- "$WAITS" 1
	record_until_seen 'where it is preempted' ';compete;work_for.*\[preempted\] ' -- "$WAITS" 1
	record_until_seen 'where it sleeps' ';sleep_and_work;sleep_for;.*nanosleep.*\[sleeping\] ' -- "$WAITS" 1
}
