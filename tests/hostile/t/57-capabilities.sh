#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# capabilities: a program with file capabilities reads a script that its user names with the rights of that user, even if the file is
# swapped meanwhile.
set -eu
. "$TOP/tests/hostile/lib.sh"

chmod 755 "$T_top" "$T"
cp "$BIN" "$T/sample-bt"
if ! setcap cap_dac_read_search,cap_bpf,cap_perfmon=ep "$T/sample-bt" 2>"$T/err"; then
	skip capabilities "$(cat "$T/err")"
	exit 0
fi
mkdir "$T/stap"
cp -r "$TOP/tapsets" "$T/"
sed 's/off-cpu/leak/g' "$TOP/stap/off-cpu.stp" >"$T/stap/good"
{ cat "$T/stap/good" && echo '// not for everybody'; } >"$T/secret"
chmod 600 "$T/secret"
chmod -R a+rX "$T/tapsets" "$T/stap"
timeout 60 sh -c 'cd "$0" && while :; do
	ln -sf good 1 && mv -T 1 leak.stp
	ln -sf ../secret 2 && mv -T 2 leak.stp
done' "$T/stap" &
swapping=$!
at_end 'kill $swapping 2>/dev/null; wait $swapping'

printed=0
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40; do
	setpriv --reuid nobody --regid nogroup --clear-groups env FLAMETAP_DATADIR="$T" \
		"$T/sample-bt" --engine stap --script leak -a -d >"$T/out" 2>"$T/err" || :
	! grep -q 'Wakeups\|probe ' "$T/out" || printed=$((printed + 1))
	! grep -q 'not for everybody' "$T/out" || break
done
check 'scripts are printed' test "$printed" -gt 0
check 'none that the user may not read' sh -c "! grep -q 'not for everybody' '$T/out'"
