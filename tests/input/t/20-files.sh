# SPDX-License-Identifier: GPL-2.0-or-later
# Inputs that are not regular files, damaged and compressed files, and large inputs: memory and time are bounded.
# shellcheck disable=SC2086,SC2258,SC2010 # $sample is words, "," is a value, names in out are ours
set -eu

. "$TOP/tests/input/lib.sh"

# ---- inputs that are not regular files

mkdir folder
: >empty
python3 "$TOP/tests/input/packed.py"
printf '\3757zXZ\000' >packed.xz
gzip -c good.rec >good.rec.gz
zstd -qc good.rec >good.rec.zst
gzip -c good.folded >good.folded.gz
gzip -c good.rec.gz >twice.gz
zstd -qc good.rec.gz >twice.zst
printf 'BZh91AY' >packed.bz2
head -c 4096 "$bin/bt-flame" >elf
head -c 100000 /dev/urandom >random
head -c 100000 /dev/zero >zeros
printf 'Dear reader,\nthis is a letter\n' >letter
printf '<?xml version="1.0"?>\n<svg/>\n' >picture.svg
printf 'PERFILE2xxxxxxxx' >perf.data
echo '{"total": 5}' >other.json
echo 'flametap-recording 9' >newer.rec
echo 'flametap-recording 18446744073709551616' >absurd.rec
echo 'flametap-recording 0' >zero.rec
control=$(printf 'a\033[2J\nb')

for program in $readers; do
	bad "$program: no file" 2 "^$program: cannot open 'none': No such file" "$program" none
	bad "$program: a folder" 2 "^$program: 'folder': .*Is a directory" "$program" folder
	bad "$program: a name that no line can hold" 2 "'a.x1b.2J.x0ab': No such" "$program" "$control"
	bad "$program: closed stdin" 2 "^$program: 'stdin': .*Bad file descriptor" "$program" <&-
	# shellcheck disable=SC2016
	timeout 60 perl "$TOP/tests/programs/terminal.pl" sh -c '"$1" 2>typed.err; echo $? >typed.code' sh "$program" || :
	check_eq "$program: no file, on a terminal" "64 $program: nothing to read" "$(cat typed.code) $(head -n 1 typed.err | cut -d: -f 1,2)"
	bad "$program: newer" 2 "^$program: 'newer.rec': it is of format version 9, .* reads up to 2; install" "$program" newer.rec
	bad "$program: version over 64 bits" 2 "'absurd.rec': line 1: a number is wrong" "$program" absurd.rec
	bad "$program: version 0" 2 "'zero.rec': line 1: there is no version 0" "$program" zero.rec
	for file in packed.xz elf random zeros letter picture.svg; do
		bad "$program: $file" 2 "^$program: '$file': it is " "$program" "$file"
	done
	bad "$program: perf.data" 2 "^$program: 'perf.data': it is cut inside its header$" "$program" perf.data
	bad "$program: no such option" 64 'unrecognized option' "$program" --none good.rec
done
for file in twice.gz:gunzip twice.zst:gunzip packed.xz:unxz packed.bz2:bunzip2; do
	bad "bt-flame: what unpacks ${file%:*}" 2 "${file#*:}" bt-flame "${file%:*}"
done

# ---- compressed input, and formats that are read as a whole

for program in $viewers; do
	for file in gz zst; do
		bad "$program: only the head of $file" 2 "^$program: 'packed.$file': the compressed data ends early$" "$program" "packed.$file"
		check_eq "$program: good.rec in $file" "$("$program" good.rec 2>&1 | cksum)" "$("$program" "good.rec.$file" 2>&1 | cksum)"
		check_eq "$program: good.rec in $file, from a pipe" "$("$program" good.rec 2>&1 | cksum)" \
			"$(cat "good.rec.$file" | "$program" 2>&1 | cksum)"
	done
done
for file in gz zst; do
	bad "bt-collapse: all but the end of $file" 1 "'cut.$file': the compressed data ends early: what is before is used$" bt-collapse "cut.$file"
	check "bt-collapse: all but the end of $file: what is before" grep -q '^main;function_1 1$' stdout
