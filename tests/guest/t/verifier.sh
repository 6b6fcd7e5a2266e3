#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# verifier: does this kernel accept the BPF programs of this build for every kind of recording, and how far are they from the 1,000,000
# instructions that its verifier processes at most? The first tier tries the kinds that contain most of what the others verify on Linux 5,
# whose verifier refuses the most, and the main ones on others; check-all tries all, and objects of other compilers. Objects that the kernel
# accepted once are not tried again.
# suites: sid trixie bookworm bullseye
# engine: bpf
# guest: own
set -eu
. /lab/guest.sh

most=500000
case $(uname -r) in
5.*) kinds=most ;;
*) kinds=main ;;
esac
[ -z "${CHECK_ALL-}" ] || kinds=''

prepare() {
	:
}

# figures FILE: prints "KIND N, KIND N, …" with the instructions of the largest program of each kind of recording
figures() {
	awk '!/^#/ && $3 ~ /^[0-9]+$/ { if (!($1 in most)) kind[++nr] = $1; if ($3 + 0 > most[$1] + 0) most[$1] = $3 }
		END { for (i = 1; i <= nr; i++) printf "%s%s %d", (i > 1 ? ", " : ""), kind[i], most[kind[i]]; print "" }' "$1"
}

# key OBJECT: prints the name of the file that is there if this kernel has taken the object
key() {
	{ cat /lab/files/verify "$1" /proc/version; echo "$kinds"; } | sha256sum | cut -d' ' -f1
}

# verified OBJECTS NAME: loads the programs for a PID namespace, which takes more instructions; any namespace number will do, because the
# programs are only loaded
verified() {
	rm -rf "$T/new"
	mkdir "$T/new"
	for object in "$1".*.o; do
		[ -f "/lab/verified/$(key "$object")" ] || ln -s "$object" "$T/new/${object##*/}"
	done
	objects=$(cd "$T/new" && ls)
	if [ -z "$objects" ]; then
		ok "$2: every kind of recording is taken, as before"
		return
	fi
	/lab/files/verify "$T/new/${1##*/}" 1 $kinds >"$T/figures" 2>&1 && status=0 || status=$?
	echo "# $(uname -r) | $2 | $(figures "$T/figures")"
	refused=$(grep ' refused ' "$T/figures" || :)
	check_eq "$2: every kind of recording is taken" '0' "$status$refused"
	large=$(awk -v most=$most '!/^#/ && $3 ~ /^[0-9]+$/ && $3 + 0 >= most' "$T/figures")
	check_eq "$2: below half of the limit" '' "$large"
	[ "$status" = 0 ] || note "$T/figures"
	[ "$status,$refused,$large" = '0,,' ] || return 0
	for object in $objects; do : >"/lab/out/verified/$(key "$T/new/$object")"; done
}

# Linux 5 refuses the most: there the programs of all compilers are tried. Linux 6 tries the programs of the oldest compiler, which take the
# most instructions, and the newest kernel tries the programs of the newest compiler.
in_guest() {
	verified /lab/files/this 'this build'
	set -- /lab/files/clang-*.on_cpu.o
	[ -f "$1" ] || return 0
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

guest_main "$@"
