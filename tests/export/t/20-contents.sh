# SPDX-License-Identifier: GPL-2.0-or-later
# The contents of the files: inlined calls, lines, threads, addresses, labels, large weights; equal output for equal input; the command
# line.
set -eu

. "$TOP/tests/export/lib.sh"

# ---- inlined calls, lines, threads, the file's description of itself

cat >in.rec <<'END'
flametap-recording 1
meta title CPU\x20time
meta started 2026-11-20T14:25:01Z
meta seconds 5.250
event 0 on-cpu samples 1000000 cpu
task 0 10 11 99 worker
map 0 10 0 7f0000000000 7f0000010000 0 - /nowhere/lib/libwork.so.1
map 1 10 0 400000 402000 0 - /nowhere/bin/app
frame 0 user call 1 100
name 0 main 4 - src/main.c 12
frame 1 user call 0 200
name 1 innermost 4 - a.h 3
name 1 inner 4 - a.h 9
name 1 outer 4 - b.c 30
frame 2 user call 0 300
name 2 inner 4 - a.h 9
name 2 outer 4 - b.c 31
frame 3 user pc 0 400
frame 4 kernel pc - ffffffff81000010
name 4 do_idle 4 [kernel] - 0
stack 0 user root - 1 0
stack 1 user root - 2 0
stack 2 user root - 3 1 0
stack 3 kernel root - 4
row 0 0 0 - 3 3
row 0 0 1 - 4 4
row 0 0 2,3 - 5 5
end 27
END
if [ -n "$pprof" ]; then
	bt-export --pprof --lines --inlines --threads --debuginfod=never --min-quality=0 in.rec >out.pb.gz 2>err || note err
	read_as stacks out.pb.gz >actual || :
	check_eq 'pprof: inlined calls, lines, threads, times' "worker/11; main main.c:12 [/nowhere/bin/app]; outer b.c:30 > inner a.h:9 > innermost a.h:3 [/nowhere/lib/libwork.so.1] 3 task=worker/11
worker/11; main main.c:12 [/nowhere/bin/app]; outer b.c:30 > inner a.h:9 > innermost a.h:3 [/nowhere/lib/libwork.so.1]; [libwork.so.1] [/nowhere/lib/libwork.so.1]; do_idle [[kernel.kallsyms]] 5 task=worker/11
worker/11; main main.c:12 [/nowhere/bin/app]; outer b.c:31 > inner a.h:9 [/nowhere/lib/libwork.so.1] 4 task=worker/11
samples/count,cpu/nanoseconds cpu/nanoseconds period 1000000 time 1795184701000000000 duration 5250000000
CPU time
12 samples kept, 0 lost; 0.002 CPUs for 5.2 s; stacks 100.0 % whole; frames 85.3 % named
/nowhere/bin/app functions filenames line_numbers
/nowhere/lib/libwork.so.1 functions filenames line_numbers inline_frames
[kernel.kallsyms] functions" "$(cat actual)"
	sed 's/ samples 1000000 cpu/ us 0 monotonic/' in.rec >us.rec
	bt-export --pprof us.rec 2>err >out.pb.gz || :
	check_eq 'pprof: microseconds' 'time/microseconds / period 0 time 1795184701000000000 duration 5250000000' \
		"$(read_as stacks out.pb.gz | sed -n 4p)"
	bt-export --pprof in.rec us.rec >out.pb.gz 2>err || :
	check_eq 'pprof: no file of two units' '' "$(cat out.pb.gz)"
	bt-export --pprof in.rec in.rec >out.pb.gz 2>err || :
	check_eq 'pprof: two recordings' 'samples/count,cpu/nanoseconds cpu/nanoseconds period 1000000 time 1795184701000000000 duration 10500000000' \
		"$(read_as stacks out.pb.gz | sed -n 4p)"
fi

# ---- addresses and build-ids: other programs can name functions that we could not

# plus NUMBER OFFSET: prints the sum; both numbers and the sum are hexadecimal
plus() {
	printf '%x' $((0x$1 + $2))
}

if [ -n "$pprof" ] && command -v gcc >gcc.out; then
	cat >w.c <<-'END'
		__attribute__((noinline)) int work_here(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * i; return s; }
		int main(int c, char **v) { return work_here(c) + !v; }
	END
	gcc -g -O1 -fno-inline -Wl,--build-id=sha1 -o w w.c
	id=$(readelf -n w | sed -n 's/.*Build ID: //p')
	work=$(nm w | sed -n 's/^0*\([0-9a-f]*\) T work_here$/\1/p')
	main=$(nm w | sed -n 's/^0*\([0-9a-f]*\) T main$/\1/p')
	cat >places.rec <<-END
		flametap-recording 2
		event 0 on-cpu samples 1000000 cpu
		task 0 10 10 99 w
		map 0 10 0 555500000000 555500010000 0 $id /nowhere/w 0
		frame 0 user pc 0 $(plus "$work" 4)
		frame 1 user call 0 $(plus "$main" 6)
		stack 0 user root - 0 1
		row 0 0 0 - 7 7
		end 8
	END
	bt-export --pprof --debuginfod=never places.rec >out.pb.gz 2>err || note err
	check_eq 'pprof: addresses, build-ids' "default samples
