#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# children: a chain of 200 generations of processes, each of which forks, executes and ends at once, so that the last process has no
# recorded parent. It is recorded like the first one, and no other process is.
set -eu
. "$TOP/tests/hostile/lib.sh"

target=''
at_end 'kill $target $other 2>/dev/null'
let_nobody_record
cp "$CASES/chains" "$T/"
nice -n -10 sh -c 'while :; do :; done' &
other=$!

# recorded NAME: checks the last process of the chain
recorded() {
	start ready "$T/chains" 200
	begin_record "$1" -u --children -p $target
	kill -USR1 $target
	until_true grep -q last "$T/out" || not_ok "$1" 'the chain has no end'
	await_start "$(pgrep -nx chains)"
	kill $target
	end_record
	note "$T/$1.err"
	check_eq "$1: exit code" 0 "$status"
	last=$(weight "$T/$1.folded" '^chains;.*;last_work$')
	check "$1: $last samples of the last one" test "$last" -gt 0
	check_eq "$1: others" 0 "$(grep -cv '^chains;' "$T/$1.folded" || :)"
}

recorded root
(
	recorder() {
		record_as_nobody +bpf,+perfmon "$@"
	}
	recorded user
)

# A chain of processes of 20 ms each: processes that start after the search for processes are known through their parents.
cd "$T"
for run in 1 2 3 4 5 6 7 8; do
	nice -n -10 "$CASES/relay" 20
done
decided=more
: >"$T/relays"
decide() {
	expect_record relay 0 -a -u -t 1
	"$(dirname "$BIN")/bt-collapse" --by comm "$T/relay.rec" 2>/dev/null | grep '^relay;' >>"$T/relays" || :
	all=$(awk '{ n += $NF } END { print n + 0 }' "$T/relays")
	broken=$(awk '/\[broken/ { n += $NF } END { print n + 0 }' "$T/relays")
	decided=$(sequential $((all - broken)) "$broken")
	[ "$decided" != more ]
}
until_true decide || :
touch stop
check_eq "relay: $broken of $all samples are broken" good "$decided"
