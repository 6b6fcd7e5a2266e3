# SPDX-License-Identifier: GPL-2.0-or-later
# ci.sh: functions for the tests of the CI script of bt-diff(1), which they run in $T. Sourced after lib.sh.

# has_ci_tools: checks that make and man are there, or skips
has_ci_tools() {
	command -v make >/dev/null && command -v man >/dev/null && return
	skip 'ci' 'no make or no man'
	return 1
}

# ci_script: takes the script from the page, the lines from "#!/bin/sh" to the end of the paragraph
ci_script() {
	MANWIDTH=200 MANROFFSEQ='' man -l "$TOP/man/bt-diff.1" 2>"$T/man.err" | col -bx |
		awk '/^ *#!\/bin\/sh$/ { indent = index($0, "#") } indent && /^$/ { exit } indent { print substr($0, indent) }' >"$T/ci"
	check 'the page has a script' grep -q '^bt-diff .*--fail-above' "$T/ci"
}

# ci NAME STATUS: checks how the script ends; its output is in NAME.err
ci() {
	ci_status=0
	sh ./ci >"$1.out" 2>"$1.err" || ci_status=$?
	[ "$ci_status" = "$2" ] || note "$1.err"
	check_eq "$1" "$2" "$ci_status"
}

# tests_of: prints the numbers of failed and of all tests, and their names
tests_of() {
	python3 -c '
import xml.etree.ElementTree
suite = xml.etree.ElementTree.parse("slower.xml").getroot()
names = [case.get("name") for case in suite if case.find("failure") is not None]
print(suite.get("failures"), "of", suite.get("tests"), *names)'
}