[w]: $(plus "$main" 5) in /nowhere/w $id
[w]: $(plus "$work" 4) in /nowhere/w $id" "$(read_as places out.pb.gz)"
	bt-export --pprof out.pb.gz >again.pb.gz 2>err || note err
	check_eq 'pprof as input: addresses, build-ids' "$(read_as places out.pb.gz)" "$(read_as places again.pb.gz)"
	[ -z "$go" ] || check_eq 'go tool pprof: addresses, build-ids' "0x$(plus "$work" 4) 0x$(plus "$main" 5) /nowhere/w $id" \
		"$(go tool pprof -symbolize=none -raw out.pb.gz 2>go.err |
			sed -nE 's/^ +[0-9]+: (0x[0-9a-f]+) M=1 .*/\1/p; s/^1: 0x0\/0x0\/0x0 (.*[^ ]) *$/\1/p' | tr '\n' ' ' | sed 's/ $//')"
	[ -z "$go" ] || check_eq 'go tool pprof: cpu time' '7ms' \
		"$(go tool pprof -symbolize=none -sample_index=cpu -top out.pb.gz 2>go.err | sed -n 's/.* of \(.*\) total$/\1/p')"
fi

# ---- Perl's own frames have files and lines, also between frames of C

if [ -n "$pprof" ]; then
	bt-export --pprof --lines "$TOP/tests/golden/recording/mixed.in" >out.pb.gz 2>err || note err
	check_eq "pprof: Perl's frames in a mixed stack" 'main [/nowhere/bin/perl]; perl_run [/nowhere/bin/perl]; Perl_runops_standard [/nowhere/bin/perl]; main shop.pl:12 [[perl]]; Perl_pp_sort [/nowhere/bin/perl]; Perl_runops_standard [/nowhere/bin/perl]; Shop::by_price Shop.pm:30 [[perl]]; Perl_pp_ncmp [/nowhere/bin/perl] 40' \
		"$(read_as stacks out.pb.gz | grep ' 40$')"
fi

# ---- labels

# labels ARG…: prints the samples with their labels
labels() {
	bt-export --pprof "$@" "$TOP/tests/golden/recording/labels.in" >out.pb.gz 2>err || note err
	read_as stacks out.pb.gz | sed '/^time/,$d'
}
if [ -n "$pprof" ]; then
	check_eq 'pprof: labels' 'main [/bin/nginx] 7
main [/bin/nginx]; futex_wait [[kernel.kallsyms]] 20 state=R uri=/cart
main [/bin/nginx]; futex_wait [[kernel.kallsyms]] 1000 [key]=[\x1b] state=S
main [/bin/nginx]; futex_wait [[kernel.kallsyms]] 300 state=S uri=/a,b; \x2c\x0a
main [/bin/nginx]; futex_wait [[kernel.kallsyms]] 4000 state=S uri=/cart' "$(labels)"
	check_eq 'pprof: labels, threads, by a label' '/cart; nginx/10; main [/bin/nginx]; futex_wait [[kernel.kallsyms]] 4000 task=nginx/10 state=S uri=/cart' \
		"$(labels --threads --by uri --tag S --label uri=/cart)"
	check_eq 'pprof: labels, leaf at the root' 'futex_wait [[kernel.kallsyms]]; main [/bin/nginx] 20 state=R uri=/cart' "$(labels --reverse --tag R)"
	check_eq 'pprof: labels of functions that begin a stack' 'futex_wait [[kernel.kallsyms]] 20 state=R uri=/cart' \
		"$(labels --skip-after '*' --only '*' --tag R)"
fi

# ---- a chain of inlined calls that no compiler makes: a location holds as many as it can, and the next location holds the rest

awk 'BEGIN { line = "main"; for (i = 1; i <= 5000; i++) { line = line ";f" i "_[i]"; if (i % 100 == 0) print line " 1" } }' >chain.folded
same 'a chain of 5,000 inlined calls' chain.folded
if [ -n "$pprof" ]; then
	bt-export --pprof chain.folded >out.pb.gz
	check_eq 'pprof: the chain is cut' 63 "$(read_as stacks out.pb.gz | sed -n '1s/;.*//; 1s/[^>]//gp' | tr -d '\n' | wc -c)"
