# SPDX-License-Identifier: GPL-2.0-or-later
# The files and exit codes of recordings of a process and of a command.
set -eu

. "$TOP/tests/live/lib.sh"

sample good 0 -p "$subject" -u -t 0.3 --min-quality 1 -o a.rec -o a.folded -o a.svg -o a.csv -o a.json -o a.bt
check 'good: the account' grep -q '30 samples kept, 12 lost (skipped 5, table-full 4, no-body 3)' stderr
check 'good: the recording' grep -q '^row 0 0 0 - 30 30$' a.rec
check 'good: the recording says what was run' grep -q '^meta command .*sample-bt.x20-p' a.rec
check 'good: it is read again' sh -c "'$bin/bt-collapse' a.rec | cmp - a.folded"
check 'good: the same picture again' sh -c "'$bin/bt-flame' a.rec 2>/dev/null | cmp - a.svg"
check 'good: the same table again' sh -c "'$bin/bt-report' a.rec 2>/dev/null | cmp - a.csv"
check 'good: the picture is well-formed' xmllint --noout a.svg
check 'good: json' python3 -c 'import json; assert json.load(open("a.json"))["total"] == 30'
check_eq 'good: only for its user' '600 600' "$(stat -c %a a.rec a.svg | tr '\n' ' ' | sed 's/ $//')"
check_eq 'good: no temporary file stays' 6 "$(ls a.* | wc -l)"

sample good 0 -p "$subject" -u -t 0.2 --min-quality 1
check 'good: .bt on stdout' sh -c "grep -q '^	30$' stdout"

# a JVM is asked for names with either engine
if command -v javac >/dev/null; then
	asks_jvms
	cat >Idle.java <<-'END'
		public class Idle {
			public static void main(String[] args) throws Exception {
				System.out.println("idle");
				Thread.sleep(600000);
			}
		}
	END
	javac Idle.java
	java -XX:+UseSerialGC Idle >idle &
	named=$!
	until_true test -s idle
	rm -f "/tmp/.java_pid$named" # of an earlier process with this PID
	STAND_IN_MEMORY=1
	export STAND_IN_MEMORY
	sample good 0 -p "$named" -u -t 0.2 --no-jvm -o j.folded
	check_eq 'java: --no-jvm' '' "$(ls -A /tmp | grep -x ".java_pid$named" || :)"
	sample good 0 -p "$named" -u -t 0.2 -o j.folded
	check 'java: the JVM is asked' test -S "/tmp/.java_pid$named"
	check 'java: its map is gone' test ! -e "/tmp/perf-$named.map"
	unset STAND_IN_MEMORY
	kill "$named"
	named=''
else
	skip java 'no javac'
fi

sample good 0 -p "$subject" -t 0.2 --min-quality 1 --report reports
check 'good: a report' test -s reports/*/flame.svg -a -s reports/*/callers.svg -a -s reports/*/summary.csv

sample good 0 -u -t 0.3 --min-quality 0 -o c.rec -- sleep 60
check 'good: a command' grep -q '^task 0 ' c.rec
check 'good: that it continues' grep -q "the command continues: 'sleep' is process [0-9]*$" stderr
kill "$(sed -n "s/.* the command continues: 'sleep' is process //p" stderr)" || :
sample good 7 -u --min-quality 1 -o c.rec -- sh -c 'sleep 0.3; exit 7'
check 'good: says that it is the exit code of the command' grep -q "the command 'sh' ended with exit code 7\$" stderr
sample good 143 -u --min-quality 1 -o c.rec -- sh -c 'sleep 0.3; kill $$'
sample good 2 -u -o /nonexistent/a.rec -- sh -c 'exit 7'
sample good 0 -a -u -d -- sh
check 'all: rules for the command' sh -c "head -n 1 stdout | grep -q -- '-d [^ ]*/sh --ldd .* u all'"
sample good 3 -a -u --min-quality 1 -o c.rec -- sh -c 'sleep 0.3; exit 3'
sample silent 1 -p "$subject" -u -t 0.2 -o s.rec
check 'silent: says so' grep -q 'no samples' stderr
check 'silent: a whole recording all the same' grep -q '^end ' s.rec
sample fails 2 -p "$subject" -u -t 0.2 -o f.rec
check 'fails: one line says why' grep -q 'stap made no module: semantic error: while resolving probe point: no match' stderr
check 'fails: nothing is written' test ! -e f.rec
sample dies 2 -p "$subject" -u -t 5 -o d.rec
sample falls 1 -p "$subject" -u -t 0.2 --min-quality 1 -o g.rec
check 'falls: what was gathered is kept' grep -q '^row 0 0 0 - 30 30$' g.rec
sample good 2 -p "$subject" -u -t 0.2 -o /nonexistent/a.rec
check 'good: an unwritable file is named' grep -q "/nonexistent/a.rec" stderr
