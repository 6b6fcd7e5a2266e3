# SPDX-License-Identifier: GPL-2.0-or-later
# Output that fails, output to a file, and sample-bt's output with a stand-in for stap.
# shellcheck disable=SC2086,SC2258,SC2010 # $sample is words, "," is a value, names in out are ours
set -eu

. "$TOP/tests/input/lib.sh"

# ---- output that fails

for program in $viewers; do
	bad "$program: a full disk" 2 "^$program: cannot write 'stdout': No space left on device; the output is not whole" \
		sh -c "$program good.rec >/dev/full"
	bad "$program: closed stdout" 2 "^$program: cannot write 'stdout': Bad file descriptor" sh -c "$program good.rec >&-"
	bad "$program: closed stdout and stderr" 2 '' sh -c "$program good.rec >&- 2>&-"
	bad "$program: everything closed" 2 '' sh -c "$program >&- 2>&- <&-"
done
awk 'BEGIN { for (i = 0; i < 50000; i++) print "main;function_" i " 1" }' >wide.folded
for program in bt-collapse bt-export bt-flame bt-report; do
	bad "$program: a limit on the size of files" 2 "cannot write 'stdout': File too large" \
		sh -c "ulimit -f 8; $program wide.folded >limited"
	# the reader of the pipe ends: no message is printed
	bad_name="$program: head -c 1" bad_code=2 bad_pattern=''
	{
		bad_status=0
		"$program" wide.folded 2>stderr || bad_status=$?
		echo "$bad_status" >status
	} | head -c 1 >stdout
	bad_status=$(cat status)
	expect_error
done

# ---- output to a file

mkdir made
unset BROWSER DISPLAY WAYLAND_DISPLAY
for program in $readers; do
	"$program" good.rec >plain 2>/dev/null || :
	echo old >made/a
	"$program" -o made/a good.rec 2>stderr || :
	check "$program: -o: what stdout would be" cmp plain made/a
	check_eq "$program: -o: says so" "$program: wrote 'made/a'" "$(grep wrote stderr)"
	bad "$program: -o: no such directory" 2 "^$program: cannot write 'made/none/a': No such file or directory" "$program" -o made/none/a good.rec
	bad "$program: -o: a directory" 2 "^$program: cannot write 'made': Is a directory" "$program" -o made good.rec
	cp made/a before
	bad "$program: -o: no such input" 2 "cannot open 'none'" "$program" -o made/a none
	check "$program: -o: no such input: the file is as it was" cmp before made/a
	"$program" -o /dev/stdout good.rec >made/b 2>/dev/null || :
	check "$program: -o /dev/stdout" cmp plain made/b
	check_eq "$program: -o: what else is there" 'a b' "$(ls made | xargs)"
done
for program in bt-collapse bt-export bt-flame bt-report; do
	bad "$program: -o: a full disk" 2 "^$program: cannot write '/dev/full': No space left on device" "$program" -o /dev/full good.rec
	bad "$program: -o: a limit on the size of files" 2 "^$program: cannot write 'made/a': File too large" \
		sh -c "ulimit -f 8; $program -o made/a wide.folded"
	check "$program: -o: a limit on the size of files: the file is as it was" cmp before made/a
done
bad 'bt-diff: -o' 0 "^bt-diff: wrote 'made/a'" bt-diff -o made/a good.folded good.folded
check 'bt-diff: -o: a picture' grep -q '^</svg>' made/a
# same_as NAME COMMAND…: checks that the file made/NAME equals the output on stdout with the option before
same_as() {
	same_name=$1 same_option=$2 same_program=$3
	shift 3
	"$bin/$same_program" $same_option "$@" >plain 2>/dev/null || :
	"$bin/$same_program" -o "made/$same_name" "$@" 2>/dev/null || :
	check "$same_program: -o $same_name is $same_option" cmp plain "made/$same_name"
}
for option in csv json; do
	same_as "a.$option" "--$option" bt-report good.folded
	same_as "b.$option" "--$option" bt-report --callers f good.folded
	same_as "c.$option" "--$option" bt-diff good.folded good.folded
