# SPDX-License-Identifier: GPL-2.0-or-later
# off-cpu.sh: functions for the tests of off-CPU time, in the guest and of the built-in engine. They compare a recording of programs/waits
# from beginning to end with what its threads print about themselves.

# states REC: prints a line "STATE TASK WEIGHT" for each row, with "-" for a row without a state
states() {
	awk '$1 == "label" && $3 == "state" { state[$2] = $4 }
		$1 == "row" {
			found = "-"
			for (n = split($5, labels, ","); n; n--)
				if (labels[n] in state) found = state[labels[n]]
			print found, $3, $7
		}' "$1"
}

# waited REC TID STATE…: prints the microseconds of the thread in these states
waited() {
	rec=$1 thread=$2
	shift 2
	task=$(awk -v thread="$thread" '$1 == "task" && $4 == thread { print $2 }' "$rec")
	states "$rec" | awk -v task="$task" -v states=" $* " '$2 == task && index(states, " " $1 " ") { sum += $3 }
		END { print sum + 0 }'
}

# Only facts are asserted. A wait lies within the call that the thread measured, and is most of it, even if that call had to wait for a
# processor. The waits and the work of a thread are most of its life, and no wait is longer than the recording.
judge_thread() {
	thread=$1 name=$2 wall=$3 oncpu=$4 blocked=$5 waits=$6
	asleep=$(waited "$judged" "$thread" S)
	off=$(waited "$judged" "$thread" S D T t R W)
	echo "# $name: of $wall us recorded $asleep asleep, $off off a processor; own figures: $oncpu on one, $blocked in $waits calls"
	# each value is rounded
	check "$name: sleeps within its calls" [ "$asleep" -le $((blocked + waits)) ]
	check "$name: sleeps in most of them" [ $((2 * off)) -ge "$blocked" ]
	check "$name: works or waits" [ $((2 * (off + oncpu))) -ge "$wall" ]
	check "$name: not longer than the recording" [ "$off" -le "$(recorded_us "$judged")" ]
}

# recorded_us REC: prints the length of the recording in microseconds, plus a millisecond, to which SystemTap rounds
recorded_us() {
	awk '$2 == "seconds" { printf "%d\n", $3 * 1e6 + 1000 }' "$1"
}

# judge_whole_wait REC TID: checks a thread that waits from before the recording to its end; the recorder first looks at it a little later
judge_whole_wait() {
	asleep=$(waited "$1" "$2" S)
	check "part: what never wakes waits all the time: $asleep us" test $((2 * asleep)) -ge "$(recorded_us "$1")" -a "$asleep" -le "$(recorded_us "$1")"
}

# judge_lives REC OUT: checks a recording of `waits` with all states against the program's output
judge_lives() {
	judged=$1
	while read -r line; do
		# shellcheck disable=SC2086 # numbers and names
		judge_thread $line
	done <"$2"
	check_eq 'life: six threads' 6 "$(grep -c . "$2")"
}
