# SPDX-License-Identifier: GPL-2.0-or-later
# mmap.sh: functions for the tests of mappings, on this machine and in guests. MAPS is the program tests/programs/maps.c, whose functions map
# $N pages and more. They need record.sh.

# ranges NAME EVENT: prints "FUNCTION BYTES" for the functions of MAPS in a recording, sorted
ranges() {
	"${BIN%/*}/bt-collapse" --event "$2" "$T/$1.rec" 2>/dev/null |
		sed -nE 's/^.*;(keep|drop|trim|hollow|replaced|tail|front|outer|inner|moved|larger|heap|load)(;[^; ]*)* ([0-9]+)$/\1 \3/p' |
		awk '{ sum[$1] += $2 } END { for (i in sum) print i, sum[i] }' | sort
}

# in_pages FUNCTION NUMBER…: prints "FUNCTION BYTES" for NUMBER times $N pages each
in_pages() {
	while [ $# -gt 0 ]; do
		echo "$1 $(($2 * N * 4096))"
		shift 2
	done | sort
}

# mapped_bytes, held_ranges: print what MAPS maps, and what it has at the end, in this form
mapped_bytes() {
	in_pages keep 1 drop 1 trim 3 hollow 3 replaced 3 tail 1 front 1 outer 4 inner 2 moved 1 larger 2 heap 2 load 1
}

held_ranges() {
	in_pages keep 1 trim 1 hollow 2 replaced 1 tail 1 front 1 larger 1 heap 1 load 1
}