done
same_as a.txt --text bt-report good.folded
same_as a.pb.gz --pprof bt-export good.folded
same_as a.speedscope.json --speedscope bt-export good.folded
same_as a.firefox.json --firefox bt-export good.folded
same_as a.folded --folded bt-export good.folded
bad 'bt-export: -o: no format' 64 'no format: give --pprof, --speedscope, --firefox, --folded, --otlp, --autofdo or --bolt' "$bin/bt-export" -o made/a good.folded
bad 'bt-flame: -o: of --csp' 0 "^bt-flame: wrote 'made/a'" bt-flame --csp -o made/a
bt-report --print-rules >rules
bad 'bt-report: -o: of --print-rules' 0 "^bt-report: wrote 'made/a'" bt-report --print-rules -o made/a
check 'bt-report: -o: of --print-rules: these' cmp rules made/a
bad 'bt-flame: --open and stdout' 64 '--open shows a file' bt-flame --open -o - good.folded
bad 'bt-diff: --open of a table' 64 '--open is for the graph' bt-diff --open --csv good.folded good.folded
bt-flame --open -o made/a good.folded 2>stderr || :
check 'bt-flame: --open without a display' grep -q "^bt-flame: no display to show '.*/made/a' on: " stderr
bt-annotate --open -o made/a good.rec 2>stderr || :
check 'bt-annotate: --open is a page' grep -q '^<!DOCTYPE html>' made/a

# ---- sample-bt: its output, with a stand-in for stap

sleep 1000 &
target=$!
at_end 'kill $target 2>/dev/null'
TMPDIR=$T/kept
export TMPDIR
mkdir kept out

# spoilt NAME PATTERN COMMAND…: checks for exit 2, a line that matches, and only complete files in `out`
spoilt() {
	spoilt_name=sample-bt:\ $1 spoilt_pattern=$2
	shift 2
	spoilt_status=0
	"$@" >stdout 2>stderr || spoilt_status=$?
	check_eq "$spoilt_name: exit code" 2 "$spoilt_status"
	check "$spoilt_name: says so" grep -qE -- "^sample-bt: $spoilt_pattern" stderr
	check_eq "$spoilt_name: nothing is left" '' "$(ls -A out | grep -vxE 'good\.(rec|svg)|folder\.svg' || :)"
}
sample="sample-bt -p $target -u -t 0.1 --min-quality 1"
spoilt 'no such folder' "cannot write 'none/a.rec': No such file" $sample -o none/a.rec
mkdir out/folder.svg
spoilt 'a folder is in the way' "cannot write 'out/folder.svg': Is a directory" $sample -o out/folder.svg -o out/good.rec
rmdir out/folder.svg
spoilt 'a limit on the size of files' "cannot write 'out/a.svg': File too large" \
	sh -c "ulimit -f 8; exec $sample -o out/a.svg -o out/good.rec"
check 'sample-bt: a limit on the size of files: the others are written' grep -q '^end ' out/good.rec
spoilt 'a report where a file is' "cannot write to 'good.rec': Not a directory" $sample --report good.rec
spoilt 'closed stdout' "cannot write 'stdout': Bad file descriptor" sh -c "$sample >&-"
spoilt 'stdout on a full disk' "cannot write 'stdout': No space left on device" sh -c "$sample >/dev/full"
if unshare -m true 2>/dev/null; then
	spoilt 'a full disk' "cannot write 'out/a.svg': No space left on device" unshare -m sh -c "
		mount -t tmpfs -o size=16k none out && $sample -o out/a.svg -o out/good.rec
		status=\$?
		ls -A out >left
		exit \$status"
	check_eq 'sample-bt: a full disk: what fits is there' good.rec "$(cat left)"
else
	skip 'sample-bt: a full disk' 'no right to mount one'
fi
sh -c "$sample -o out/good.rec >&- 2>&- <&-" || :
check 'sample-bt: everything closed: the recording is whole' grep -q '^end ' out/good.rec