fi

# ---- threads, times and waits in the Firefox profiler

bt-export --firefox "$TOP/tests/golden/recording/slices.in" >out.json 2>err || note err
check_eq 'firefox: threads, times and waits' 'nginx 10 nginx 10 main
  1000.0 1 100.0
  1100.0 1 0.001
  1200.0 - 0.0
  1800.0 - 0.0
  1900.0 1 129.999
  2000.0 1 100.0
  1000.0 1100.0 sleeping 0.001
  1800.0 1900.0 sleeping 129.999
  1900.0 2000.0 sleeping 100.0
nginx 10 worker 11 -
  100.0 4 0.007
  200.0 3 0.001
  300.0 - 0.0
  400.0 - 0.0
  500.0 3 0.002
  600.0 - 0.0
  1900.0 - 0.0
  2000.0 3 0.001' "$(read_as firefox-threads out.json | grep -v ' [0-9]00.0 .*100.0$')"

# ---- threads and times in speedscope

# threads_of FILE [OPTION…]: prints the profiles of FILE in speedscope's format
threads_of() {
	threads_of=$1
	shift
	bt-export --speedscope "$@" "$threads_of" >out.json 2>err || note err
	[ -z "$schema" ] || read_as valid out.json
	read_as speedscope-threads out.json
}
check_eq 'speedscope: threads and times' 'nginx/10 microseconds 0 2029999
  0 1000001 main;ep_poll
  1800000 229999 main;ep_poll
nginx/10 worker/11 microseconds 0 2000000
  0 7 main;ep_poll
  100000 1 main;futex_wait
  400000 2 main;futex_wait
  1900000 1 main;futex_wait' "$(threads_of "$TOP/tests/golden/recording/slices.in")"
check_eq 'speedscope: a part of the time' 'nginx/10 microseconds 1800000 2029999
  1800000 229999 main;ep_poll
nginx/10 worker/11 microseconds 1800000 2000000
  1900000 1 main;futex_wait' "$(threads_of "$TOP/tests/golden/recording/slices.in" --from 1.8s)"
check_eq 'speedscope: several files have no common time' 'Off-CPU time microseconds 0 2460022
  None 14 main;ep_poll
  None 2460000 main;ep_poll
  None 8 main;futex_wait' "$(threads_of "$TOP/tests/golden/recording/slices.in" "$TOP/tests/golden/recording/slices.in")"

# A busy thread and three with pauses, in slices of 10 ms that have 9 or 10 ticks. The second row of each has another stack.
awk 'BEGIN {
	srand(37)
	print "flametap-recording 2\nmeta title CPU\\x20time\nevent 0 on-cpu samples 1001001 cpu\nslices 10000000 100"
	for (t = 0; t < 4; t++)
		print "task", t, 20 + 2 * int(t / 2), 20 + t + (t == 3) * 30, 1, "t" t
	for (f = 0; f < 4; f++)
		print "frame", f, "user call - 0\nname", f, "f" f, 2, "/bin/app - 0"
	for (s = 0; s < 3; s++)
		print "stack", s, "user root -", s + 1, s == 2 ? "1 0" : "0"
	for (t = 0; t < 4; t++)
		for (i = 0; i < 100; i++) {
			left = 9 + (i % 100 < 99)
			for (s = 0; s < 3; s++) {
				n = !t && s == 2 ? left : t && rand() < 0.5 ? 0 : int(rand() * left)
				left -= n
				at[t, s, i] = n
				all[t, s] += n
			}
		}
	for (t = 0; t < 4; t++)
		for (s = 0; s < 3; s++) {
			printf "row 0 %d %d - %d %d\nseries", t, s, all[t, s], all[t, s]
			for (i = last = 0; i < 100; i++)
				if (at[t, s, i]) {
					printf " %d*%d", i + 1 - last, at[t, s, i]
					last = i + 1
				}
			print ""
		}
}' >ticks.lines
sed "\$a end $(wc -l <ticks.lines)" ticks.lines >ticks.rec
threads_of ticks.rec >ticks.threads
check_eq 'speedscope: the threads' 't0/20 none 0 999
t0/20 t1/21 none 0 999
t2/22 none 0 999
t2/22 t3/53 none 0 999' "$(grep -v '^ ' ticks.threads)"
check_eq 'speedscope, read by bt-collapse: the same sums of each thread' \
	"$(bt-collapse --threads ticks.rec 2>err)" \
	"$(bt-collapse --threads out.json 2>err | sed 's/^[^;]* //' | LC_ALL=C sort)"
