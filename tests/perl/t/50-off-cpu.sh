#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 50-off-cpu: where Perl waits.
set -u
. "$TOP/tests/perl/lib.sh"

recorder() {
	"$BIN-off-cpu" --engine bpf --perl "$@"
}

# Waits, by the stacks' own clock: until it runs again, however long it had to wait for a processor after it was woken.
off_cpu() {
	perl "$here/naps.pl" <"$T/go" >"$T/naps" &
	target=$!
	exec 3>"$T/go"
	until_true 60 grep -q ready "$T/naps"
	begin_record a --state all -p $target
	echo >"$T/go"
	end_record
	check_eq 'waits: exit' 0 "$status"
	wait $target 2>/dev/null
	exec 3>&-
	while read -r us stack; do
		near "waits: $stack" "$(awk -v s="$stack;[" 'index($0, s) == 1 { n += $NF } END { print n + 0 }' "$T/a.folded")" "$us" 5%
	done <<-END
		$(grep -v ready "$T/naps")
	END
	note "$T/a.err"
	note "$T/a.folded"
}

mkfifo "$T/go"
off_cpu
