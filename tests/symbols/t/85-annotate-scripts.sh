#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 85-annotate-scripts: source lines of interpreters' functions with their samples.
set -eu
. "$TOP/tests/lib.sh"
bin=$(realpath "$BINDIR")
mkdir "$T/lib"
cd "$T"
printf 'package A;\nsub run {\n\tmy $n = <shift>;\n\tstep($n);\n}\nsub step { 1 }\n1;\n' >lib/A.pm
printf 'package A;\nsub step { 2 }\n1;\n' >lib/B.pm
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
		frame 8 python name
		name 8 importlib:run 0 - <frozen\x20importlib> 241
		frame 9 php name
		name 9 Shop:total 0 - shop.php(11)\x20:\x20eval()'d\x20code 4
		frame 10 perl name
		name 10 main 0 - -e 1
		frame 11 perl name
		name 11 A::step 0 - $T/lib/B.pm 2
		stack 0 perl root - 0
		stack 1 perl root - 2 1
		stack 2 perl root - 3 1
		stack 3 perl root - 4 1
		stack 4 lua root - 5
		stack 5 lua root - 6
		stack 6 perl root - 7
		stack 7 python root - 8
		stack 8 php root - 9
		stack 9 perl root - 10
		stack 10 perl root - 11 1
		row 0 0 0 - 30 30
		row 0 0 1 - 10 10
		row 0 0 2 - 4 4
		row 0 0 3 - 3 3
		row 0 0 4 - 5 5
		row 0 0 5 - 7 7
		row 0 0 6 - 1 1
		row 0 0 7 - 1 1
		row 0 0 8 - 1 1
		row 0 0 9 - 1 1
		row 0 0 10 - 2 2
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

touch -d '2019-12-01' lib/A.pm lib/B.pm add.lua
annotate -f A::run a.rec
check_eq exit 0 $status
check_eq 'a line with self weight' '100.00 30 30' "$(line 'my $n = <shift>;')"
check_eq 'a line that calls' '19' "$(line 'step($n);')"
check_eq 'a line without samples' '' "$(line 'sub run {')"
annotate -n 9 a.rec
check_eq 'the hottest functions' 'A::run A::step add:add (eval a.pl:9) A::gone Shop:total importlib:run main' "$(grep -B1 ' % self' out | grep -v ' % self\|^--' | tr '\n' ' ' | sed 's/ *$//')"
annotate -f A::step a.rec
check_eq 'one name in two files: both, the hotter one first' "$T/lib/A.pm $T/lib/B.pm" "$(grep "^$T" out | tr '\n' ' ' | sed 's/ $//')"
check_eq 'one name in two files: the lines' '83.33 10 10/16.67 2 2' "$(line 'sub step { 1 }')/$(line 'sub step { 2 }')"
annotate -f add:add a.rec
check_eq 'compiled and interpreted are one function' '100.00 12 12' "$(line 'return n + 1')"
annotate -f '(eval a.pl:9)' a.rec
check_eq 'texts of evals count as one' '100.00 7 7' "$(sed -n 's/^ *\([0-9.]*\) *\([0-9]*\) *\([0-9]*\) *1$/\1 \2 \3/p' out)"
check 'texts of evals: said' grep -q "'(text)' is the text of an eval, .*: it is not in a file" out
annotate -f importlib:run -f Shop:total -f main a.rec
for text in '<frozen importlib>' "shop.php(11) : eval()'d code" '-e'; do
	check "a text with a name: $text" grep -qF "'$text' is the text of an eval, " out
done
check_eq 'texts with names: their lines' '4 241 1 ' "$(awk '$1 == "100.00" { printf "%s ", $4 }' out)"
annotate -f A::gone a.rec
check 'no file: said' grep -q "no source file 'gone.pl': --source-path gives its folder" out
check_eq 'no file: the line' '100.00 1 1' "$(sed -n 's/^ *\([0-9.]*\) *\([0-9]*\) *\([0-9]*\) *2$/\1 \2 \3/p' out)"
annotate --html -f A::run a.rec
check 'HTML: the text' grep -q '>30</td><td>30</td><td>3</td><td class="text">        my $n = &lt;shift&gt;;<' out
check_eq 'HTML: no instructions' 0 "$(grep -c 'instruction' out)"

# ---- whole files: all functions in them

annotate --file A.pm a.rec
check_eq 'a file: its path' "$T/lib/A.pm" "$(head -n 1 out)"
check_eq 'a file: its share' '61.54 % self, 75.38 % with callees, of 65 samples' "$(sed -n 2p out)"
check_eq 'a file: a line of each function' '75.00 30 30/19/25.00 10 10' "$(line 'my $n')/$(line 'step($n);')/$(line 'sub step')"
check_eq 'a file: no other file' 0 "$(grep -c 'B.pm\|add.lua' out)"
check_eq 'a file: no function' 0 "$(grep -c 'A::' out)"
for pattern in "$T/lib/A.pm" lib/A.pm '*A.pm' 're:A[.]pm$'; do
	cp out want
	annotate --file "$pattern" a.rec
	check_eq "a file: as $pattern" "$(cat want)" "$(cat out)"
