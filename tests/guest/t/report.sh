#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# report: a recording of a working perl, into a report folder.
# tier: all
set -eu
. /lab/guest.sh

prepare() {
	lab_start perl /lab/programs/work.pl 900
	lab_module both -F 199 -p "$target"
	lab_finish
}

in_guest() {
	lab_start perl /lab/programs/work.pl 900
	lab_module both -p "$target" -t 6 --report "$T/report" 2>"$T/err" && ok 'a report is written' || not_ok 'a report is written' "exit $?"
	lab_finish
	note "$T/err"
	for file in profile.rec flame.svg callers.svg profile.csv summary.csv profile.bt profile.folded profile.json run.txt; do
		check "$file" test -s "$T"/report/*/$file
	done
	check_eq 'only for its user' 700 "$(stat -c %a "$T"/report/*)"
	lab_keep "$T"/report/*/*
}

guest_main "$@"
