# SPDX-License-Identifier: GPL-2.0-or-later
# record.sh: functions for all tests that record, on this machine and in the guests: they record, and check the recording. Sourced after
# lib.sh. The recording NAME is $T/NAME.rec and .folded; its output is $T/NAME.out and .err; its exit code is $status. Needs BIN
# (sample-bt).

case_start='(_start|_*clone3?|thread_start)'
case_libc='(_*libc_start[^;]*|_start_c|start_thread|\[[^];]*\]|[^;]*\+0x[0-9a-f]*)'

# recorder ARG…: runs the program that records; a test of another program, or with other options, redefines it. With $no_jvm it does not ask
# the JVMs that other tests use at the same time.
no_jvm=--no-jvm
recorder() {
	"$BIN" --engine bpf --min-quality 1 ${no_jvm:+"$no_jvm"} "$@"
}

# record NAME ARG…: makes the recording NAME
record() {
	record_name=$1
	shift
	status=0
	recorder -o "$T/$record_name.folded" -o "$T/$record_name.rec" "$@" >"$T/$record_name.out" 2>"$T/$record_name.err" || status=$?
	[ -f "$T/$record_name.folded" ] || : >"$T/$record_name.folded"
	if grep -q 'internal error' "$T/$record_name.err"; then
		note "$T/$record_name.err"
		not_ok "$record_name" 'an internal error'
	fi
	record_keys=$(undeclared_keys "$T/$record_name.rec")
	[ -z "$record_keys" ] || not_ok "$record_name" "labels that the script does not declare: $record_keys"
}

# undeclared_keys RECORDING: prints the keys of its labels that neither the header of its script has nor what all scripts take; in the guests,
# which have no sources, none
undeclared_keys() {
	[ -s "$1" ] && [ -n "${TOP-}" ] || return 0
	set -- "$1" "$(sed -n '/^event 0 /{s/^event 0 \([^ ]*\).*/\1/p;q}' "$1")"
	set -- "$1" "$(cat "$TOP/stap/$2.stp" "$TOP"/src/tool/*/"$2.tool" 2>/dev/null | sed -n 's,^// flametap: keys ,,p')"
	[ -z "$2" ] || awk -v declared="$2 vmstate op range $(general_keys)" '
		BEGIN { n = split(declared, word); for (i = 1; i <= n; i++) known[word[i]] = 1 }
		$1 == "label" && !($3 in known) && $3 !~ /[.]/ && !seen[$3]++ { print $3 }' "$1" | tr '\n' ' '
}

# general_keys: prints the keys of labels of processes, such as cgroup, and of sources of labels, such as uri
general_keys() {
	grep -o 'ROW([a-z]*)' "$TOP/src/model/membership.h" | sed 's/ROW(\(.*\))/\1/' | tr '\n' ' '
	sed -n 's/.*\[[A-Z_]*\] = {"\([a-z-]*\)".*/\1/p' "$TOP"/src/label/*/*_labels.c | tr '\n' ' '
	sed -n 's/.*\.place = "\([a-z]*\)".*/\1/p' "$TOP"/src/label/*/*_labels.c | tr '\n' ' '
}

# expect_record NAME CODE ARG…: records and checks the exit code
expect_record() {
	expect_name=$1
	expect_code=$2
	shift 2
	record "$expect_name" "$@"
	note "$T/$expect_name.err"
	check_eq "$expect_name: exit code" "$expect_code" "$status"
}

# begin_record NAME ARG…: records in the background, until end_record; returns when the probes are in place
begin_record() {
	begin_name=$1
	shift
	: >"$T/$begin_name.err"
	(
		record "$begin_name" -v "$@"
		exit "$status"
	) &
	recording=$!
	until_true begun "$begin_name" || not_ok "$begin_name" 'the recording does not begin'
}

# begun NAME: checks that the probes are in place, or never will be
begun() {
	grep -qs 'the probes are in place' "$T/$1.err" || ! kill -0 "$recording" 2>/dev/null
}

end_record() {
	status=0
	wait "$recording" || status=$?
}

# stop_record: ends the recording as Ctrl-C does
stop_record() {
	kill -INT "$(pgrep -P "$recording" -f sample-bt | head -n 1 | grep . || echo "$recording")"
	end_record
}

