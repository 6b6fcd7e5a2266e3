#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# planted: unwind tables that another user put into the cache are not used; links, FIFOs and rubbish there, and forged claims of modules, do
# not stop the recorder. root's claims are in /run, where no other user can write.
set -eu
. "$TOP/tests/hostile/lib.sh"

chmod 755 "$T_top" "$T"
mkdir "$T/cache"
export XDG_CACHE_HOME="$T/cache"
# a user who is not root, but has the capabilities to record; the user's cache is at XDG_CACHE_HOME
chown nobody "$T/cache"
cp "$BIN" "$T/sample-bt"
# record FILE: records as this user
record() {
	bounded setpriv --reuid nobody --regid nogroup --clear-groups --inh-caps +bpf,+perfmon,+sys_ptrace,+dac_read_search \
		--ambient-caps +bpf,+perfmon,+sys_ptrace,+dac_read_search "$T/sample-bt" --engine bpf --min-quality 0 -u \
		-- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done' >"$1" 2>"$T/err"
	[ "$status" = 0 ] || note "$T/err"
}

export FLAMETAP_DATADIR="$TOP"

# claims: checks claims of a user whose XDG_RUNTIME_DIR is writable by others
claims() {
	mkdir -p "$T/run/flametap"
	chmod 777 "$T/run" "$T/run/flametap"
	mkfifo "$T/run/flametap/1"
	chmod 666 "$T/run/flametap/1"
	ln -s /dev/zero "$T/run/flametap/2"
	echo 'module 1 0' >"$T/run/flametap/3"
	bounded setpriv --reuid nobody --regid nogroup --clear-groups env PATH="$TOP/tests/live/stand-in:$PATH" STAND_IN=good \
		XDG_RUNTIME_DIR="$T/run" TMPDIR="$T/cache" "$T/sample-bt" --engine stap --min-quality 0 -t 0.3 -- sleep 60 >"$T/first" 2>"$T/err"
	kill "$(sed -n "s/.* continues: .* is process //p" "$T/err")" 2>/dev/null || :
	check_eq 'claims: exit code' 0 "$status"
	[ "$status" = 0 ] || note "$T/err"
	check_eq "claims: others' stay" '1 2 3' "$(cd "$T/run/flametap" && echo [0-9])"
}

if others_enter claims; then
	claims
fi
record "$T/first"
tables=$(find "$T/cache" -name '*.unwind')
if [ -z "$tables" ]; then
	note "$T/err"
	skip planted 'no table was written to the cache'
	exit 0
fi
n=0
for table in $tables; do
	rm "$table"
	case $((n % 4)) in
	0) echo rubbish >"$table" ;;    # owned by root
	1) mkfifo "$table" ;;
	2) ln -s /dev/zero "$table" ;;
	3) echo rubbish >"$table" && chown nobody "$table" ;;
	esac
	n=$((n + 1))
done
record "$T/second"
check_eq 'it records all the same' 0 "$status"
check 'with stacks' grep -q main "$T/second"
