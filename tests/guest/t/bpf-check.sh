#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bpf-check: what --check reports for the built-in engine on this kernel is what happens, for each kind of recording, and for a user without
# rights. Most kinds are recorded by the other tests, on the same kernels.
# suites: sid trixie bookworm bullseye
# engine: bpf
# tier: all
set -eu
. /lab/guest.sh
. /lab/record.sh

BIN=sample-bt

prepare() {
	check 'perl runs' perl -e 1
}

# said NAME ARG…: runs --check; its output is in $T/NAME.said, its exit code in $status. Runs it once more, as it asks for, if its trial met
# no tick.
said() {
	said_name=$1
	shift
	for _ in 1 2 3 4; do
		sample-bt --check --engine=bpf "$@" >"$T/$said_name.said" 2>&1 && status=0 || status=$?
		grep -q 'try again when the machine is less busy' "$T/$said_name.said" || break
	done
}

# would_work OPTION…: checks that --check reports that it works, by a trial
would_work() {
	name=${*%" -p $target"}
	said "$name" "$@"
	check_eq "$name: it would work" '0 a recording would work' "$status $(tail -n 1 "$T/$name.said" | sed 's/,.*//')"
	grep -a '^[a-z]* *trial ' "$T/$name.said" | note
	check "$name: a trial with whole stacks" \
		awk '$1 == "found" && $2 == "trial" && $3 + 0 > 0 && $8 * 5 >= $3 * 4 { found = 1 } END { exit !found }' "$T/$name.said"
}

# works OPTION…: checks the same, and that a recording works
works() {
	would_work "$@"
	record "$name" -t 3 "$@"
	check_eq "$name: it works" 0 "$status"
	check "$name: with samples" test "$(weight "$T/$name.folded")" -gt 0
}

# Checks a user without the right to load programs.
does_not_work() {
	setpriv --reuid plain --clear-groups sample-bt --check --engine=bpf -u -p "$target" >"$T/plain.said" 2>&1 && status=0 || status=$?
	check_eq 'without rights: it cannot work' '2 a recording cannot work' "$status $(sed -n '$s/:.*//p' "$T/plain.said")"
	check_eq 'without rights: nothing is tried' '' "$(grep trial "$T/plain.said")"
	setpriv --reuid plain --clear-groups sample-bt --engine=bpf -u -p "$target" -t 1 >"$T/plain.out" 2>&1 && status=0 || status=$?
	check_eq 'without rights: it does not work' 2 "$status"
}

# The target suits every kind: Perl that computes, makes system calls and waits.
in_guest() {
	# shellcheck disable=SC2016
	lab_start perl -e 'open my $zero, "<", "/dev/zero";
		while (1) { sysread $zero, my $bytes, 1 << 20; 1 for 1 .. 10_000; select undef, undef, undef, 0.01 }'
	for kind in -u -k '-u --children' --perl --mixed '--script off-cpu -uk'; do
		# shellcheck disable=SC2086 # words of options
		would_work $kind -p "$target"
	done
	works --script off-cpu --mixed -p "$target"
	would_work -a
	does_not_work
	lab_finish
}

guest_main "$@"
