#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 20-judge: functions, inlined calls and lines of 1,000 addresses each of libc, perl and a big C++ program, compared with eu-addr2line and
# llvm-symbolizer: every difference must follow from a rule of tests/symbols/judge. With --all it is 10,000 addresses, because eu-addr2line
# is slow. The C++ program is built once, into build/symbols.
set -eu
TOP=${TOP:-$(cd "$(dirname "$0")/../../.." && pwd)}
: "${O:=build}"
. "$TOP/tests/lib.sh"
. "$TOP/tests/symbols/judging.sh"
cd "$TOP"

for program in eu-addr2line llvm-symbolizer readelf g++; do
	command -v "$program" >/dev/null || { skip judge "$program is not installed"; exit 0; }
done
nr=1000
[ -z "${CHECK_ALL-}" ] || nr=10000
for file in "$(libc_file)" "$(command -v perl)"; do
	name=$(basename "$file")
	if [ "$(debug_of "$file")" = "$file" ]; then
		skip "$name" "no debug file is installed for $file"
	else
		compare_names "$name" "$file" $nr eu llvm
	fi
done
check 'big: built' sh tests/symbols/programs/big build/symbols
check 'big: 5 MB of code' test "$(size build/symbols/big | awk 'END { print $1 }')" -ge 5000000
compare_names big build/symbols/big $nr eu llvm
