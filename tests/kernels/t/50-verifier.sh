#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 50-verifier: does this kernel take the BPF programs as each compiler makes them, for every kind of recording, and how far are they from
# the 1,000,000 instructions that its verifier processes at most?
# vm-limit: 900
# vm-weight: 75
set -eu
. /lab/lib.sh

most=500000

prepare() {
	[ -x /lab/files/verify ] || skip_all 'not made: tests/kernels/run makes the programs'
}

# figures FILE: "KIND N, KIND N, …": the largest program of each kind of recording
figures() {
	awk '!/^#/ && $3 ~ /^[0-9]+$/ { if (!($1 in most)) kind[++nr] = $1; if ($3 + 0 > most[$1] + 0) most[$1] = $3 }
		END { for (i = 1; i <= nr; i++) printf "%s%s %d", (i > 1 ? ", " : ""), kind[i], most[kind[i]]; print "" }' "$1"
}

# kinds FILE PATTERN: how many kinds of recordings have a line that matches
kinds() {
	grep -E "$2" "$1" | cut -d' ' -f1 | sort -u | wc -l
}

# verified OBJECTS NAME: for a PID namespace, which takes more instructions; any number will do, as the programs are only loaded
verified() {
	/lab/files/verify "$1" 1 >"$T/figures" 2>&1 && status=0 || status=$?
	echo "# $(uname -r) | $2 | $(figures "$T/figures")"
	check_eq "$2: every kind of recording is taken" '16 taken, 0 refused' \
		"$(kinds "$T/figures" ' (on_tick|on_switch|on_trace_exit|on_free|on_pool_created) ') taken, $(kinds "$T/figures" ' refused ') refused"
	[ "$status" = 0 ] || note "$T/figures"
	check_eq "$2: below half of the limit" '' "$(awk -v most=$most '!/^#/ && $3 ~ /^[0-9]+$/ && $3 + 0 >= most' "$T/figures")"
}

# Linux 5 refuses the most: there the programs of all compilers are tried, on 6 those of the oldest, which take the most instructions, and
# on the newest kernel those of the newest.
in_guest() {
	set -- /lab/files/clang-*.on_cpu.o
	case $(uname -r) in
	5.*) ;;
	6.*) set -- "$1" ;;
	*) shift $(($# - 1)) ;;
	esac
	for object; do
		objects=${object%.on_cpu.o}
		verified "$objects" "${objects##*/}"
	done
}

vm_main "$@"