# record_until_decided NAME ERE ARG…: records again and again until it is decided whether the stacks are right, see until_decided. Each
# recording is twice as long as the last one; otherwise a busy machine might do nothing but start recordings.
record_until_decided() {
	until_decided_name=$1
	until_decided_ere=$2
	shift 2
	until_decided "$until_decided_name" "$T/$until_decided_name.folded" "$until_decided_ere" record_longer "$until_decided_name" "$@"
	tail -n 3 "$T/$until_decided_name.err" | note
}

# $decided_seconds: the length of the first recording in seconds; empty if the recorded command ends by itself
decided_seconds=0.5
record_longer() {
	longer_name=$1
	shift
	record "$longer_name" ${longer:+-t "$longer"} "$@"
	twice_as_long
}

twice_as_long() {
	case $longer in
	0.5) longer=1 ;;
	1) longer=2 ;;
	2) longer=4 ;;
	4) longer=8 ;;
	esac
}

# until_decided NAME FOLDED ERE COMMAND…: runs the command, which writes FOLDED, again and again, until it is decided (see sequential in
# lib.sh) whether the weight of samples whose stack is ERE, as whole_stack() has it, is right. If it stays undecided, the test fails: hardly
# anything was sampled. $only is an ERE of the lines that count.
only=''
until_decided() {
	decided_name=$1
	decided_folded=$2
	decided_ere=$(whole_stack "$3")
	shift 3
	decided=more right=0 all=0 longer=$decided_seconds
	these=$decided_folded.these # as two callers may be undecided at once
	until_true decides "$@" || :
	if [ "$decided" = good ]; then
		ok "$decided_name"
	else
		not_ok "$decided_name" "$decided: $right of $all samples have the stack $decided_ere"
		others "$these" "$decided_ere"
	fi
}

# decides COMMAND…: runs the command, adds its samples, and checks that they decide
decides() {
	"$@"
	grep -aE -e "$only" "$decided_folded" >"$these" || :
	right=$((right + $(weight "$these" "$decided_ere")))
	all=$((all + $(weight "$these")))
	decided=$(sequential "$right" $((all - right)))
	[ "$decided" != more ]
}

# record_until_seen NAME ERE ARG…: records again and again until a line of the recording matches
record_until_seen() {
	seen_name=$1
	seen_ere=$2
	shift 2
	longer=$decided_seconds
	until_true record_sees "$@" || :
	check "$seen_name" grep -qaE -e "$seen_ere" "$T/$seen_name.folded"
}

record_sees() {
	record_longer "$seen_name" "$@"
	grep -qaE -e "$seen_ere" "$T/$seen_name.folded"
}

# account WHAT NAME: prints a number of the account of a recording: kept, lost, skipped (a part of lost), whole (per cent) or named (per
# cent), or 0 if it is missing
account() {
	case $1 in
	kept) account_is='\([0-9]*\) [^ ]* kept,.*' ;;
	lost) account_is='.* kept, \([0-9]*\) lost.*' ;;
	skipped) account_is='.* lost (skipped \([0-9]*\).*' ;;
	whole) account_is='.*stacks \([0-9.]*\) % whole.*' ;;
	named) account_is='.*frames \([0-9.]*\) % named.*' ;;
	esac
	sed -n "s/^\(.*: \)\{0,1\}$account_is\$/\2/p" "$T/$2.err" | tail -n 1 | grep . || echo 0
}

# at_least A B: compares numbers with or without fraction
at_least() {
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a + 0 >= b + 0) }'
}

# weight FOLDED [ERE]: prints the weight of the lines that match, or 0 if there are none. Not every awk knows {M,N}, so grep matches. A $ at
# the end of ERE is the end of the stack, which the weight follows.
weight() {
	grep -aE -e "$(before_weight "${2-}")" "$1" | awk '{ n += $NF } END { print n + 0 }'
}

before_weight() {
	case $1 in
	*\$) echo "${1%\$} [0-9]+\$" ;;
	*) echo "$1" ;;
	esac
}

# share FOLDED ERE: prints the per cent of the weight whose lines match, or 0 if there are none
share() {
	echo "$(weight "$1" "$2") $(weight "$1")" | awk '{ printf "%.2f\n", $2 ? 100 * $1 / $2 : 0 }'
}

# others FOLDED ERE: prints the heaviest lines that do not match, as notes
others() {
	grep -avE -e "$(before_weight "$2")" "$1" | awk '{ n = $NF; sub(/ [0-9]+$/, ""); text = substr($0, 1, 400); print n, text }' |
		sort -rn | head -n 5 | note
}

