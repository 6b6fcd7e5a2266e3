# SPDX-License-Identifier: GPL-2.0-or-later
# rss.sh: functions for the tests of resident memory, on this machine and in guests. GROW is the program tests/programs/grow.c, each of whose
# functions grows by $N pages. They need record.sh.

# tells_each_page: checks whether this kernel tells of each change
tells_each_page() {
	printf '6.2\n%s\n' "$(uname -r)" | sort -VC
}

# held_by WHAT: prints what the target holds, in bytes: Rss, Anonymous, as the kernel counts when it looks at each page
held_by() {
	awk -v what="$1:" '$1 == what { print $2 * 1024 }' "/proc/$target/smaps_rollup"
}

# grown NAME: prints "FUNCTION BYTES" for the functions of GROW in a recording, sorted, without the pages of libraries that they use
grown() {
	{
		"${BIN%/*}/bt-collapse" --label memory=anon "$T/$1.rec" 2>/dev/null | functions_grown 'touch|fill|populate|born'
		functions_grown 'share|load' <"$T/$1.folded"
	} | sort
}

functions_grown() {
	sed -nE "s/^.*;main;(spawn;)?($1)(;.*)? ([0-9]+)\$/\2 \4/p" | awk '{ sum[$1] += $2 } END { for (i in sum) print i, sum[i] }'
}

# all_grown [FUNCTION…]: prints what GROW makes it larger by, and children in FUNCTION, in this form
all_grown() {
	for function in fill load populate share touch "$@"; do echo "$function $((4096 * N))"; done | sort
}

# batches_grown NAME: checks that each of these sums is right but for up to 65 pages at its beginning and at its end, which an older kernel
# counts for the function before or after it
batches_grown() {
	all_grown >"$T/want"
	grown "$1" | awk -v most=$((65 * 4096)) 'NR == FNR { want[$1] = $2; next } { is[$1] = $2 }
		END { for (i in want) if ((is[i] - want[i]) ^ 2 > most ^ 2) exit 1 }' "$T/want" -
}
