#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# reuse: all children of a command have the same PID. The frames of each child get the names of its own program.
set -eu
. "$TOP/tests/hostile/lib.sh"

cp "$CASES/reuse" "$T/first"
cp "$CASES/reuse" "$T/second"
recorder_bin=$BIN
BIN=$T/in-namespace
cat >"$BIN" <<END
#!/bin/sh
exec unshare --pid --fork --mount-proc --kill-child "$recorder_bin" "\$@"
END
chmod +x "$BIN"
expect_record reuse 0 -u -- "$CASES/reuse" 20 "$T/first" "$T/second"
note "$T/reuse.out"
check 'all have the same PID' grep -q '^20 of the same number' "$T/reuse.out"
for name in first second; do
	check "$name: its own function" grep -qE "^$name;.*;spin_$name " "$T/reuse.folded"
done
# each child uses 0.15 s of CPU time; its samples must not be attributed to its predecessor, even if the predecessor's end is noticed late
first=$(weight "$T/reuse.folded" '^first;') second=$(weight "$T/reuse.folded" '^second;')
check "alike: $first and $second samples" test $((first * 2)) -gt "$second" -a $((second * 2)) -gt "$first"
check_eq 'none in the function of the other' 0 "$(weight "$T/reuse.folded" '^(first;.*;spin_second|second;.*;spin_first)[; ]')"
