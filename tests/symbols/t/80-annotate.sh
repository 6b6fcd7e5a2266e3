#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 80-annotate: source lines and instructions with their samples: for recordings with known addresses, and for a profile of perf, compared
# with `perf annotate`. Runs alone or from tests/run.
set -eu
TOP=${TOP:-$(cd "$(dirname "$0")/../../.." && pwd)}
. "$TOP/tests/lib.sh"
. "$TOP/tests/symbols/lib.sh"
bin=${BIN:-${BINDIR:-bin}/sample-bt} # BIN: tests/symbols/run sets it
case $bin in /*) ;; *) bin=$TOP/$bin ;; esac
bin=${bin%/*}
[ "$(uname -m)" = x86_64 ] || { skip all 'x86-64 only'; exit 0; }
for program in gcc g++ objdump strip python3; do
	command -v "$program" >/dev/null || { skip all "$program is not installed"; exit 0; }
done
open_to_all
mkdir "$T/src"
cp "$TOP/tests/symbols/programs/annotated.c" "$TOP/tests/symbols/programs/annotated.h" "$T/src"
touch -d '2 days ago' "$T/src"/*
cd "$T"
gcc -O2 -g -Wl,--build-id=sha1 -o program src/annotated.c

# address PROGRAM FUNCTION PATTERN: prints the address of its first instruction that matches, or, with NEXT=1, of the next one
address() {
	objdump -d "$1" | awk -v function_name="<$2>:" -v pattern="$3" -v next_one="${NEXT-0}" '
		$2 == function_name { inside = 1; next }
		/^$/ { inside = 0 }
		inside && hit { sub(":", "", $1); print $1; exit }
		inside && $0 ~ pattern { if (!next_one) { sub(":", "", $1); print $1; exit } hit = 1 }'
}

# recording PROGRAM: prints a recording with the records on stdin; its map 0 and its frames are PROGRAM's, from its first byte on
recording() {
	{
		printf 'flametap-recording 2\nevent 0 on-cpu samples 0 cpu\ntask 0 1 1 0 a\n'
		printf 'map 0 1 1 400000 500000 0 %s %s -\n' "$(build_id "$1")" "${AT-$1}"
		cat
	} >"$T/records"
	cat "$T/records"
	echo "end $(wc -l <"$T/records")"
}

# annotate ARG…: leaves $T/out, $T/err and $status
annotate() {
	status=0
	"$bin/bt-annotate" "$@" >"$T/out" 2>"$T/err" || status=$?
}

# line TEXT: prints self and total of the line with this text
line() {
	grep -F -- "$1" "$T/out" | head -n 1 | awk '{ print $1, $2, $3 }'
}

# ---- lines, inlined calls, callers

multiply=$(address program hash imul)
call=$(NEXT=1 address program work 'call.*<hash>')
cat >samples <<SAMPLES
frame 0 user pc 0 $multiply
frame 1 user call 0 $call
frame 2 user pc 0 $(NEXT=1 address program divide 'div ')
stack 0 user root - 0 1
stack 1 user root - 2
row 0 0 0 - 30 30
row 0 0 1 - 10 10
SAMPLES
recording "$T/program" <samples >a.rec
annotate a.rec
check_eq 'lines: exit code' 0 "$status"
check_eq 'lines: the hottest function first' "hash  $T/program" "$(head -n 1 out)"
check_eq 'lines: a share of the recording' '75.00 % self, 75.00 % with callees, of 40 samples' "$(sed -n 2p out)"
check_eq 'lines: what is inlined counts for the line that called it' '100.00 30 30' "$(line 'h = step(h, i);')"
check_eq 'lines: and follows it' '100.00 30 30' "$(line 'inlined: step > mix  annotated.h:5')"
check_eq 'lines: those without samples are there' 1 "$(grep -c '  return s;$' out)"
annotate -f work a.rec
check_eq 'callers: the call has the weight, not what follows it' '100.00 30 unsigned' "$(grep -F 'unsigned h = hash(n);' out | awk '{ print $1, $2, $4 }')"
check_eq 'callers: no more has' 1 "$(sed 1,2d out | grep -cE '^ *[0-9]+\.[0-9]')"
annotate -f 'mi?' a.rec
check_eq 'inlined functions: all copies, with their own lines' '100.00 30 30' "$(line 'h *= 0x85ebca6bu;')"
annotate --asm -f mix a.rec
check 'inlined functions: their instructions, and where' grep -qx 'inlined into hash' out
check_eq 'instructions: the sample' '100.00 30 30' "$(grep imul out | awk '{ print $1, $2, $3 }')"
annotate --asm --intel -f hash a.rec
check 'instructions: Intel syntax' grep -qE '  imul +eax, eax, 0x85ebca6b$' out
annotate --asm -f work a.rec
check 'instructions: what is called' grep -qE "  call[a-z]* 0x[0-9a-f]+ <hash>" out
annotate --asm -f '*' a.rec
cp out all
for name in hash work divide mix step; do
	annotate --asm -f "$name" a.rec
	check "all functions: $name as alone" python3 -c 'import sys
own, all = (open(path).read() for path in sys.argv[1:])
sys.exit(own.count("\n") < 5 or own.strip() not in all)' out all
done
annotate -f 'nothing*' a.rec
check_eq 'a function that is not there: exit code' 1 "$status"
check 'a function that is not there: a message' grep -qx "bt-annotate: no function matches 'nothing\*'" err
annotate -f hahs a.rec
check 'a misspelt function: the one that was meant' grep -qx "bt-annotate: no function matches 'hahs'; did you mean 'hash'?" err

# ---- a whole file

annotate --file src/annotated.c a.rec
check_eq 'a file: lines of all functions' '75.00 30 30/30' "$(line 'h = step(h, i);')/$(grep -F 'unsigned h = hash(n);' out | awk '{ print $1 }')"
annotate --file annotated.h a.rec
check_eq 'a file: inlined functions' '100.00 30 30/100.00 30 30' "$(line 'h *= 0x85ebca6bu;')/$(line 'return mix(h + i);')"

# ---- debug information that cannot be used

cp -r src split
(cd split && gcc -O2 -g -gsplit-dwarf -Wl,--build-id=sha1 -o program annotated.c && rm ./*.dwo)
recording "$T/split/program" <samples | sed "s/user pc 0 [0-9a-f]*/user pc 0 $(address split/program hash imul)/" >split.rec
"$bin/bt-collapse" --inlines --min-quality 0 split.rec >out 2>err || :
check 'a .dwo file is missing: says so' grep -q "program' lacks .dwo files: not all inlined calls are shown" err
"$bin/bt-collapse" --inlines --min-quality 0 a.rec >out 2>err || :
check 'none is missing: says nothing' eval '! grep -q dwo err'
if objcopy --compress-debug-sections=zstd program packed 2>/dev/null; then
	recording "$T/packed" <samples >packed.rec
	"$bin/bt-collapse" --lines --min-quality 0 packed.rec >out 2>err || :
	check 'debug information in zstd: lines, or the reason' eval 'grep -q "annotated.[ch]:" out ||
		grep -q "in zstd, which the installed libelf cannot read" err'
