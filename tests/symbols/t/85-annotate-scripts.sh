#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 85-annotate-scripts: source lines of interpreters' functions with their samples.
set -eu
. "$TOP/tests/lib.sh"
bin=$(realpath "$BINDIR")
mkdir "$T/lib"
cd "$T"
printf 'package A;\nsub run {\n\tmy $n = <shift>;\n\tstep($n);\n}\nsub step { 1 }\n1;\n' >lib/A.pm
printf 'local function add(n)\n  return n + 1\nend\n' >add.lua
touch -d '2 days ago' lib/A.pm add.lua
{
	cat <<-END
		flametap-recording 2
		meta started 2020-01-01T00:00:00Z
		event 0 cpu samples 1000000 cpu
		task 0 10 10 0 perl
		frame 0 perl name
		name 0 A::run 0 - $T/lib/A.pm 3
		frame 1 perl name
		name 1 A::run 0 - $T/lib/A.pm 4
		frame 2 perl name
		name 2 A::step 0 - $T/lib/A.pm 6
		frame 3 perl name
		name 3 (eval\x20a.pl:9) 0 - (eval\x2012) 1
		frame 4 perl name
		name 4 (eval\x20a.pl:9) 0 - (eval\x2013) 1
		frame 5 lua name
		name 5 add:add 0 - add.lua 2
		frame 6 jit name
		name 6 add:add 0 [jit] add.lua 2
		frame 7 perl name
		name 7 A::gone 0 - gone.pl 2
		stack 0 perl root - 0
		stack 1 perl root - 2 1
		stack 2 perl root - 3 1
		stack 3 perl root - 4 1
		stack 4 lua root - 5
		stack 5 lua root - 6
		stack 6 perl root - 7
		row 0 0 0 - 30 30
		row 0 0 1 - 10 10
		row 0 0 2 - 4 4
		row 0 0 3 - 3 3
		row 0 0 4 - 5 5
		row 0 0 5 - 7 7
		row 0 0 6 - 1 1
	END
} >records
{ cat records; echo "end $(wc -l <records)"; } >a.rec

# annotate OPTION…: writes the output to out and err, and prints nothing
annotate() {
	status=0
	"$bin/bt-annotate" "$@" >out 2>err || status=$?
}

# line TEXT: prints the numbers in front of the line with this text
line() {
	awk -v text="$1" 'index($0, text) { $0 = substr($0, 1, index($0, text) - 1); NF--; print $0; exit }' out
}

touch -d '2019-12-01' lib/A.pm add.lua
annotate -f A::run a.rec
check_eq exit 0 $status
check_eq 'a line with self weight' '100.00 30 30' "$(line 'my $n = <shift>;')"
check_eq 'a line that calls' '17' "$(line 'step($n);')"
check_eq 'a line without samples' '' "$(line 'sub run {')"
annotate -n 9 a.rec
check_eq 'the hottest functions' 'A::run add:add A::step (eval a.pl:9) A::gone' "$(grep -B1 ' % self' out | grep -v ' % self\|^--' | tr '\n' ' ' | sed 's/ *$//')"
annotate -f add:add a.rec
check_eq 'compiled and interpreted are one function' '100.00 12 12' "$(line 'return n + 1')"
annotate -f '(eval a.pl:9)' a.rec
check_eq 'texts of evals count as one' '100.00 7 7' "$(sed -n 's/^ *\([0-9.]*\) *\([0-9]*\) *\([0-9]*\) *1$/\1 \2 \3/p' out)"
check 'texts of evals: said' grep -q 'the text of an eval, or .* is not in a file' out
annotate -f A::gone a.rec
check 'no file: said' grep -q "no source file 'gone.pl': --source-path gives its folder" out
check_eq 'no file: the line' '100.00 1 1' "$(sed -n 's/^ *\([0-9.]*\) *\([0-9]*\) *\([0-9]*\) *2$/\1 \2 \3/p' out)"
annotate --html -f A::run a.rec
check 'HTML: the text' grep -q '>30</td><td>30</td><td>3</td><td class="text">        my $n = &lt;shift&gt;;<' out
check_eq 'HTML: no instructions' 0 "$(grep -c 'instruction' out)"
touch lib/A.pm
annotate -f A::run a.rec
check 'a newer file: refused' grep -q "'$T/lib/A.pm' was changed after the recording had begun" out
annotate -f A::run --any-source a.rec
check_eq 'a newer file: if asked for' '100.00 30 30' "$(line 'my $n = <shift>;')"
mkdir moved && mv lib/A.pm moved && touch -d '2019-12-01' moved/A.pm
annotate -f A::run --source-path moved a.rec
check_eq '--source-path' '100.00 30 30' "$(line 'my $n = <shift>;')"

# the process still runs, and has another working directory
mkdir away && echo 'local x = 1 -- here' >away/w.lua && touch -d '2019-12-01' away/w.lua
(cd away && exec sleep 100) &
sleeper=$!
until_true test "$(readlink /proc/$sleeper/cwd)" = "$T/away"
sed -e "s/^task .*/task 0 $sleeper $sleeper $(sed 's/.*) //' /proc/$sleeper/stat | cut -d ' ' -f 20) lua/" -e 's/ add\.lua 2/ w.lua 1/' a.rec >w.rec
annotate -f add:add w.rec
kill $sleeper
check_eq 'a file of a process that runs' '100.00 12 12' "$(line 'local x = 1')"
