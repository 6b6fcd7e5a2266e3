# SPDX-License-Identifier: GPL-2.0-or-later
# The states of waits, and version 1 of the recording format.
set -eu

. "$TOP/tests/views/lib.sh"

# the states of waits in the legend, with the weight of the functions that wait
printf 'main;work;futex_k;[sleeping] 60\nmain;work;[preempted] 30\nmain;work 10\n' >"$T/states.folded"
for option in '' --reverse; do
	# shellcheck disable=SC2086 # none or one
	view states.svg bt-flame $option "$T/states.folded"
	check_eq "states: legend ${option:-as it is}" 'user 100.00 % [sleeping] 60.00 % [preempted] 30.00 %' \
		"$(view_legend states.svg | xargs)"
	view states.csv bt-report $option "$T/states.folded"
	check_eq "states: table ${option:-as it is}" 'futex_k,,60 work,,40 main,,0' "$(sed 1d "$T/states.csv" | cut -d, -f1-3 | xargs)"
done

# Version 1 of the format gives the same result as the current version.
for old in "$TOP/tests/golden/recording/version1-off-cpu.in" "$TOP/tests/golden/recording/tags.in"; do
	name=version1-$(basename "$old" .in)
	cp "$old" "$T/$name.rec"
	write "$name" "$T/$name.rec"
	view now.rec bt-resolve "$old"
	write now "$T/now.rec"
	for file in "$T/now".*; do
		case $file in *.rec) continue ;; *.diff.svg) sed -i "s/now\.rec/$name.rec/g" "$file" ;; esac
		check "$name: the same as version 2: ${file##*/now.}" cmp "$file" "$T/$name.${file##*/now.}"
	done
	write states "$T/now.rec" --by state --tag S,R
	check "$name: the picture of states is well-formed" xmllint --noout --huge "$T/states.svg"
	rm -f "$T/now".*
done
