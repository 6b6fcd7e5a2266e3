# SPDX-License-Identifier: GPL-2.0-or-later
# locks.sh: functions for the tests of waits for locks, on this machine and in guests. LOCKS is the program tests/programs/locks.c, which waits
# $N times for each of its locks. They need record.sh.

# begin_waits NAME ARG…: records LOCKS
begin_waits() {
	record_work "$LOCKS" "$@"
	note "$T/target.out"
}

# waits_of NAME ERE N LABEL…: checks that the stacks ERE have N waits with each of the labels, KEY=VALUE
waits_of() {
	waits_name=$1 waits_ere=$2 waits_nr=$3
	shift 3
	for waits_label in "$@"; do
		"${BIN%/*}/bt-collapse" --event waits --label "$waits_label" "$T/$waits_name.rec" >"$T/$waits_name.waits" 2>/dev/null || :
		check_eq "$waits_name: $waits_ere: $waits_label" "$waits_nr" "$(weight "$T/$waits_name.waits" "^$waits_ere\$")"
	done
}

# futex_waits NAME: checks the waits of LOCKS for its own locks
futex_waits() {
	waits_tid=$(sed -n 's/^tid //p' "$T/target.out")
	waits_of "$1" '.*;work;take_queue;.*' "$N" kind=futex "lock=queue_mutex (locks)" "released-by=locks/$waits_tid" "held-by=locks/$waits_tid"
	waits_of "$1" '.*;work;take_urgent;.*' "$N" kind=pi "lock=pi_mutex (locks)" "released-by=locks/$waits_tid" "held-by=locks/$waits_tid"
	check_eq "$1: what is no mutex has no owner" '' "$("${BIN%/*}/bt-report" --by held-by,function --csv "$T/$1.rec" 2>/dev/null | grep -E '^[^[].*,(await_condition|change_table|join),')"
	waits_of "$1" '.*;work;await_condition;.*' "$N" kind=futex "released-by=locks/$waits_tid"
	waits_of "$1" '.*;work;change_table;.*' "$N" kind=futex "released-by=locks/$waits_tid"
	waits_of "$1" '_start;.*;main;(wait_for_all;)?give_up;.*' "$N" kind=futex error=ETIMEDOUT
	waits_of "$1" '_start;.*;main;(wait_for_all;)?join;.*' "$N" kind=join 'lock=end of thread locks'
	# nobody releases the last one, which ends with its thread
	waits_of "$1" '.*;stay;.*' 1 kind=futex error=ERESTARTSYS
}

# waits NAME FUNCTION: prints how many waits the function has
waits() {
	"${BIN%/*}/bt-collapse" --event waits "$T/$1.rec" >"$T/$1.waits" 2>/dev/null || :
	weight "$T/$1.waits" ";$2;"
}

# contentions NAME: checks the waits of LOCKS for a lock of the kernel
contentions() {
	waits_of "$1" '.*;work;read_line;.*;n_tty_read_\[k\](;.*_\[k\])?' "$N" kind=mutex
}

# reports_contention: checks that this kernel reports waits for its locks
reports_contention() {
	[ "$(printf '%s\n' 5.19 "$(uname -r)" | sort -V | head -n 1)" = 5.19 ]
}

# kernel_waits: records the waits of LOCKS for a lock of the kernel alone, or checks that an older kernel is refused
kernel_waits() {
	if reports_contention; then
		begin_waits kernel -k
		waits_of kernel '(.*;)?n_tty_read_\[k\](;.*_\[k\])?' "$N" kind=mutex
		check_eq 'kernel: no locks of the program' 0 "$("${BIN%/*}/bt-report" --by kind "$T/kernel.rec" 2>/dev/null | grep -cE '^(futex|pi|join),')"
	else
		expect_record kernel 2 -k -t 1 -a
		check 'kernel: says what the kernel lacks' grep -q 'has no tracepoint lock:contention_begin, which exists since 5.19' "$T/kernel.err"
	fi
}