done
bad 'bt-collapse: something behind gzip' 1 'after the compressed data there is something else: what is before is used$' bt-collapse behind.gz
check_eq 'bt-collapse: two members of gzip' 'main;f 10' "$(cat good.folded.gz good.folded.gz | bt-collapse)"
bad 'bt-collapse: gzip that is damaged' 1 "the compressed data is damaged: what is before is used$" bt-collapse damaged.gz
cp window.zst in
bad 'bt-collapse: zstd with a window of 2 GiB' 2 'the compressed data is damaged, or needs more than 128 MiB' within 64 bt-collapse
cp bomb.gz in
bad 'bt-collapse: 90 MB in gzip' 0 '' within 32 bt-collapse
check_eq 'bt-collapse: 90 MB in gzip: all of it' 'main;f 10000000' "$(cat stdout)"
for program in bt-collapse bt-export bt-flame bt-report; do
	bad "$program: JSON of others" 2 "^$program: 'other.json': it is JSON, but not speedscope's" "$program" other.json
	bad "$program: pprof, cut" 2 "^$program: 'cut.pb': it is a profile of pprof, but damaged or not whole" "$program" cut.pb
	bad "$program: pprof without a type" 2 "^$program: 'untyped.pb': it is a profile of pprof that does not say" "$program" untyped.pb
done
bad 'bt-resolve: pprof' 2 "'good.pb': it is no recording" bt-resolve good.pb
cp inlines.pb in
bad 'bt-collapse: pprof, many inlined calls' 0 'the stack is deeper' within 600 bt-collapse
check "bt-collapse: pprof, many inlined calls: says so" grep -q 'truncated: too many frames' stdout
for file in inlines.pb.gz calls.pb.gz names.json; do
	cp "$file" in
	bad "bt-collapse: $file" 0 'the stack is deeper' within 600 bt-collapse
	check "bt-collapse: $file: says so" grep -q 'truncated: too many frames' stdout
	check "bt-collapse: $file: at most 64 MiB, and 8 KiB for each of its bytes" \
		[ "$(wc -c <stdout)" -le $(((64 << 20) + 8192 * $(wc -c <in))) ]
done
awk 'BEGIN { printf "{\"shared\":"; for (i = 0; i < 1000000; i++) printf "["; print "" }' >in
bad 'bt-collapse: JSON, deep' 2 'it is JSON, but nested deeper than 1024' within 64 bt-collapse
awk 'BEGIN { printf "{\"shared\":{\"frames\":[{\"name\":\"f\"}]},\"profiles\":[{\"unit\":\"none\",\"type\":\"evented\",\"events\":["
	for (i = 0; i < 600000; i++) printf "%s{\"type\":\"O\",\"frame\":0,\"at\":%d}", i ? "," : "", i
	print "],\"endValue\":600000}]}" }' >in
bad 'bt-report: speedscope, deep' 0 'functions that are not closed: 600000' within 256 bt-report
rm in
for program in bt-collapse bt-export bt-flame bt-report; do
	bad "$program: empty" 1 "^$program: 'empty': it is empty" "$program" empty
	bad "$program: the second file is missing" 2 "cannot open 'none'" "$program" good.folded none
done
bt-flame --reverse good.folded >reversed.svg
bad 'bt-report: a reversed graph after another input' 2 "'reversed.svg': its stacks begin at the leaf, those of the inputs before it at the root" \
	bt-report good.folded reversed.svg
bad 'bt-report: another input after a reversed graph' 2 "'good.folded': its stacks begin at the root, those of the inputs before it at the leaf" \
	bt-report reversed.svg good.folded
bad 'bt-diff: a reversed graph' 2 "^bt-diff: the stacks of 'reversed.svg' begin at the leaf, the others at the root" bt-diff good.folded reversed.svg
{
	gzip -c good.rec
	echo garbage
} >garbage.rec
bad 'bt-resolve: garbage behind a compressed recording' 1 "^bt-resolve: 'garbage.rec': .*: what is before is used$" bt-resolve garbage.rec
bt-annotate garbage.rec >annotated 2>&1 && status=0 || status=$?
check_eq 'bt-annotate: garbage behind a compressed recording' 1 "$status"
bad 'bt-annotate: empty' 2 "'empty': it is empty" bt-annotate empty
bad 'bt-annotate: folded' 2 "'good.folded': it is no recording" bt-annotate good.folded
bad 'bt-annotate: two files' 64 "more than one recording: 'garbage.rec'$" bt-annotate good.rec garbage.rec
for words in 'good.rec f' 'f -'; do
	bad "bt-annotate: a function as argument: $words" 64 "more than one recording: 'f' is no file; use -f f for a function$" bt-annotate $words
