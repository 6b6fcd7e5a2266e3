#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 22-forms: the same for one C++ program in all forms of debug information, compared with llvm-symbolizer.
set -eu
TOP=${TOP:-$(cd "$(dirname "$0")/../../.." && pwd)}
: "${O:=build}"
. "$TOP/tests/lib.sh"
. "$TOP/tests/symbols/judging.sh"
cd "$TOP"

cat >"$T/forms.cc" <<'END'
#include "containers.h"
#include "digest.h"
int main()
{
	std::vector<unsigned long> numbers(100, 1302);
	return (int)(big::use<1>(100) + big::digest<2>(numbers, "text"));
}
END

# compile COMPILER FLAG…: compiles in $T, where clang puts the files that it splits off
compile() (
	cd "$T"
	"$@" -std=c++17 -O2 -I "$TOP/tests/symbols/programs" -o "$name-program" forms.cc 2>"$name-errors"
)

# form NAME COMPILER FLAG…: checks one form
form() {
	name=$1
	shift
	if ! command -v "$1" >/dev/null; then
		skip "$name" "$1 is not installed"
	elif compile "$@"; then
		compare_names "$name" "$T/$name-program" 3000 llvm
	else
		not_ok "$name" "cannot compile"
		note "$T/$name-errors"
	fi
}

command -v llvm-symbolizer >/dev/null || { skip forms 'llvm-symbolizer is not installed'; exit 0; }
form gcc-3 g++ -gdwarf-3
form gcc-4 g++ -gdwarf-4
form gcc-4-split g++ -gdwarf-4 -gsplit-dwarf
form gcc-5-split g++ -gdwarf-5 -gsplit-dwarf
form gcc-types g++ -g -fdebug-types-section
form gcc-lto g++ -g -flto
form clang-4 clang++ -gdwarf-4
form clang-5-split clang++ -gdwarf-5 -gsplit-dwarf
