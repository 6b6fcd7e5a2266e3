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

# Times in per cent of the thread's life; the program's own figures are the truth. A new thread's first wait for a processor, which is
# long on a busy machine, is recorded by one engine and not by the other. 4 %: where the processors of a guest are emulated and the host
# is busy, the kernel's own figures do not agree by 2 %.
judge_thread() {
	thread=$1 name=$2 wall=$3 oncpu=$4 blocked=$5 runnable=$7 first=$8
	asleep=$(waited "$judged" "$thread" S D T t)
	ready=$(waited "$judged" "$thread" R W)
	woken=$(waited "$judged" "$thread" W)
	echo "# $name: of $wall us recorded $asleep blocked, $ready runnable ($woken woken); own figures: $oncpu on CPU, $runnable runnable, $first of it at first, $blocked in calls"
	limit=$((wall / 25))
	near "$name: blocked, runnable and on a processor are all of its life" $((asleep + ready + oncpu)) "$wall" $((limit + first))
	if [ "$name" = never ]; then
		# By its own clock: a call is also work, here much of it. The kernel's sum is no measure: Linux 6.12 may
		# count a sleeping thread as waiting for a processor when it moves it to another one.
		near "$name: blocked" $((asleep + woken)) "$blocked" $limit
		return
	fi
	near "$name: blocked" "$asleep" $((wall - oncpu - runnable)) $((limit + first))
	near "$name: runnable" "$ready" "$runnable" $((limit + first))
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
