#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 65-ci: the CI script of bt-diff(1), taken from the page: it succeeds if all is well, and fails if a test fails or a function became
# slower. It compares processor time, so it is in check-all; views/ci has the same with known numbers of samples.
# tier: all
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
. "$TOP/tests/ci.sh"
PATH=$(dirname "$BIN"):$PATH
FLAMETAP_ENGINE=bpf
export PATH FLAMETAP_ENGINE

has_ci_tools || exit 0
ci_script

# three functions of equal work; the program's only argument is what to exit with
cat >"$T/work.c" <<'END'
#include <stdlib.h>
#ifndef SLOWER
#define SLOWER 1
#endif
static volatile unsigned sink;
#define WORK(name, factor)                                                                                                                 \
	__attribute__((noinline)) void name(void)                                                                                          \
	{                                                                                                                                  \
		for (unsigned i = 0; i < 2000u * (factor); i++)                                                                            \
			sink = sink * 1103515245u + i;                                                                                     \
	}
WORK(parse, 1)
WORK(look_up, SLOWER)
WORK(print, 1)

int main(int argc, char **argv)
{
	for (int i = 0; i < 50000; i++) {
		parse();
		look_up();
		print();
	}
	return argc > 1 ? atoi(argv[1]) : 0;
}
END
printf 'test:\n\t./work $(RESULT)\n' >"$T/Makefile"
cd "$T"

# work_ci NAME STATUS ARG…: compiles the program with ARG…, and checks how the script ends
work_ci() {
	work_name=$1 work_status=$2
	shift 2
	"${CC:-cc}" -O2 -g "$@" -o work work.c
	ci "$work_name" "$work_status"
}

export RESULT=0
work_ci first 0
check 'the first run is what others are compared with' test -s good.1.rec -a -s good.3.rec
work_ci again 0
check_eq 'as JUnit: all passed' '0 of 1' "$(tests_of)"
rm -f slower.svg
RESULT=1 work_ci 'a test failed' 2
check 'a test failed: nothing is compared' test ! -e slower.svg
work_ci 'a function became slower' 3 -DSLOWER=4
check 'a function became slower: says which' grep -q "^bt-diff: the share of 'look_up \[work\]' rose from " 'a function became slower.err'
check_eq 'as JUnit: which' '2 of 2 look_up [work] the total for each unit of work' "$(tests_of)"
check 'a picture of it' grep -q 'look_up' slower.svg
work_ci 'as it was' 0
