#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# ci: the CI script of bt-diff(1), taken from the page, with a recorder whose samples are known: it succeeds if all is well, and fails if
# a test fails, if a function takes a larger share, and if all of them take longer alike.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/ci.sh"

has_ci_tools || exit 0
ci_script

# The recorder runs the command, and writes the samples of three functions, which differ a little from run to run.
mkdir "$T/bin"
cat >"$T/bin/sample-bt" <<'END'
#!/bin/sh
while [ "$1" != -- ]; do
	[ "$1" != -o ] || out=$2
	shift
done
shift
"$@" || exit
run=$(echo "$out" | tr -dc 0-9)
printf 'main;parse %d\nmain;look_up %d\nmain;print %d\n' $((ALL * 4 + run)) $((ALL * LOOK_UP - run)) $((ALL * 4)) >"$out"
END
chmod +x "$T/bin/sample-bt"
PATH=$T/bin:$(dirname "$BIN"):$PATH
export PATH
printf 'test:\n\t@exit $(RESULT)\n' >"$T/Makefile"
cd "$T"

export RESULT=0 ALL=100 LOOK_UP=4
ci first 0
check 'the first run is what others are compared with' test -s good.1.rec -a -s good.3.rec
ci again 0
check_eq 'as JUnit: all passed' '0 of 1' "$(tests_of)"
rm -f slower.svg
RESULT=1 ci 'a test failed' 2
check 'a test failed: nothing is compared' test ! -e slower.svg
LOOK_UP=8 ci 'a function became slower' 3
check 'a function became slower: says which' grep -q "^bt-diff: the share of 'look_up' rose from " 'a function became slower.err'
check_eq 'as JUnit: which' '2 of 2 look_up the total for each unit of work' "$(tests_of)"
check 'a picture of it' grep -q 'look_up' slower.svg
ALL=120 ci 'all functions became slower alike' 3
check_eq 'as JUnit: the total' '1 of 1 the total for each unit of work' "$(tests_of)"
ALL=1 ci 'there are too few samples' 1
ci 'as it was' 0
