#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 15-causes: what is said of stacks that cannot be whole: the file, the cause, what helps.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

# says NAME ERE: so does the recording's quality
says() {
	if grep -qE "^sample-bt: [0-9.]+ % $2\$" "$T/$1.err"; then
		ok "$1: $2"
	else
		not_ok "$1: $2" 'not said'
		note "$T/$1.err"
	fi
}

assembly='cut in libstray.so: code without unwind rules, such as assembly'
generated='neither unwind rules nor frame pointers'

start "$CASES/stray" 600
record_for stray 1 -p "$target" -u
finish
says stray "$assembly"
says stray "cut in generated code: $generated"
if at_least 5 "$(account whole stray)"; then
	ok 'stray: hardly a stack is whole'
else
	not_ok 'stray: hardly a stack is whole' "$(account whole stray) % are"
fi

# a runtime that generates code, by what its threads are called
start "$CASES/stray" 600 java
record_for java 1 -p "$target" -u
finish
says java "$assembly"
says java "cut in generated code of Java: $generated; start java with -XX:\\+PreserveFramePointer"

# the recording says the same when it is read again
"${BIN%/*}/bt-report" --json --min-quality 0 "$T/java.rec" >"$T/java.json" 2>"$T/again.err" || :
check_eq 'the same again' "$(grep ' cut in ' "$T/java.err" | sed 's/^[^:]*//')" "$(grep ' cut in ' "$T/again.err" | sed 's/^[^:]*//')"
check_eq 'JSON: files and runtimes' 'libstray.so Java' \
	"$(sed -n 's/.*"cause": "no-rules", "file": ".*\/\([^"]*\)".*/\1/p; s/.*"cause": "generated-code".*"runtime": "\([^"]*\)".*/\1/p' "$T/java.json" |
		sort -r | tr '\n' ' ' | sed 's/ $//')"