# slices begin at 9.99 ticks times their number, rounded down
for tid in 21 22 53; do
	awk -v tid=$tid '!/^ / { on = $(NF - 3) ~ "/" tid "$"; next }
		on { for (at = $1; at < $1 + $2; at++) n[int((at + 0.999) / 9.99)]++ }
		END { for (i in n) printf "%.3f,%d\n", i / 100, n[i] }' ticks.threads | sort >actual
	bt-report --by slice --tid $tid ticks.rec 2>err | sed '1d; s/,[^,]*$//' >expected
	check "speedscope: the same sums of each slice, thread $tid" diff -u expected actual
done

# ---- weights that the formats cannot hold

printf 'a;b 18446744073709551613\na;c 1\n' >heavy.folded
bt-export --speedscope heavy.folded >out.json
check_eq 'speedscope: weights above 2^53' 9007199254740991 "$(read_as speedscope out.json | tail -n 1)"
check 'speedscope: weights above 2^53 are told' grep -qF '"name":"weights in units of 2048 samples"' out.json
if [ -n "$pprof" ]; then
	bt-export --pprof heavy.folded >out.pb.gz
	check_eq 'pprof: weights above 2^63' 9223372036854775807 "$(read_as pprof out.pb.gz | tail -n 1)"
	check_eq 'pprof: weights above 2^63 are told' 'weights in units of 2 samples' "$(read_as stacks out.pb.gz | tail -n 1)"
fi

# ---- the same input gives the same bytes

"$generate" folded 3000000 20000 >many.folded
for format in pprof speedscope firefox folded; do
	bt-export --$format many.folded >one
	bt-export --$format many.folded >two
	check "$format: the same bytes again" cmp one two
	status=0
	bt-export --$format many.folded >/dev/full 2>err || status=$?
	check_eq "$format: a full disk" '2 bt-export: cannot write '"'stdout'"': No space left on device; the output is not whole' \
		"$status $(cat err)"
done
bt-export --pprof many.folded >out.pb.gz
check_eq 'pprof: no time in the header' '00 00 00 00' "$(od -An -tx1 -j4 -N4 out.pb.gz | sed 's/^ *//')"
check 'folded: as bt-collapse' sh -c 'bt-export --folded many.folded >one && bt-collapse many.folded | cmp - one'

# ---- the command line

# usage ARG…: checks that these arguments are a usage error
usage() {
	usage_status=0
	bt-export "$@" many.folded >out 2>err || usage_status=$?
	check_eq "usage: $*" '64 0' "$usage_status $(wc -c <out)"
}
usage
usage --pprof --speedscope
usage --folded --pprof

# ---- straight from the recorder

sleep 1000 &
target=$!
at_end 'kill $target 2>/dev/null'
status=0
PATH=$TOP/tests/live/stand-in:$PATH STAND_IN=good FLAMETAP_DATADIR=$TOP FLAMETAP_ENGINE=stap \
	sample-bt -p $target -u -t 0.1 --min-quality 1 -o a.rec -o a.pb.gz -o a.speedscope.json -o a.firefox.json -o a.json 2>err || status=$?
check_eq 'sample-bt: exit code' 0 "$status"
report a.rec >expected
read_as speedscope a.speedscope.json >actual || :
check 'sample-bt: .speedscope.json' diff -u expected actual
read_as firefox a.firefox.json >actual || :
check 'sample-bt: .firefox.json' diff -u expected actual
if [ -n "$pprof" ]; then
	read_as pprof a.pb.gz >actual || :
	check 'sample-bt: .pb.gz' diff -u expected actual
fi
check 'sample-bt: .json is no speedscope file' grep -q '"functions"' a.json

# ---- late ticks are charged to the callers, also where labels follow them

cat >late.rec <<'END'
flametap-recording 2
event 0 on-cpu samples 1001001 cpu
task 0 1 1 1 app
frame 0 kernel pc - ffffffff81000010
name 0 _raw_spin_unlock_irqrestore 0 - - 0
frame 1 kernel call - ffffffff81000020
name 1 vfs_read 0 - - 0
stack 0 kernel root - 0 1
label 0 uri /a
row 0 0 0 0 30 30
end 10
END
for who in none caller; do
	bt-export --pprof --skid $who late.rec >late.pb.gz
	bt-collapse --by uri late.pb.gz
done >late.folded 2>/dev/null
check_eq 'pprof: --skid' '/a;vfs_read_[k];_raw_spin_unlock_irqrestore_[k] 30
/a;vfs_read_[k] 30' "$(cat late.folded)"