done
annotate --file '*.pm' --file add.lua -n 2 a.rec
check_eq 'files: the hottest' "$T/lib/A.pm add.lua" "$(grep -B1 ' % self' out | grep -v ' % self\|^--' | tr '\n' ' ' | sed 's/ *$//')"
annotate --file a.pm a.rec
check_eq 'no such file: exit' 1 $status
check 'no such file: the one that was meant' grep -qx "bt-annotate: no source file matches 'a.pm'; did you mean 'A.pm'.*" err
annotate -f A::gone --file A.pm a.rec
check_eq 'a function and a file' "A::gone $T/lib/A.pm" "$(grep -B1 ' % self' out | grep -v ' % self\|^--' | tr '\n' ' ' | sed 's/ *$//')"
annotate --html --file A.pm a.rec
check 'a file in HTML' grep -q "<h2>$T/lib/A.pm</h2>" out
check 'a file in HTML: its lines' grep -q '>30</td><td>30</td><td>3</td><td class="text">        my $n = &lt;shift&gt;;<' out
seq 30 | sed 's/^/$n += /; s/$/;/' >long.pl
touch -d '2019-12-01' long.pl
cat >long.rec <<-'END'
	flametap-recording 2
	meta started 2020-01-01T00:00:00Z
	event 0 cpu samples 1000000 cpu
	task 0 10 10 0 perl
	frame 0 perl name
	name 0 main 0 - long.pl 1
	frame 1 perl name
	name 1 main 0 - long.pl 30
	stack 0 perl root - 0
	stack 1 perl root - 1
	row 0 0 0 - 3 3
	row 0 0 1 - 1 1
	end 12
END
annotate --file long.pl long.rec
check_eq 'a long file: lines near those with samples, and one gap' '1 2 3 4 5 ... 26 27 28 29 30' \
	"$(sed '1,/line$/d; s/ *$n.*//; s/.* //' out | tr '\n' ' ' | sed 's/ $//')"
annotate --html --file long.pl long.rec
check_eq 'a long file in HTML: the gap is in the column of numbers' '4 5 … 26 27' \
	"$(sed -n 's/^<tr[^>]*>.*<td>\([0-9…]*\)<\/td><td.*/\1/p' out | sed -n 4,8p | tr '\n' ' ' | sed 's/ $//')"

# ---- the wrong file

touch lib/A.pm
annotate -f A::run a.rec
check 'a newer file: refused' grep -q "'$T/lib/A.pm' was changed after the recording had begun" out
annotate -f A::run --any-source a.rec
check_eq 'a newer file: if asked for' '100.00 30 30' "$(line 'my $n = <shift>;')"
# with the ID of its contents in the recording, the time of the file does not matter
# with_sources ID…: makes sources.rec, in which A.pm has had these contents
with_sources() {
	{
		head -n 2 records
		printf "source $T/lib/A.pm %s ${late--}\n" "$@"
		sed 1,2d records
	} >sourced
	{ cat sourced; echo "end $(wc -l <sourced)"; } >sources.rec
}

id=$(python3 -c 'import hashlib, sys
text = open(sys.argv[1], "rb").read()
print(hashlib.sha1(b"blob %d\0" % len(text) + text).hexdigest())' lib/A.pm)
other=ce013625030ba8dba906f756967f9e9ca394464a
with_sources $id
annotate -f A::run sources.rec
check_eq 'a newer file with the same contents' '100.00 30 30' "$(line 'my $n = <shift>;')"
check_eq 'the same contents: nothing to say' 0 "$(grep -c 'was changed' out)"
late=late with_sources $id
annotate -f A::run sources.rec
check_eq 'changed after the process had begun: shown' '100.00 30 30' "$(line 'my $n = <shift>;')"
check 'changed after the process had begun: said' grep -qx "'$T/lib/A.pm' was changed after its process had begun, which may have executed the version before" out
with_sources $other
touch -d '2019-12-01' lib/A.pm
annotate -f A::run -f A::step sources.rec
check_eq 'an older file with other contents: refused for each function' 2 "$(grep -c "'$T/lib/A.pm' is not what was recorded: .* git cat-file blob ce0136250" out)"
check_eq 'an older file with other contents: no line' 0 "$(grep -c 'my $n' out)"
check_eq 'an older file with other contents: the numbers' '100.00 30 30' "$(sed -n 's/^ *\([0-9.]*\) *\([0-9]*\) *\([0-9]*\) *3$/\1 \2 \3/p' out)"
check 'an older file with other contents: other files are shown' grep -q 'sub step { 2 }' out
annotate -f A::run --any-source sources.rec
check_eq 'other contents: if asked for' '100.00 30 30' "$(line 'my $n = <shift>;')"
with_sources $other $id
annotate -f A::run sources.rec
check_eq 'two versions: this is one of them' '100.00 30 30' "$(line 'my $n = <shift>;')"
check 'two versions: said' grep -qx "'$T/lib/A.pm' was not the same in all processes: the samples of 2 versions are added up by line" out
"$bin/bt-resolve" -o resolved.rec sources.rec 2>err
check_eq 'bt-resolve keeps them' "$(grep ^source sources.rec)" "$(grep ^source resolved.rec)"
touch lib/A.pm

mkdir moved && mv lib/A.pm moved && touch -d '2019-12-01' moved/A.pm
annotate -f A::run --source-path moved a.rec
check_eq '--source-path' '100.00 30 30' "$(line 'my $n = <shift>;')"

# the process still runs, and has another working directory
mkdir away && echo 'local x = 1 -- here' >away/w.lua && touch -d '2019-12-01' away/w.lua
(cd away && exec sleep 100) &
sleeper=$!
is_away() {
	[ "$(readlink /proc/$sleeper/cwd)" = "$T/away" ]
}
until_true is_away
# another process that has executed it has ended
sed -e '/^frame 0/i task 1 1 1 7 gone' -e '$i row 0 1 4 - 1 1' -e '$s/.*/end '$(($(wc -l <records) + 2))/ \
	-e "s/^task 0 .*/task 0 $sleeper $sleeper $(sed 's/.*) //' /proc/$sleeper/stat | cut -d ' ' -f 20) lua/" -e 's/ add\.lua 2/ w.lua 1/' a.rec >w.rec
annotate -f add:add w.rec
kill $sleeper
check_eq 'a file of a process that runs' '100.00 13 13' "$(line 'local x = 1')"