# whole_stack ERE: prints the ERE of a whole stack that has these frames from main or the thread's function on; an ERE that starts with ^
# stays as it is. $roots: the frames before these, such as names of processes.
roots=''
whole_stack() {
	case $1 in
	^*) echo "$1\$" ;;
	*) echo "^$roots$case_start(;$case_libc){0,4};$1\$" ;;
	esac
}

# expect_stack FOLDED ERE MIN_PERCENT [NAME]: checks that so much of the weight has this stack, from the first frame after libc's:
# 'main;a;b;spin'
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

# rootless FOLDED: prints the weight of stacks that do not begin where programs and threads begin, in libc, which may have no names
rootless() {
	grep -avE "^($case_start|start_thread|libc[^;]*[+]0x[0-9a-f]+)[; ]" "$1" | awk '{ n += $NF } END { print n + 0 }'
}

# expect_account NAME RECORDING WHOLE [KEPT]: checks for exit 0, at least WHOLE per cent whole, at most one sample in 200 lost, and at least
# KEPT (20) samples. Ticks that the machine did not deliver (skipped) are not the recorder's loss.
expect_account() {
	kept=$(account kept "$2")
	unkept=$(($(account lost "$2") - $(account skipped "$2")))
	if [ "$status" = 0 ] && at_least "$(account whole "$2")" "$3" && [ $((unkept * 200)) -le "$kept" ] &&
		[ "$kept" -ge "${4:-20}" ] && [ "$kept" = "$(weight "$T/$2.folded")" ]; then
		ok "$1"
	else
		not_ok "$1" "exit $status, or not $3 % whole, or too much lost, or less than ${4:-20}, or not as many as its stacks"
		tail -n 5 "$T/$2.err" | note
		others "$T/$2.folded" "^$case_start;"
	fi
}

# expect_share NAME FOLDED ERE PERCENT: checks that PERCENT of the weight match, within four standard deviations of a sample of that size
# and one point
expect_share() {
	expect_weight=$(weight "$2")
	expect_is=$(share "$2" "$3")
	# not every awk knows sqrt()
	if awk -v is="$expect_is" -v p="$4" -v n="$expect_weight" 'BEGIN {
		over = (is > p ? is - p : p - is) - 1
		exit !(n > 0 && (over <= 0 || over * over * n <= 16 * p * (100 - p))) }'
	then
		ok "$1"
	else
		not_ok "$1" "$expect_is % of $expect_weight, expected $4"
	fi
}

# slices_add_up NAME: checks that each row of the recording is the sum of its slices. Notes how many rows are in several slices.
slices_add_up() {
	awk '
		function part(item, mark, otherwise) {
			return match(item, "[" mark "][0-9]+") ? substr(item, RSTART + 1, RLENGTH - 1) : otherwise
		}
		function end_row() {
			if (count || sum)
				print row
			several += items > 1
			items = 0
		}
		/^row/ {
			end_row()
			rows++
			row = $0
			count = $6
			sum = NF > 6 ? $7 : $6
		}
		/^series/ {
			for (i = 2; i <= NF; i++) {
				times = 1 + part($i, "+", 0)
				items += times
				count -= part($i, "*", 1) * times
				sum -= part($i, "/", part($i, "*", 1)) * times
			}
		}
		END {
			end_row()
			print "# " several + 0 " of " rows + 0 " rows are in several slices"
			if (!rows)
				print "no rows"
		}' "$T/$1.rec" >"$T/$1.slices"
	grep '^#' "$T/$1.slices" || :
	check_eq "$1: slices add up to the rows" '' "$(grep -v '^#' "$T/$1.slices")"
}

# note_account WHAT RECORDING: prints a row of a table of kernels
note_account() {
	echo "# $(uname -r) | $1 | $(awk '$1 == "row" { n += $6 } END { print n + 0 }' "$T/$2.rec") samples | $(account whole "$2") % whole"
}

# record_work PROGRAM NAME ARG…: records all of "PROGRAM wait $T/data $N", which does nothing before the recording has begun (await_signal.h)
record_work() {
	work=$1 work_name=$2
	shift 2
	mkdir -p "$T/data"
	: >"$T/target.out"
	"$work" wait "$T/data" "$N" >"$T/target.out" 2>&1 &
	target=$!
	until_true grep -q spinning "$T/target.out" || note "$T/target.out"
	begin_record "$work_name" -p "$target" "$@"
	kill -USR1 "$target"
	end_record
	note "$T/$work_name.err"
	check_eq "$work_name: exit code" 0 "$status"
}
