# SPDX-License-Identifier: GPL-2.0-or-later
# bpf/lib.sh: sourced by tests/bpf/t/*.sh behind lib.sh. Needs BIN (sample-bt), TOP and CASES (the compiled cases), which `run` sets.

case_start='(_start|_*clone3?|thread_start)'
case_libc='(_*libc_start[^;]*|_start_c|start_thread|\[[^];]*\])'

# missing CASE: why it was not built; false: it was
missing() {
	sed -n "s/^$1 //p" "$CASES/missing" | grep .
}

# start COMMAND…: a case in the background: $target. It is where it will stay when this returns. It runs before others, for it shall run, and
# ends with this shell.
start() {
	: >"$T/target.out"
	nice -n -10 setpriv --pdeathsig TERM "$@" >"$T/target.out" 2>&1 &
	target=$!
	until_true 60 spinning || note "$T/target.out"
}

spinning() {
	grep -q spinning "$T/target.out" || ! kill -0 "$target" 2>/dev/null
}

# finish: ends $target
finish() {
	kill "$target" 2>/dev/null || :
	wait "$target" 2>/dev/null || :
}

# record NAME ARG…: leaves $T/NAME.folded, .rec and .err; $status
record() {
	record_name=$1
	shift
	status=0
	"$BIN" --engine bpf --min-quality 1 -o "$T/$record_name.folded" -o "$T/$record_name.rec" "$@" >"$T/$record_name.out" 2>"$T/$record_name.err" ||
		status=$?
	[ -f "$T/$record_name.folded" ] || : >"$T/$record_name.folded"
}

# record_for NAME SECONDS ARG…: likewise, and longer where the machine is so busy that the target hardly ran
record_for() {
	record_of=$1
	record_seconds=$2
	shift 2
	for _ in 1 2 3; do
		record "$record_of" "$@" -t "$record_seconds"
		[ "$(account kept "$record_of")" -lt "${record_least:-100}" ] || break
		record_seconds=$(echo "$record_seconds" | awk '{ print $1 * 5 }')
	done
}

# account WHAT NAME: a number out of the account of a recording: kept, lost, whole (per cent) or named (per cent); 0: there is none
account() {
	case $1 in
	kept) account_is='\([0-9]*\) samples kept,.*' ;;
	lost) account_is='.*samples kept, \([0-9]*\) lost.*' ;;
	whole) account_is='.*stacks \([0-9.]*\) % whole.*' ;;
	named) account_is='.*frames \([0-9.]*\) % named.*' ;;
	esac
	sed -n "s/^\(.*: \)\{0,1\}$account_is\$/\2/p" "$T/$2.err" | tail -n 1 | grep . || echo 0
}

# at_least A B: numbers, with or without fraction
at_least() {
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a + 0 >= b + 0) }'
}

# weight FOLDED [ERE]: that of the lines that match; 0 without any. Not every awk knows {M,N}, so grep looks. An ERE with $ at its end
# is that of stacks, which the weight follows.
weight() {
	grep -aE -e "$(before_weight "${2-}")" "$1" | awk '{ n += $NF } END { print n + 0 }'
}

before_weight() {
	case $1 in
	*\$) echo "${1%\$} [0-9]+\$" ;;
	*) echo "$1" ;;
	esac
}

# share FOLDED ERE: per cent of the weight whose lines match; 0 without any
share() {
	echo "$(weight "$1" "$2") $(weight "$1")" | awk '{ printf "%.2f\n", $2 ? 100 * $1 / $2 : 0 }'
}

# others FOLDED ERE: the heaviest lines that do not match, as notes
others() {
	grep -avE -e "$(before_weight "$2")" "$1" | awk '{ n = $NF; sub(/ [0-9]+$/, ""); text = substr($0, 1, 400); print n, text }' |
		sort -rn | head -n 5 | note
}

# whole_stack ERE: that of a whole stack which has these frames from main or the thread's function on; one that starts with ^ is itself.
# $roots: what comes before; of several processes, their names.
roots=''
whole_stack() {
	case $1 in
	^*) echo "$1\$" ;;
	*) echo "^$roots$case_start(;$case_libc){0,4};$1\$" ;;
	esac
}

# expect_stack FOLDED ERE MIN_PERCENT [NAME]: so much of the weight has this stack, from the first frame that the program's libc does
# not make: 'main;a;b;spin'
expect_stack() {
	expect_ere=$(whole_stack "$2")
	expect_share=$(share "$1" "$expect_ere")
	if at_least "$expect_share" "$3"; then
		ok "${4:-$2}"
	else
		not_ok "${4:-$2}" "$expect_share % of the samples have the stack $expect_ere, not $3 %"
		others "$1" "$expect_ere"
	fi
}

# expect_account NAME RECORDING WHOLE [KEPT]: exit 0, at least so many per cent whole, at most one in 200 lost, at least KEPT (20) samples
expect_account() {
	kept=$(account kept "$2")
	if [ "$status" = 0 ] && at_least "$(account whole "$2")" "$3" && [ $(($(account lost "$2") * 200)) -le "$kept" ] &&
		[ "$kept" -ge "${4:-20}" ] && [ "$kept" = "$(weight "$T/$2.folded")" ]; then
		ok "$1"
	else
		not_ok "$1" "exit $status, or not $3 % whole, or too much lost, or less than ${4:-20}, or not as many as its stacks"
		tail -n 5 "$T/$2.err" | note
		others "$T/$2.folded" "^$case_start;"
	fi
}

# expect_gdb NAME RECORDING: gdb sees the same frames in each thread of $target, which still stays where it was
expect_gdb() {
	if ! command -v gdb >/dev/null; then
		skip "$1" 'no gdb'
		return 0
	fi
	"${BIN%/*}/bt-collapse" --threads "$T/$2.rec" >"$T/$2.threads" 2>/dev/null || :
	if "$TOP/tests/bpf/judge-gdb" "$target" "$T/$2.threads" >"$T/$2.gdb" 2>&1; then
		ok "$1"
	else
		not_ok "$1" "$(tail -n 1 "$T/$2.gdb")"
		cut -c1-600 "$T/$2.gdb" | note
	fi
}

# objects_before: remembers what there is of BPF; objects_left: what there is more for a while and no process holds, by kind
objects_before() {
	"$CASES/probe" list | sort >"$T/objects"
}

objects_left() {
	"$CASES/probe" list | sort | comm -13 "$T/objects" - >"$T/objects.more"
	for _ in 1 2 3 4 5 6; do
		[ -s "$T/objects.more" ] || return 0
		cat /proc/[0-9]*/fdinfo/* 2>/dev/null | sed -n 's/^\(prog\|map\|link\)_id:[ \t]*/\1 /p' | sort -u >"$T/objects.held"
		# maps inside of maps have no descriptor: whose are they, when somebody else records, too
		if [ -s "$T/objects.held" ]; then sed -i '/^map/d' "$T/objects.more"; fi
		comm -23 "$T/objects.more" "$T/objects.held" >"$T/objects.free"
		"$CASES/probe" list | sort | comm -12 "$T/objects.free" - >"$T/objects.more"
		sleep 0.3
	done
	sed 's/ .*//' "$T/objects.more" | sort -u
}

no_objects_left() {
	[ -z "$(objects_left)" ]
}
