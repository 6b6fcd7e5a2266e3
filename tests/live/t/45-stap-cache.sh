# SPDX-License-Identifier: GPL-2.0-or-later
# If stap is ended while it compiles, its cache says that the headers of tracepoints do not compile, and later runs find no tracepoint.
set -eu

. "$TOP/tests/live/lib.sh"

SYSTEMTAP_DIR=$T/systemtap
export SYSTEMTAP_DIR
cache=$SYSTEMTAP_DIR/cache/ab
empty=$cache/tracequery_0123456789abcdef0123456789abcdef_1000.o
mkdir -p "$cache"

# end_compiling SIGNAL: ends sample-bt by SIGNAL while stap compiles
end_compiling() {
	rm -f compiling
	STAND_IN=compiles "$BIN" -u -p "$subject" -t 1 -o a.rec >stdout 2>stderr &
	recorder=$!
	until_true test -e compiling
	check "$1: stap has noted a failure" test -e "$empty"
	kill -"$1" "$recorder"
	wait "$recorder" || :
}

for signal in TERM KILL; do
	end_compiling "$signal"
	check "$signal: the note is removed" until_true test ! -e "$empty"
done

# notes of a stap that others have ended
touch -d '1 minute ago' "$empty"
: >"$cache/typequery_0_1.ko"
echo compiled >"$cache/tracequery_1_1.o"
ln -s "$empty" "$cache/tracequery_2_1.o"
sample good 0 -u -p "$subject" -t 1 -o a.rec
check 'an old note is removed' test ! -e "$empty"
check 'an empty file of another kind is kept' test -e "$cache/typequery_0_1.ko"
check 'a compiled header is kept' test -s "$cache/tracequery_1_1.o"
check 'a link is kept' test -L "$cache/tracequery_2_1.o"

# a header that does not compile: stap runs a second time only if an earlier run has noted it
rm "$cache/tracequery_2_1.o"
for runs in 1 2; do
	rm -f runs
	sample uncompilable 2 -u -p "$subject" -t 1 -o a.rec
	check 'uncompilable: says so' grep -q "stap made no module: semantic error: while resolving probe point: identifier 'kernel'" stderr
	check_eq "uncompilable: number of runs" "$runs" "$(grep -c . runs)"
	touch -d '1 minute ago' "$empty"
done