done
bad 'bt-resolve: empty' 2 "'empty': it is empty" bt-resolve empty
bad 'bt-resolve: folded' 2 "'good.folded': it is no recording" bt-resolve good.folded
bad 'bt-resolve: two files' 64 "more than one recording: 'b'" bt-resolve good.rec b
for words in '' --missing; do
	bt-resolve $words "$TOP/tests/golden/recording/starts-resolve.in" 2>&1 >/dev/null | grep -o 'lacks most.*' >"lacks$words"
done
check_eq 'bt-resolve: a file lacks names' 'lacks most: bt-resolve --missing shows how to fix it' "$(cat lacks)"
check_eq 'bt-resolve: --missing does not name itself' 'lacks most' "$(cat lacks--missing)"
bad 'bt-flame: --total too small' 0 'is below the input' bt-flame --total=1 good.folded
bad 'bt-flame: --negate' 64 '^bt-flame: --negate is refused: .* bt-diff' bt-flame --negate good.rec
bad 'bt-flame: looks' 0 '^bt-flame: ignored: --colors, --hash, --cp$' bt-flame --color=hot --hash --cp good.folded
bad 'bt-diff: one file' 64 'give two files, BEFORE and AFTER' bt-diff good.rec
bad 'bt-diff: stdin twice' 64 'only one of the files' bt-diff - -
bad 'bt-diff: the second file is missing' 2 "cannot open 'none'" bt-diff good.folded none
bad 'bt-diff: the first is empty' 1 "^bt-diff: 'empty': it is empty" bt-diff empty good.folded
bad 'bt-diff: the second is empty' 1 "^bt-diff: 'empty': it is empty" bt-diff good.folded empty
sed 's/ [0-9]*$/&00/' good.folded >many.folded
bad 'bt-diff: the same twice' 0 '^bt-diff: above the limit of 0.00 %: no function; the total stayed at 500 samples$' bt-diff --fail-above=0 many.folded many.folded
bad 'bt-diff: with a sign' 0 '^bt-diff: above the limit of 0.50 %: no function' bt-diff --fail-above=0.5% many.folded many.folded
bad 'bt-report: with a sign' 0 '' bt-report --min-quality=50% good.folded
bad 'bt-report: two forms' 64 'give only one of --csv, --json and --text' bt-report --csv --json good.rec
check_eq 'flametap: a command with its options' "$(bt-report --sort name good.rec 2>&1 | cksum)" \
	"$(flametap report --sort name good.rec 2>&1 | cksum)"
bad 'flametap: no such command' 64 "^flametap: 'xyzzy' is no command; try --help$" flametap xyzzy
bad 'flametap: a longer word' 64 "^flametap: 'flamegraph' is no command: did you mean flame\?$" flametap flamegraph
bad 'flametap: swapped letters' 64 "^flametap: 'recrod' is no command: did you mean record\?$" flametap recrod
bad 'flametap: a subject' 64 "^flametap: 'memory' is no command: did you mean alloc, leaks, rss or mmap\?$" flametap memory
bad 'flametap: a program' 64 "^flametap: 'ngx-latency' is no command: did you mean nginx-latency\?$" flametap help ngx-latency
bad 'sample-bt: an option of other programs' 64 "unrecognized option '--duration': use -t TIME" sample-bt --duration=3
bad 'sample-bt: a letter of other programs' 64 "unrecognized option '-K': use -k for kernel stacks" sample-bt -uK
bad 'sample-bt: a format of other programs' 64 "unrecognized option '--format': the ending of -o FILE chooses" sample-bt --format speedscope -p 1
bad 'sample-bt: waits' 64 "unrecognized option '--off-cpu': use sample-bt-off-cpu" sample-bt --off-cpu -p 1
bad 'sample-bt: a name for -p' 64 "invalid --pid 'nginx': use numbers .*, or --comm NAME for a name$" sample-bt -p nginx
bad 'bt-report: a name for -p' 64 "invalid --pid 'nginx': use IDs, .*, or --comm NAME for a name$" bt-report -p nginx good.rec
for words in '-i good.rec' '--input=good.rec'; do
	bad "bt-report: $words" 64 "unrecognized option '.*': give the FILE without an option$" bt-report $words