else
	skip 'debug information in zstd' 'objcopy cannot write it'
fi

# ---- HTML

annotate -o a.html -f hash -f work a.rec
check_eq 'HTML: nothing on stdout' '' "$(cat out)"
check 'HTML: well-formed' python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' a.html
check_eq 'HTML: for its owner only' 600 "$(stat -c %a a.html)"
check 'HTML: lines' grep -q 'h = step(h, i);' a.html
check 'HTML: their instructions' grep -q '<td>100.00</td><td>30</td><td>30</td><td>[0-9a-f]*</td><td class="text">imul' a.html
check_eq 'HTML: needs nothing else' '' "$(grep -oE '(src|href)="[^#][^"]*"|url\([^)]*' a.html)"
policy=$(sed -n "s/.*style-src '\(sha256-[^']*\)'.*/\1/p" a.html)
check_eq 'HTML: its policy allows its style' "$policy" \
	"$(python3 -c 'import base64, hashlib, sys
style = open(sys.argv[1], encoding="utf-8").read().split("<style>")[1].split("</style>")[0]
print("sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode())' a.html)"

# ---- colour: only on a terminal

# escapes SETTING…: prints how many escape sequences there are on a terminal in this environment
escapes() {
	env -u NO_COLOR TERM=xterm "$@" python3 "$TOP/tests/terminal.py" "$bin/bt-annotate" a.rec >shown
	for escape in '3' 'm'; do grep -oF "$(printf '\033')[$escape" shown | wc -l; done | paste -sd ' '
}
check_eq 'colour: of the lines that have a share' '3 3' "$(escapes A=a)"
check_eq 'colour: not with NO_COLOR' '0 0' "$(escapes NO_COLOR=1)"
check_eq 'colour: not on a terminal without' '0 0' "$(escapes TERM=dumb)"
annotate a.rec
check_eq 'colour: not in a file' 0 "$(grep -c "$(printf '\033')" out)"

# ---- files that are not the recorded file

sed "s/$(build_id program)/0123456789abcdef0123456789abcdef01234567/" a.rec >other.rec
annotate -f hash other.rec
check_eq 'another build-id: exit code' 1 "$status"
check 'another build-id: refused' grep -qE 'no function matches|is not the file that was recorded' err
check_eq 'another build-id: no line is shown' 0 "$(grep -c 'step(h, i)' out)"
printf 'name 0 hash 0 - - 0\n' | cat samples - >named
recording "$T/program" <named | sed "s/$(build_id program)/0123456789abcdef0123456789abcdef01234567/" >other.rec
annotate -f hash other.rec
check_eq 'another build-id, names known: exit code' 1 "$status"
check 'another build-id, names known: refused' grep -q "'hash' has no code: '$T/program' is not the file that was recorded (build-id $(build_id program), not 0123" err
check_eq 'another build-id, names known: no line is shown' 0 "$(grep -c 'step(h, i)' out)"
gcc -O2 -g -Wl,--build-id=none -o plain src/annotated.c
recording "$T/plain" <samples | sed -e 's/0  /0 - /' -e '1a meta started 2020-01-01T00:00:00Z' -e 's/^end 11/end 12/' >plain.rec
annotate -f hash plain.rec
check 'no build-id, newer than the recording: refused' grep -q "'$T/plain' has no build-id and is newer than the recording" err
touch -d '2 hours' src/annotated.c
annotate -f hash a.rec
check 'a newer source: refused' grep -q "'$T/src/annotated.c' was changed after '$T/program' was built" out
check_eq 'a newer source: instructions instead' 1 "$(grep -c imul out)"
check_eq 'a newer source: no line of it' 0 "$(grep -c 'step(h, i)' out)"
annotate -f hash --any-source a.rec
check_eq 'a newer source: if asked for' '100.00 30 30' "$(line 'h = step(h, i);')"
mkdir -p moved/src
mv src/annotated.c moved/src
annotate -f hash a.rec
check 'no source: said' grep -q "no source file '$T/src/annotated.c': --source-path gives its folder" out
touch -d '2 days ago' moved/src/annotated.c
for folder in moved moved/src "none:$T/moved"; do
	annotate -f hash --source-path "$folder" a.rec
	check_eq "--source-path $folder" '100.00 30 30' "$(line 'h = step(h, i);')"
done
head -n 9 moved/src/annotated.c >src/annotated.c
touch -d '2 days ago' src/annotated.c
annotate -f hash a.rec
check 'a shorter source: another version' grep -q "'$T/src/annotated.c' is another version: it has 9 lines, and '$T/program' was built from line" out
cp moved/src/annotated.c src
touch -d '2 days ago' src/annotated.c

# ---- other files

strip -g -o symbols program
recording "$T/symbols" <samples >symbols.rec
annotate -f hash symbols.rec
check 'symbols only: said' grep -q "no source lines: '$T/symbols' has no debug information" out
check_eq 'symbols only: instructions' '100.00 30 30' "$(grep imul out | awk '{ print $1, $2, $3 }')"
strip -o stripped program
recording "$T/stripped" <samples >stripped.rec
annotate -n 1 stripped.rec
check 'stripped: by its start' grep -qE '^stripped\+0x[0-9a-f]+  ' out
check_eq 'stripped: the same instructions' "$(grep -oE '[0-9a-f]+  imul.*' out)" "$("$bin/bt-annotate" -f hash symbols.rec 2>"$T/err" | grep -oE '[0-9a-f]+  imul.*')"
check_eq 'stripped: a function has its own only' "$(grep -cE '^ .*  [0-9a-f]+  [a-z]' out)" \
	"$("$bin/bt-annotate" -f hash symbols.rec 2>"$T/err" | grep -cE '^ .*  [0-9a-f]+  [a-z]')"
annotate --root "$T/none" -f hash symbols.rec
check 'no file: exit 1' test "$status" = 1
recording /none/program <named >gone.rec 2>"$T/err" || :
AT=/none/program recording "$T/program" <named >gone.rec
annotate -f hash gone.rec
check 'no file: said' grep -q "'/none/program' is not there" err
cat >src/spin.cc <<'CPP'
namespace shop {
template <typename T> struct Cart {
	T sum = 0;
	__attribute__((noinline)) T add(T n)
	{
		for (T i = 1; i < n; i++)
			sum += n / i;
		return sum;
	}
};
}
int main(int argc, char **)
{
	shop::Cart<unsigned> cart;
	return cart.add(argc) & 1;
}
CPP
touch -d '2 days ago' src/spin.cc
g++ -O2 -g -Wl,--build-id=sha1 -o spin src/spin.cc
divide=$(objdump -d spin | awk '/Cart.*add.*>:$/ { inside = 1 } inside && /\tdiv / { sub(":", "", $1); print $1; exit }')
printf 'frame 0 user pc 0 %s\nstack 0 user root - 0\nrow 0 0 0 - 7 7\n' "$divide" | recording "$T/spin" >spin.rec
annotate -f 'shop::Cart<*>::add' spin.rec
check_eq 'C++: demangled' "shop::Cart<unsigned int>::add  $T/spin" "$(head -n 1 out)"
check_eq 'C++: lines' '100.00 7 7' "$(line 'sum += n / i;')"

# ---- frames whose code is not kept

cat >other <<'OTHER'
flametap-recording 2
kernel 9.9.9 0123456789abcdef ffffffff81000000
event 0 on-cpu samples 0 cpu
task 0 1 1 0 a
frame 0 jit pc - 1000
name 0 generated 0 [jit] - 0
frame 1 perl name
name 1 Shop::add 0 - - 0
frame 2 kernel pc - ffffffff81001000
name 2 do_work 0 [kernel] - 0
stack 0 user root - 0
stack 1 perl root - 1
stack 2 kernel root - 2
row 0 0 0 - 1 1
row 0 0 1 - 1 1
row 0 0 2 - 1 1
end 16
OTHER
annotate -f '*' other
check_eq 'no code: exit code' 1 "$status"
check 'no code: generated' grep -q "'generated' is code that was made at run time" err
check 'no code: interpreted' grep -q "'Shop::add' is a function of an interpreter" err
check 'no code: kernel' grep -q "'do_work' has no code: \[kernel\]: its code is not known: its vmlinux" err

# ---- hostile files

damaged=0
for size in 64 512 4096 8192 12000 16000 20000; do
	head -c "$size" program >part
	AT=$T/part recording "$T/program" <named >part.rec
	annotate -f '*' part.rec
	{ [ "$status" -le 1 ] && ! grep -qE 'crashed|timeout' err; } || damaged=$((damaged + 1))
done
python3 - program <<'MUTATE'
import random, sys
data = open(sys.argv[1], 'rb').read()
for n in range(24):
    random.seed(n)
    changed = bytearray(data)
    for i in range(40):
        at = random.randrange(0x1000, len(data))
        changed[at] = random.randrange(256)
    open('mutated%d' % n, 'wb').write(changed)
MUTATE
for file in mutated*; do
	AT=$T/$file recording "$T/program" <named >part.rec
	annotate -f '*' part.rec
	{ [ "$status" -le 1 ] && ! grep -qE 'crashed|timeout' err; } || damaged=$((damaged + 1))
done
check_eq 'damaged files: read to an end, or refused' 0 "$damaged"
printf '\033[2J\n' >>src/annotated.h
sed -i 's/h = step(h, i);/h = step(h, i); \/\/ \x1b[2J/' src/annotated.c
touch -d '2 days ago' src/*
annotate -f hash a.rec
check_eq 'control characters of a source' 0 "$(grep -c "$(printf '\033')" out)"

# ---- sources from a server, which has them at their original paths

if command -v debuginfod >/dev/null; then
	cp "$TOP/tests/symbols/programs/annotated.c" src
	touch -d '2 days ago' src/annotated.c
	mkdir -p "served" "root/$T"
	cp program served
	cp program "root/$T"
	no_source_scan=''
	if serve_really "$T/served" "$(build_id program)/executable"; then
		annotate --root "$T/root" -f hash a.rec
		check_eq 'a server: no source without it' 0 "$(DEBUGINFOD_URLS='' "$bin/bt-annotate" --root "$T/root" -f hash a.rec 2>"$T/err" | grep -c 'step(h, i)')"
		check_eq 'a server: sources' '100.00 30 30' "$(line 'h = step(h, i);')"
		annotate --debuginfod never --root "$T/root" -f hash a.rec
		check_eq 'a server: only if allowed' 0 "$(grep -c 'step(h, i)' out)"
	fi
	stop_servers
	DEBUGINFOD_URLS=''
else
	skip 'a server: sources' 'debuginfod is not installed'
fi

# ---- the same profile, as perf shows it

# try COMMAND…: tries up to twelve times, because some versions of perf crash at random; its output is in perf.got
try() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		! "$@" >perf.got 2>perf.err || return 0
	done
	return 1
}

profile() {
	try perf record -q -B -N -e cpu-clock -F 997 -o perf.data "$T/program" 200 &&
		try perf script -i perf.data --show-mmap-events -F pid,tid,ip &&
		python3 "$TOP/tests/symbols/perf2rec.py" "$T/program" <perf.got >perf.rec 2>perf.err
}

if ! command -v perf >/dev/null || ! { profile || profile || profile || profile; }; then
	skip 'perf: the same profile' "perf does not record here: $(tail -n 1 perf.err 2>/dev/null)"
	exit 0
fi
for function in hash divide; do
	if ! try perf annotate --stdio -i perf.data -s "$function"; then
		skip "perf: the same instructions of $function" "perf does not annotate here: $(tail -n 1 perf.err)"
		continue
	fi
	annotate --asm -f "$function" perf.rec
	check_eq "perf: the same instructions of $function, shares within 1 point" \
		"$(grep -cE '^ *[0-9.]+ +: +[0-9a-f]+:' perf.got) instructions with samples" "$(python3 "$TOP/tests/symbols/perf_annotate.py" perf.got out)"
done
