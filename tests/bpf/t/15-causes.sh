#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 15-causes: stacks that cannot be whole are reported with the file, the cause and a remedy.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

# record_until_said NAME ERE…: records $target until the report of its quality matches every ERE
record_until_said() {
	said_name=$1
	shift
	until_true record_says "$@" || :
	for ere; do
		check "$said_name: $ere" says "$ere"
	done
}

record_says() {
	record "$said_name" -t 0.5 -p "$target" -u
	for ere; do
		says "$ere" || return 1
	done
}

says() {
	grep -E "^sample-bt: [0-9.]+ % $1\$" "$T/$said_name.err"
}

assembly='cut in libstray.so: code without unwind rules, such as assembly'
generated='neither unwind rules nor frame pointers'

start "$CASES/stray" 600
record_until_said stray "$assembly" "cut in generated code: $generated"
record_until_decided 'stray: its stacks are cut' '^\[truncated[^;]*\];.*' -p "$target" -u
finish

# a runtime that generates code is recognised by the names of its threads
start "$CASES/stray" 600 java
record_until_said java "$assembly" "cut in generated code of Java: $generated; start java with -XX:\\+PreserveFramePointer"
finish

# the report is the same when the recording is read again
"${BIN%/*}/bt-report" --json --min-quality 0 "$T/java.rec" >"$T/java.json" 2>"$T/again.err" || :
check_eq 'the same again' "$(grep ' cut in ' "$T/java.err" | sed 's/^[^:]*//')" "$(grep ' cut in ' "$T/again.err" | sed 's/^[^:]*//')"
check_eq 'JSON: files and runtimes' 'libstray.so Java' \
	"$(sed -n 's/.*"cause": "no-rules", "file": ".*\/\([^"]*\)".*/\1/p; s/.*"cause": "generated-code".*"runtime": "\([^"]*\)".*/\1/p' "$T/java.json" |
		sort -r | tr '\n' ' ' | sed 's/ $//')"