done
bad 'bt-report: -g' 64 "unrecognized option '-g': use --tree, or --callers FN" bt-report -g good.rec
bad 'bt-report: --call-graph' 64 "unrecognized option '--call-graph': use --tree, or --callers FN" bt-report --call-graph good.rec
bad 'bt-report: --stdio' 64 "unrecognized option '--stdio': use --text$" bt-report --stdio good.rec
bad 'bt-report: --no-children' 64 "unrecognized option '--no-children': .* leave it out$" bt-report --no-children good.rec
bad 'bt-report: --percent-limit' 64 "unrecognized option '--percent-limit': use --top N" bt-report --percent-limit 1 good.rec
bad 'bt-report: -s' 64 "unrecognized option '-s': use --by KEY" bt-report -s dso good.rec
bad 'sample-bt: a number alone' 64 'use -p 3 for a process, -t 3 for a time' sample-bt 3
bad 'bt-flame: a format that nothing writes' 64 'there is no such format here' bt-flame -o a.png good.rec
bad 'bt-report: two questions' 64 'give only one of --summary, --by, --callers' bt-report --summary --callers=f good.rec
bad 'bt-report: a function that is not there' 1 "no function matches 'none'" bt-report --callers=none good.folded
bad 'bt-report: a misspelt function' 1 "^bt-report: no function matches 'mian'; did you mean 'main'\?$" bt-report --callees=mian good.folded
bad 'bt-flame: --skip-after: a misspelt function' 0 "^bt-flame: no function matches 'mian'; did you mean 'main'\?$" \
	bt-flame --skip-after=mian good.folded
bad 'bt-collapse: --only: one of two is misspelt' 0 "^bt-collapse: no function matches 'mainn'; did you mean 'main'\?$" \
	bt-collapse --only=f --only=mainn good.folded
echo 'main;new_function 5' >new.folded
bad 'bt-diff: --only: what one side has' 1 "left out by --only: 5 samples of 5" bt-diff --only=new_function good.folded new.folded
bad 'bt-diff: --skip-after: a misspelt function of one side' 0 "^bt-diff: no function matches 'new_functoin'; did you mean 'new_function'\?$" \
	bt-diff --skip-after=new_functoin good.folded new.folded
printf 'mine function=f\nyours funktion=g\n' >wrong.rules
bad 'bt-report: no file of rules' 2 "^bt-report: rules 'none': cannot be read: No such" bt-report --rules=none good.rec
bad 'bt-report: a wrong rule' 2 "^bt-report: rules 'wrong.rules': line 2: 'funktion=g' is" bt-report --rules=wrong.rules good.rec
bad 'bt-report: endless rules' 2 "'/dev/zero': line 1: it is too long" bt-report --rules=/dev/zero good.rec
bt-report --print-rules >rules
check 'bt-report: the built-in rules' cmp rules "$TOP/src/view/default.rules"
check 'bt-report: the built-in rules as a file' bt-report --rules=rules good.folded

# fits COLUMNS OPTION…: checks that no line of a report is wider than the terminal, whose width $COLUMNS tells
fits() {
	columns=$1
	shift
	COLUMNS=$columns python3 "$TOP/tests/terminal.py" bt-report "$@" --min-quality=0 >shown
	[ "$(wc -l <shown)" -ge 3 ] && ! tr -d '\r' <shown | grep -n ".\{$((columns + 1))\}"
}
long=$(repeat long_name 30 | tr '\n' _)
printf '%s;%s;f 123456\n%s;g 7\n' "$long" "$long" "$long" >long.folded
for width in 50 70 200; do
	for options in --text --top=1 '--summary --text' "--callers=$long" '--callees=*'; do
		check "bt-report $(echo "$options" | cut -c 1-20): fits $width columns" fits $width $options long.folded
	done
done

