# SPDX-License-Identifier: GPL-2.0-or-later
# The preflight as a user without rights, and files that are not profiles.
set -eu

. "$TOP/tests/live/lib.sh"

# the preflight as a user without rights
if [ "$(id -u)" = 0 ]; then
	setpriv --bounding-set=-sys_module --inh-caps=-sys_module "$BIN" --check -u >stdout && status=0 || status=$?
	check_eq 'check: no right to load modules' 2 "$status"
	check 'check: says which right' grep -q '^missing  *rights .*CAP_SYS_MODULE' stdout
	setpriv --reuid nobody --clear-groups "$BIN" --check --json >stdout && status=0 || status=$?
	check_eq 'check: not root' 2 "$status"
	check 'check: json' python3 -c 'import json; d = json.load(open("stdout")); assert not d["works"] and [c for c in d["checks"] if c["name"] == "rights" and c["state"] == "missing"]'
else
	skip check 'needs root, to give up rights'
fi

# a file that is not a profile is rejected, and the message names it
printf '\037\213\010\000garbage' >packed
"$bin/bt-collapse" packed >stdout 2>stderr && status=0 || status=$?
check_eq 'packed: exit code' 2 "$status"
check 'packed: says so' grep -q 'the compressed data' stderr
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "%c", 1 + (i * 7919) % 31 }' >binary
"$bin/bt-report" binary >stdout 2>stderr && status=0 || status=$?
check_eq 'binary: exit code' 2 "$status"
check 'binary: says so' grep -q 'it is binary' stderr
