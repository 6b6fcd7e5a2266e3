# SPDX-License-Identifier: GPL-2.0-or-later
# Perl's structures on the perl of this system and, from the archive, on the perls of Debian's other releases: the table is compared with
# perl's own headers and debug file, and stacks, walked from outside, with the stacks that perl itself reports (perl_workload.pl). Other
# releases, which run as tests/roots.sh tells, and debugperl are for --all: tests/replay has their stacks.
set -u

. "$TOP/tests/lib.sh"
. "$TOP/tests/roots.sh"
stack=$MADE/perl_stack
here=$TOP/tests/layout
export LC_ALL=C

# headers NAME CORE: compares the table's row with these headers
headers() {
	if [ ! -f "$2/perl.h" ]; then
		skip "$1" "no $2/perl.h"
	elif ! cc -O1 -w -D_GNU_SOURCE -D_LARGEFILE_SOURCE -D_FILE_OFFSET_BITS=64 -I"$2" -o "$T/headers" "$here/perl_headers.c" 2>"$T/cc"; then
		not_ok "$1" "does not compile"
		head -n 5 "$T/cc" | note
	else
		"$T/headers" | sort >"$T/by-headers"
		"$stack" shape "$(sed -n 's/^#define PERL_VERSION[[:space:]]*\([0-9]*\).*/\1/p' "$2/patchlevel.h")" | sort >"$T/by-table"
		check "$1" diff "$T/by-table" "$T/by-headers"
	fi
}

# asked WORDS PID: prints the answer of perl_stack
asked() {
	echo "$*" | "$stack"
}

# workload NAME MODE ROOT PROGRAM ARG…: runs perl_workload.pl with the perl in ROOT ("" or a folder), read in MODE ("" or table). Perl 5.42
# may panic by itself at a thread's end; then it runs again.
workload() {
	name=$1 mode=$2 root=$3
	shift 3
	for _ in 1 2 3; do
		work_through "$@" || return
		grep -q '^panic: ' "$T/errors" || break
		note "$T/errors"
	done
	sed "s|^\(not \)\{0,1\}ok perl/|&$name, |" "$T/results" >"$T/named"
	results "$T/named"
	check_eq "perl/$name: exit code" 0 "$status"
	[ "$status" = 0 ] || tail -n 5 "$T/errors" | note
}

# work_through PROGRAM ARG…: runs it once; leaves $status, $T/results and errors
work_through() {
	work=$(mktemp -d "$root/tmp/flametap.XXXXXX") || return
	mkfifo "$work/to" "$work/from"
	cp "$here/perl_workload.pl" "$work"
	"$stack" <"$work/to" >"$work/from" &
	server=$!
	inside=${work#"$root"}
	T=$inside timeout 900 ${root:+chroot "$root"} "$@" "$inside/perl_workload.pl" "$inside/to" "$inside/from" "$mode" \
		>"$T/results" 2>"$T/errors" && status=0 || status=$?
	kill "$server" 2>/dev/null
	wait "$server" 2>/dev/null
	rm -rf "$work"
}

# both NAME ROOT PROGRAM…: runs it with the table, and with the debug file, which must have the same shape
both() {
	of=$1 root=$2
	shift 2
	workload "$of, table" table "$root" "$@"
	: >"$T/pid"
	${root:+chroot "$root"} "$@" -e '$| = 1; print "$$\n"; sleep 100' >"$T/pid" 2>/dev/null &
	sleeper=$!
	until_true test -s "$T/pid"
	asked shape "$(cat "$T/pid")" >"$T/shape"
	kill "$(cat "$T/pid")"
	wait "$sleeper" 2>/dev/null
	if ! grep -q 'by debuginfo' "$T/shape"; then
		skip "perl/$of, debug file" "not installed: $(head -n 1 "$T/shape")"
		return
	fi
	"$stack" shape "$(sed -n 's/^perl 5\.\([0-9]*\).*/\1/p' "$T/shape")" >"$T/by-table"
	sed '1d; /^$/d' "$T/shape" >"$T/by-debuginfo"
	check "perl/$of: debug file and table" diff "$T/by-table" "$T/by-debuginfo"
	workload "$of, debug file" '' "$root" "$@"
}

# A C function is the innermost frame while it runs.
in_c() {
	: >"$T/pid"
	perl -MTime::HiRes -e 'sub waits { Time::HiRes::usleep(60_000_000) } $| = 1; print "$$\n"; waits()' >"$T/pid" &
	sleeper=$!
	until_true test -s "$T/pid"
	await_start "$sleeper"
	check_eq "perl: a function in C" 'XS Time::HiRes::usleep -e:1
main::waits -e:1
main -e:1' "$(asked "$sleeper" | sed '/^$/d')"
	kill "$sleeper"
	wait "$sleeper" 2>/dev/null
}

# A program that is not perl, and is linked with libperl.
embedded() {
	core=$(perl -MConfig -e 'print "$Config{archlibexp}/CORE"')
	library=$(ldconfig -p | sed -n "s/.*libperl[.]so[.]$(perl -e 'printf "%d.%d", $] =~ /(\d+)[.]0*(\d\d)/').* => //p" | head -n 1)
	if [ -z "$library" ] || [ ! -f "$core/perl.h" ]; then
		skip "perl/embedded" "no libperl.so, or no headers"
	elif cc -O1 -w -D_GNU_SOURCE -D_REENTRANT -D_FILE_OFFSET_BITS=64 -I"$core" -o "$T/embed" "$here/perl_embed.c" "$library" 2>"$T/cc"; then
		workload 'embedded' table '' "$T/embed"
	else
		not_ok "perl/embedded" "does not compile"
		head -n 5 "$T/cc" | note
	fi
}

other() {
	if ! perl_root "$1"; then
		skip "perl/$1" "$no_root"
		return
	fi
	headers "perl/$1: table and headers" "$(echo "$root"/usr/lib/*/perl/5.[0-9][0-9]/CORE)"
	if runs perl -e 1; then
		both "$1" "$root" /usr/bin/perl
	else
		skip "perl/$1: stacks" "needs root"
	fi
}

check_eq "no perl" '[no perl there]' "$(asked $$ | sed '/^$/d')"
headers 'perl: table and headers' "$(perl -MConfig -e 'print "$Config{archlibexp}/CORE"')"
both here '' perl
embedded
in_c
[ -n "${CHECK_ALL:-}" ] || exit 0
# a perl built with DEBUGGING
if command -v debugperl >/dev/null; then workload debugperl table '' debugperl; else skip perl/debugperl "not installed"; fi
other trixie
other sid