# same_in_german OPTION…: checks that the locale, whose decimal sign is a comma, changes no byte of a report
same_in_german() {
	LC_ALL=C bt-report "$@" >in-c 2>/dev/null && LOCPATH=$T LC_ALL=de_DE.UTF-8 bt-report "$@" >in-german 2>/dev/null &&
		cmp in-c in-german
}
if localedef -i de_DE -f UTF-8 "$T/de_DE.UTF-8" >/dev/null 2>&1; then
	printf 'main;\303\244;f 1\nmain;Z 2\nmain;z;f 3\n' >umlaut.folded
	for options in '' --summary --top=2 --json --callers=f; do
		check "bt-report $options: in German" same_in_german $options umlaut.folded
	done
else
	skip 'bt-report: in German' 'localedef has no German to compile'
fi

chmod 000 letter
if as_nobody "$bin/bt-flame" --version >/dev/null 2>&1; then
	chmod 755 "$T_top" "$T"
	bad 'bt-flame: no right to read' 2 "cannot open 'letter': Permission denied" as_nobody "$bin/bt-flame" letter
else
	skip 'bt-flame: no right to read' 'another user cannot run the programs from here'
fi

# ---- recordings that are damaged

# prefixes PROGRAM STEP: checks that no prefix of a recording is accepted as a whole one
prefixes() {
	size=$(wc -c <good.rec) n=0
	while [ $n -lt "$size" ]; do
		head -c $n good.rec >part.rec
		status=0
		"$1" part.rec >stdout 2>stderr || status=$?
		case $status in
		1) said | grep -qE 'its end is missing|it is empty' ;;
		2) [ "$(said | wc -l)" = 1 ] ;;
		*) false ;;
		esac || {
			echo "$n bytes: exit $status"
			cat stderr
			return 1
		}
		n=$((n + $2))
	done
}
check 'bt-collapse: every beginning of a recording' prefixes bt-collapse 1
check 'bt-resolve: every beginning of a recording' prefixes bt-resolve 7
head -n 7 good.rec >part.rec
for program in $viewers; do
	bad "$program: the end is missing" 1 'its end is missing: what is there is used' "$program" part.rec
done
bt-collapse part.rec >stdout 2>/dev/null || :
check_eq 'bt-collapse: what is there is shown' 'main 5' "$(cat stdout)"

# damaged NAME PATTERN LINE…: checks that a recording with these records is rejected
damaged() {
	damaged_name=$1 damaged_pattern=$2
	shift 2
	recording "$@" >bad.rec
	bad "bt-collapse: $damaged_name" 2 "^bt-collapse: 'bad.rec': line [0-9]+: $damaged_pattern.*; the recording is damaged" \
		bt-collapse bad.rec
}
damaged 'a count over 64 bits' 'a number is wrong' "$frame" "$stack" 'row 0 0 0 - 18446744073709551616 1'
damaged 'a negative count' 'a number is wrong' "$frame" "$stack" 'row 0 0 0 - -1 1'
damaged 'a frame that is not there' 'a number names a record' "$frame" 'stack 0 user root - 1'
damaged 'a stack that is not there' 'a number names a record' "$frame" "$stack" 'row 0 0 4294967295 - 1 1'
damaged 'a task that is not there' 'a number is wrong' "$frame" "$stack" 'row 0 1 0 - 1 1'
damaged 'a map that is not there' 'a number names a record' 'frame 0 user pc 0 10'
damaged 'a frame outside its map' 'a frame lies outside' 'map 0 1 1 10 20 0 - -' 'frame 0 user pc 0 11'
damaged 'a map without room' 'a mapping ends before' 'map 0 1 1 20 10 0 - -'
damaged 'a hole in the numbers' "a record's number" "$frame" 'stack 1 user root - 0'
damaged 'five stacks in a row' 'a row has too many' "$frame" "$stack" 'row 0 0 0,0,0,0,0 - 1 1'
damaged 'a record that is too short' 'too few fields' "$frame" "$stack" 'row 0 0 0'
damaged 'an unknown word' 'a word is none of those' 'frame 0 other pc - 10'
damaged 'a second end' 'something stands behind' 'end 3'
damaged 'a line too many before the end' 'lines are missing' "$frame" 'end 9'

