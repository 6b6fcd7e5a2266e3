#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 65-ci: the CI script of bt-diff(1), taken from the page: it succeeds if all is well, and fails if a test fails or a function became
# slower. It compares processor time, so it is in check-all; views/ci has the same with known numbers of samples.
# tier: all
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
PATH=$(dirname "$BIN"):$PATH
FLAMETAP_ENGINE=bpf
export PATH FLAMETAP_ENGINE

if ! command -v make >/dev/null || ! command -v man >/dev/null; then
	skip 'ci' 'no make or no man'
	exit 0
fi

# the lines of the page from "#!/bin/sh" to the end of the paragraph
MANWIDTH=200 MANROFFSEQ='' man -l "$TOP/man/bt-diff.1" 2>"$T/man.err" | col -bx |
	awk '/^ *#!\/bin\/sh$/ { indent = index($0, "#") } indent && /^$/ { exit } indent { print substr($0, indent) }' >"$T/ci"
check 'ci: the page has a script' grep -q '^bt-diff .*--fail-above' "$T/ci"

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

# ci NAME STATUS ARG…: compiles a program with ARG… and checks how the script ends; the script's output is in NAME.err
ci() {
	ci_name=$1 ci_expected=$2 ci_status=0
	shift 2
	"${CC:-cc}" -O2 -g "$@" -o work work.c
	sh ./ci >"$ci_name.out" 2>"$ci_name.err" || ci_status=$?
	[ "$ci_status" = "$ci_expected" ] || note "$ci_name.err"
	check_eq "ci: $ci_name" "$ci_expected" "$ci_status"
}

# tests_of: prints the numbers of failed and of all tests, and their names
tests_of() {
	python3 -c '
import xml.etree.ElementTree
suite = xml.etree.ElementTree.parse("slower.xml").getroot()
names = [case.get("name") for case in suite if case.find("failure") is not None]
print(suite.get("failures"), "of", suite.get("tests"), *names)'
}

export RESULT=0
ci first 0
check 'ci: the first run is what others are compared with' test -s good.1.rec -a -s good.3.rec
ci again 0
check_eq 'ci: as JUnit: all passed' '0 of 1' "$(tests_of)"
rm -f slower.svg
RESULT=1 ci 'a test failed' 2
check 'ci: a test failed: nothing is compared' test ! -e slower.svg
ci 'a function became slower' 3 -DSLOWER=4
check 'ci: a function became slower: says which' grep -q "^bt-diff: the share of 'look_up \[work\]' rose from " 'a function became slower.err'
check_eq 'ci: as JUnit: which' '2 of 2 look_up [work] the total for each unit of work' "$(tests_of)"
check 'ci: a picture of it' grep -q 'look_up' slower.svg
ci 'as it was' 0
