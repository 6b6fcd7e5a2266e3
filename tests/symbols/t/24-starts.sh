#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 24-starts: functions of a stripped program: each has the start, and a part that was split off is marked, as the symbol table of the
# unstripped program has it.
set -eu
TOP=${TOP:-$(cd "$(dirname "$0")/../../.." && pwd)}
: "${O:=build}"
. "$TOP/tests/lib.sh"
. "$TOP/tests/symbols/judging.sh"
cd "$TOP"
bin=${BINDIR:-bin}

cat >"$T/starts.cc" <<'END'
#include <stdexcept>
#include "containers.h"
#include "digest.h"
static __attribute__((noinline)) int checked(int n)
{
	if (n > 1000)
		throw std::out_of_range("n");
	return n * 2;
}
int main(int argc, char **)
{
	std::vector<unsigned long> numbers(100, 1302);
	return checked(argc) + (int)(big::use<1>(100) + big::digest<2>(numbers, "text"));
}
END

# recording FILE: prints a recording with a sample at each address of stdin
recording() {
	awk -v path="$1" -v id="$(readelf -n "$1" | sed -n 's/.*Build ID: //p')" '
		function hex(s, i, v) { for (i = 3; i <= length(s); i++) v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1; return v }
		BEGIN {
			print "flametap-recording 2\nevent 0 on-cpu samples 1001001 cpu\ntask 0 1 1 1 app"
			printf "map 0 1 1 0 10000000 0 %s %s 0\n", id, path
		}
		{ printf "frame %d user pc 0 %x\nstack %d user root - %d\nrow 0 0 %d - 1 1\n", n, hex($1), n, n, n; n++ }
		END { print "end " 4 + 3 * n }'
}

for compiler in g++ clang++; do
	if ! command -v "$compiler" >/dev/null; then
		skip "$compiler" 'it is not installed'
		continue
	fi
	"$compiler" -std=c++17 -O2 -fsplit-machine-functions -I "$TOP/tests/symbols/programs" -o "$T/$compiler" "$T/starts.cc" 2>"$T/errors" ||
		"$compiler" -std=c++17 -O2 -I "$TOP/tests/symbols/programs" -o "$T/$compiler" "$T/starts.cc" 2>"$T/errors" || note "$T/errors"
	strip -o "$T/$compiler-stripped" "$T/$compiler"
	spread "$T/$compiler" 5000 | recording "$T/$compiler-stripped" >"$T/$compiler.rec"
	"$bin/bt-resolve" --min-quality 0 "$T/$compiler.rec" >"$T/$compiler.starts" 2>"$T/err" || note "$T/err"
	nm -S "$T/$compiler" >"$T/$compiler.nm"
	if python3 tests/symbols/starts.py "$T/$compiler.nm" "$T/$compiler.starts" >"$T/verdict"; then
		ok "$compiler: starts of functions"
	else
		not_ok "$compiler: starts of functions" 'they are not those of the symbol table'
	fi
	note "$T/verdict"
done
check 'g++: a part was split off' grep -q ' cold$' "$T/g++.starts"

"$bin/bt-collapse" --min-quality 0 "$T/g++.rec" >"$T/folded"
check 'folded: named by file and start' grep -qE '^g\+\+-stripped\+0x[0-9a-f]+ [0-9]+$' "$T/folded"
check 'folded: split-off parts' grep -qE '^g\+\+-stripped\+0x[0-9a-f]+\.cold [0-9]+$' "$T/folded"
"$bin/bt-flame" --min-quality 0 "$T/folded" 2>"$T/from.text" >"$T/text.svg" || note "$T/from.text"
"$bin/bt-flame" --min-quality 0 "$T/g++.rec" 2>"$T/from.recording" >"$T/recording.svg" || note "$T/from.recording"
check 'they are unnamed, as text too' grep -q 'class="u6"' "$T/text.svg"
check 'and as recording' grep -q 'class="u6"' "$T/recording.svg"
