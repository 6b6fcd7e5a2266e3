#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# limits: 512 frames, 20,000 different stacks, a table that is too small, a library that is loaded late.
# tier: all
set -eu
. /lab/guest.sh
. /lab/record.sh

programs=/lab/made/limits/programs

prepare() {
	sh /lab/programs/build "$programs"
	lab_start "$programs/deep" 600
	lab_module deep -F 50 -p "$target" -u
	lab_finish
	lab_start "$programs/many" 600 17 2
	lab_module many -F 997 --stacks 60000 -p "$target" -u
	lab_module small -F 997 --stacks 4096 -p "$target" -u
	lab_finish
	lab_start "$programs/late" "$programs/liblate.so" 600
	lab_module late -F 200 -p "$target" -u
	lab_finish
}

recorder() {
	lab_module "$record_name" -u -p "$target" "$@"
}

in_guest() {
	lab_start "$programs/deep" 3000
	for seconds in 10 40 160; do
		expect_record deep 0 -t "$seconds"
		[ "$(weight "$T/deep.folded")" -lt 400 ] || break
	done
	lab_finish
	few 'deep: stacks without 512 calls' \
		"$(awk '{ n = gsub(/;down/, "&"); if (n != 512 || $0 !~ /^_start;/) bad += $NF } END { print bad + 0 }' "$T/deep.folded")" "$(weight "$T/deep.folded")"

	lab_start "$programs/many" 3000 17 2
	# how many samples a second makes depends on the emulator; there is room for 60,000
	seconds=50
	for _ in 1 2 3; do
		expect_record many 0 -t "$seconds"
		different=$(grep -c ^ "$T/many.folded")
		[ "$different" -le 20000 ] || break
		seconds=$((seconds * 25000 / (different + 1) + 1))
	done
	echo "# $different different stacks of $(weight "$T/many.folded") samples"
	check 'many: 20,000 different stacks' test "$different" -gt 20000
	check 'many: none lost' grep -qE 'kept, 0 lost' "$T/many.err"

	for seconds in 10 40 160; do
		expect_record small 0 -t "$seconds"
		rows=$(grep -c '^row ' "$T/small.rec")
		lost=$(awk '$1 == "lost" && $2 == "table-full" { print $3 }' "$T/small.rec")
		[ "${lost:-0}" -le 1000 ] || break
	done
	lab_finish
	echo "# $rows rows, ${lost:-0} events lost"
	check_eq 'small: the table is full to the brim' 4096 "$rows"
	check 'small: the loss is counted' test "${lost:-0}" -gt 1000
	few 'small: what is kept and not whole' \
		"$(rootless "$T/small.folded")" "$(weight "$T/small.folded")"

	lab_start "$programs/late" "$programs/liblate.so" 600
	begin_record late -t 8
	kill -USR1 "$target"
	end_record
	note "$T/late.err"
	check_eq 'late: exit code' 0 "$status"
	lab_finish
	lab_keep "$T"/late.* "$T"/deep.rec
	whole=$(awk '/^_start;.*late_work/ { n += $NF } END { print n + 0 }' "$T/late.folded")
	cut=$(awk '/^\[truncated: liblate\.so\];late_work/ { n += $NF } END { print n + 0 }' "$T/late.folded")
	other=$(awk '/late_work/ && !/^_start;/ && !/^\[truncated: liblate\.so\]/ { n += $NF } END { print n + 0 }' "$T/late.folded")
	echo "# through the late library: $whole whole, $cut counted as truncated, $other else"
	check 'late: its library is seen' test $((whole + cut)) -gt 0
	few 'late: what is neither whole nor named' "$other" "$(weight "$T/late.folded")"
}

guest_main "$@"
