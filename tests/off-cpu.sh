# SPDX-License-Identifier: GPL-2.0-or-later
# off-cpu.sh: sourced by the tests of off-CPU time, those in the guest and those of the built-in engine: what was recorded of
# programs/waits from its beginning to its end against what its threads say of themselves.

# states REC: a line "STATE TASK WEIGHT" for each row, "-" for one without a state
states() {
	awk '$1 == "label" && $3 == "state" { state[$2] = $4 }
		$1 == "row" {
			found = "-"
			for (n = split($5, labels, ","); n; n--)
				if (labels[n] in state) found = state[labels[n]]
			print found, $3, $7
		}' "$1"
}

# waited REC TID STATE…: microseconds of the thread in these states
waited() {
	rec=$1 thread=$2
	shift 2
	task=$(awk -v thread="$thread" '$1 == "task" && $4 == thread { print $2 }' "$rec")
	states "$rec" | awk -v task="$task" -v states=" $* " '$2 == task && index(states, " " $1 " ") { sum += $3 }
		END { print sum + 0 }'
}

# Facts alone: a wait lies within the call that the thread measured, and is most of it, even where that call had to wait for a processor;
# what a thread waits and works is most of its life, and no wait is longer than the recording.
judge_thread() {
	thread=$1 name=$2 wall=$3 oncpu=$4 blocked=$5 waits=$6
	asleep=$(waited "$judged" "$thread" S)
	off=$(waited "$judged" "$thread" S D T t R W)
	echo "# $name: of $wall us recorded $asleep asleep, $off off a processor; own figures: $oncpu on one, $blocked in $waits calls"
	# each is rounded
	check "$name: sleeps within its calls" [ "$asleep" -le $((blocked + waits)) ]
	check "$name: sleeps in most of them" [ $((2 * off)) -ge "$blocked" ]
	check "$name: works or waits" [ $((2 * (off + oncpu))) -ge "$wall" ]
	check "$name: not longer than the recording" [ "$off" -le "$(recorded_us "$judged")" ]
}

# recorded_us REC: how many microseconds it took, and a millisecond, to which SystemTap rounds
recorded_us() {
	awk '$2 == "seconds" { printf "%d\n", $3 * 1e6 + 1000 }' "$1"
}

# judge_whole_wait REC TID: the thread waits from before the recording to its end; the recorder looks at it a little later
judge_whole_wait() {
	asleep=$(waited "$1" "$2" S)
	check "part: what never wakes waits all the time: $asleep us" test $((2 * asleep)) -ge "$(recorded_us "$1")" -a "$asleep" -le "$(recorded_us "$1")"
}

# judge_lives REC OUT: the recording of `waits`, all states, and what the program printed
judge_lives() {
	judged=$1
	while read -r line; do
		# shellcheck disable=SC2086 # numbers and names
		judge_thread $line
	done <"$2"
	check_eq 'life: six threads' 6 "$(grep -c . "$2")"
}
