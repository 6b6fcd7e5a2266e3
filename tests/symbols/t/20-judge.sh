#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 20-judge: functions, inlined calls and lines of 1,000 addresses each of libc, perl and a big C++ program, compared with eu-addr2line and
# llvm-symbolizer: every difference must follow from a rule of tests/symbols/judge. With --all it is 10,000 addresses, because eu-addr2line
# is slow, and the whole C++ program, which takes compilers minutes. It is built once, into build/symbols.
set -eu
TOP=${TOP:-$(cd "$(dirname "$0")/../../.." && pwd)}
: "${O:=build}"
. "$TOP/tests/lib.sh"
. "$TOP/tests/symbols/judging.sh"
cd "$TOP"

for program in eu-addr2line llvm-symbolizer readelf g++; do
	command -v "$program" >/dev/null || { skip judge "$program is not installed"; exit 0; }
done
nr=1000 parts=4 bytes=1200000
[ -z "${CHECK_ALL-}" ] || nr=10000 parts=16 bytes=5000000
big=build/symbols/$parts
for file in "$(libc_file)" "$(command -v perl)"; do
	name=$(basename "$file")
	if [ "$(debug_of "$file")" = "$file" ]; then
		skip "$name" "no debug file is installed for $file"
	else
		compare_names "$name" "$file" $nr eu llvm
	fi
done
check 'big: built' sh tests/symbols/programs/big $big $parts
check 'big: enough code' test "$(size $big/big | awk 'END { print $1 }')" -ge $bytes
compare_names big $big/big $nr eu llvm
