# SPDX-License-Identifier: GPL-2.0-or-later
# Modules built ahead, and a user's own scripts.
set -eu

. "$TOP/tests/live/lib.sh"

# the options that a module built ahead contains
STAND_IN=good "$BIN" --compile-only -u -o m.ko
sample good 0 --module m.ko -p "$subject" -t 0.2 --min-quality 1 -o m.rec
check 'module: records' grep -q '^row ' m.rec
sample good 2 --module m.ko -p "$subject" -k -t 0.2
check 'module: says what it is for' grep -q "another recording, 'on-cpu -u'" stderr
sample good 64 --module m.ko -p "$subject" --overload 3
sample good 64 --idle -p "$subject"
sample good 64 -r 9.9.9 -p "$subject"
sed "s/vermagic=$(uname -r)/vermagic=9.9.9/" m.ko >other.ko
sample good 2 --module other.ko -p "$subject" -t 0.2
check 'module: of another kernel' grep -q 'was built for kernel 9.9.9' stderr
"$BIN" --check --module other.ko >stdout || :
check 'module: so says the preflight' grep -q '^missing  *module .*9\.9\.9' stdout
sample good 2 --module /dev/null -p "$subject"
sample good 2 --module m.rec -p "$subject"
check 'module: not one of ours' grep -q 'not built by sample-bt --compile-only' stderr

# a module for an interpreter, which decides that the interpreter is looked for
if perl -e 1 2>/dev/null; then
	STAND_IN=good "$BIN" --compile-only --perl -o perl.ko
	perl -e 'print "ready\n"; close STDOUT; sleep 1000' >ready &
	perl=$!
	at_end 'kill $subject $named $perl 2>/dev/null'
	until_true grep -q ready ready || :
	sample good 0 --module perl.ko -d -p "$perl"
	check 'module for Perl: where the interpreter is' grep -q '^# *staprun .*perl' stdout
	sample good 2 --module perl.ko -d -p "$subject"
	check 'module for Perl: a process without it' grep -q "no Perl runs in process $subject" stderr
else
	skip 'module for Perl' 'there is no perl'
fi

# a user's own script with its own options
mkdir -p own/stap
ln -s "$TOP/tapsets" own/tapsets
cat >own/stap/reads.stp <<'END'
// flametap: event reads
// flametap: title Bytes read
// flametap: unit bytes
// flametap: clock monotonic
// flametap: none the target read nothing
// flametap: probe syscalls:sys_enter_read
// flametap: option min-size BYTES 1..4096 default 16: Omit smaller reads
// flametap: option max-size BYTES min-size..4096: Omit larger reads
// flametap: option kind LIST file=1,pipe=2,socket=4 compiled default file: Only reads of these
END
FLAMETAP_DATADIR=$T/own
"$BIN" --script reads --help >stdout
check 'own: --help lists its options' grep -qE -- '--min-size=BYTES +Omit smaller reads \(default 16\)' stdout
sample good 0 --script reads -d -p "$subject" -u --max-size 64 --kind pipe,socket
check 'own: an option that is compiled in is an argument' grep -qE '^# *stap .*/reads\.stp u some 0 [0-9]+ 6$' stdout
check 'own: another one is a variable of the module' grep -qE '^# *staprun .* option_max_size=64$' stdout
sample good 0 --script reads -d -p "$subject" -u
check 'own: defaults' sh -c "grep -qE '^# *stap .* 1\$' stdout && ! grep -q option_ stdout"
for wrong in '--min-size 0' '--max-size 4097' '--max-size 15' '--kind files' '--state S' '-F 99'; do
	# shellcheck disable=SC2086 # two words
	sample good 64 --script reads -p "$subject" $wrong
	check "own: $wrong: one line says so" test "$(wc -l <stderr)" = 1
done
sample silent 1 --script reads -p "$subject" -u -t 0.2 -o own.rec
check 'own: its words for nothing' grep -q 'no samples: the target read nothing' stderr
check 'own: its event' grep -q '^event 0 reads bytes 0 monotonic$' own.rec
sample good 64 --script reads -p "$subject" -t 0.5 --slice 100ms --engine stap -o no.rec
check 'own: no slices, which it does not take' grep -q -- '--slice needs the built-in engine, SystemTap does not record slices of time' stderr
sed -i 's/option kind/option pid/' own/stap/reads.stp
sample good 2 --script reads -p "$subject"
check 'own: an option that sample-bt has' grep -qx "sample-bt: the script 'reads' declares --pid, which sample-bt has already: rename it" stderr
FLAMETAP_DATADIR=$TOP

# slices of time, which stap's tables only have if they are asked for
sample good 0 -p "$subject" -u -t 0.5 --slice 100ms --min-quality 1 -o sliced.rec
check 'slices: in the recording' grep -qx 'slices 100000000 5' sliced.rec
check_eq 'slices: the ticks of each' '0.000,10
0.300,20' "$("$bin/bt-report" --by slice sliced.rec 2>stderr | sed '1d; s/,[^,]*$//')"
sample good 0 -d -p "$subject" -u -t 0.5 --slice 100ms -o no.rec
check 'slices: the length is a variable of the module' grep -qE '^# *staprun .* slice_ns=100000000( |$)' stdout
sample good 0 -p "$subject" -u -t 0.5 --min-quality 1 -o whole.rec
check 'slices: none by default' sh -c '! grep -q "^s[a-z]*es [0-9]" whole.rec'
sample good 64 -p "$subject" --last 5s --engine stap -o no.rec
check 'slices: not the last ones' grep -q -- '--last needs the built-in engine' stderr

# the program alone, without its data folder
mkdir -p alone/none
cp "$BIN" alone/none/
check 'alone: it knows our scripts' sh -c "unset FLAMETAP_DATADIR; alone/none/sample-bt --script off-cpu --help | grep -q -- --state=LIST"
