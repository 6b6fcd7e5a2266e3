#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# server: a debuginfod server that lies. Its answers must have the requested build-id or are deleted, only workers read them, and time,
# memory and disk space are bounded. Servers that fail in other ways, such as redirecting in a circle or sending a byte a second, are in
# tests/symbols/t/30-debuginfod.sh.
set -eu
. "$TOP/tests/hostile/lib.sh"
. "$TOP/tests/symbols/lib.sh"

if ! ldconfig -p | grep -q libdebuginfod.so.1; then
	skip server 'no libdebuginfod'
	exit 0
fi
open_to_all
export DEBUGINFOD_URLS
bin=$(dirname "$BIN")
id=$(build_id /bin/true)
echo secret >"$T/secret"
echo "$id /nonexistent/true" | recording_of >"$T/one.rec"
cp /bin/true "$T/other" # has another build-id than the bomb
python3 "$TOP/tests/hostile/inflate.py" "$T/bomb" 3072 "$id"

# lies HOW FILE NOTE: checks the report for a server that answers with FILE in the way HOW
lies() {
	serve "$1" "$2"
	rm -f "$T/memory"
	bounded /usr/bin/time -f %M -o "$T/memory" setpriv --reuid "$NOBODY" --regid "$NOBODY" --clear-groups -- \
		"$bin/bt-resolve" --min-quality 0 --inlines --debuginfod=always "$T/one.rec" >"$T/out" 2>"$T/err"
	note "$T/err"
	check_eq "$4: exit code" 0 "$status"
	check "$4: it was asked" grep -q '^ask' "$T/log"
	check_eq "$4: memory is little" yes "$(awk 'END { print $1 < 600000 ? "yes" : $1 }' "$T/memory")"
	check "$4: what is said" grep -q "$3" "$T/err"
	check_eq "$4: no name" 0 "$(grep -c '^name' "$T/out" || :)"
	check_eq "$4: the disk" '' "$(find "$HOME" -type f -size +100M)"
	check_eq "$4: what was not of a server" '' "$(grep -rl secret "$HOME" || :)"
}

thrown_away='is not its debug file; removed from the cache'
lies file /bin/ls "$thrown_away" 'another build-id'
lies local "$T/secret" 'failed' 'a redirect to a local file'
lies elsewhere /bin/ls "$thrown_away" 'a redirect to another server'
check_eq 'a redirect to another server: only the one that is configured gets the password' 'password 127.0.0.1' "$(grep '^password' "$T/log" | sort -u)"
lies announced "$T/other" 'sent too much' '10 GB announced'
export DEBUGINFOD_MAXSIZE=50000000
lies endless "$T/other" 'sent too much' 'no end'
lies packed "$T/other" . 'what inflates to 1 GB'
unset DEBUGINFOD_MAXSIZE
lies file "$T/bomb" . 'the build-id, and debug information of 3 GiB'