recording 'weather 0 sun' '' "$frame" "$name" "$stack" 'row 0 0 0 - 5 5' >later.rec
bad 'bt-report: records it does not know' 1 'records of a later version left out: 2; a newer' bt-report later.rec
most=18446744073709551615
recording "$frame" "$name" "$stack" 'stack 1 user root - 0' "row 0 0 0 - $most $most" "row 0 0 1 - $most $most" >most.rec
for program in $viewers; do
	bad "$program: sums that do not fit" 1 '.*has reached 2.64-1' "$program" most.rec
done
bt-collapse most.rec >stdout 2>/dev/null || :
check_eq 'bt-collapse: sums that do not fit stop' "main $most" "$(cat stdout)"

# ---- texts that are damaged

printf 'a;b 5\na;b\n' >in.folded
bad 'bt-collapse: a line without a count' 1 "'in.folded': lines left out: .* line 2: 'a;b'" bt-collapse in.folded
printf 'a;b 5\na;b 18446744073709551616\n' >in.folded
bad 'bt-collapse: a count over 64 bits' 1 "lines left out" bt-collapse in.folded
printf ' f+0x1\n main+0x2\n\t5\n g+0x1\n' >in.bt
bad 'bt-collapse: a last stack without a count' 1 'the last stack .* no count follows' bt-collapse in.bt
printf 'main;function_one;function_\000;function_three 5\n' >in.folded
bad 'bt-collapse: NUL in a name' 0 '' bt-collapse in.folded

# ---- large inputs: memory and time are bounded

# huge NAME CODE PATTERN PROGRAM [LINE]: checks PROGRAM on a pipe with stdin's text, a line of 2 GiB, and LINE
huge() {
	huge_name=$1 huge_code=$2 huge_pattern=$3 huge_program=$4
	mkfifo in
	{
		cat
		python3 -c 'import sys; [sys.stdout.buffer.write(b"x" * (1 << 20)) for i in range(2048)]'
		printf '\n%s\n' "${5-	5}"
	} <&3 >in 2>/dev/null &
	bad "$huge_program: $huge_name" "$huge_code" "$huge_pattern" within 64 "$huge_program"
	wait $! || :
	rm -f in
}
head -n 1 good.rec >head.rec
for program in $readers; do
	huge 'a line of 2 GiB' 2 "'stdin': it is " "$program" 3</dev/null
	huge 'a line of 2 GiB in a recording' 2 "'stdin': line 2: the line is too long" "$program" 3<head.rec
done
huge 'a line of 2 GiB in folded stacks' 1 'lines left out: longer than 1 MiB: 1' bt-collapse 'main;g 5' 3<good.folded
huge 'a line of 2 GiB in backtraces' 1 'lines too long for a frame: 1' bt-collapse 3<good.bt

awk -v frame="$frame" -v name="$name" 'BEGIN {
	printf "flametap-recording 1\nevent 0 on-cpu samples 1 cpu\ntask 0 1 1 0 a\n%s\n%s\n", frame, name
	printf "stack 0 user root -"
	for (i = 0; i < 500000; i++) printf " 0"
	print ""
	for (i = 0; i < 100000; i++) print "row 0 0 0 " i " 1 1"
	print "end 100006"
}' >in
for program in $viewers; do
	pattern=''
	[ "$program" != bt-export ] || pattern='^bt-export: too many labels: 99866 samples have none$' # each sample has another stack
	bad "$program: 100,000 times a stack of 500,000 frames" 0 "$pattern" within 512 "$program"
done
bad 'bt-annotate: 100,000 times a stack of 500,000 frames' 1 'no function is in a file: ' within 512 bt-annotate
bad 'bt-resolve --bt: 100,000 times a stack of 500,000 frames' 0 '' within 512 bt-resolve --bt
awk 'BEGIN {
	print "flametap-recording 1"
	for (i = 0; i < 1000000; i++) print ""
	print "end 1000001"
}' >in
bad 'bt-flame: a million empty records' 1 'records of a later version left out: 1000000' within 64 bt-flame
awk -v frame="$frame" 'BEGIN {
	printf "flametap-recording 1\n%s\nstack 0 user root -", frame
	for (i = 0; i < 1000000; i++) printf " 0"
	print ""
}' >in
bad 'bt-report: a stack of a million frames' 2 'line 3: the line is too long' within 64 bt-report
yes '' | head -n 3000000 >in
bad 'bt-report: three million empty lines' 1 "'stdin': it is empty" within 64 bt-report
rm in
