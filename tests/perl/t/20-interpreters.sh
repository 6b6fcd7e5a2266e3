#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 20-interpreters: a program that knows its own stacks, on the perls of this system and of Debian's other releases, with and without their
# debug files; in a program that is linked with libperl; with the kernel's stacks.
# tier: all
set -u
. "$TOP/tests/perl/lib.sh"
. "$TOP/tests/roots.sh"

# both NAME ROOT PERL: runs with perl's debug file, if there is one, and in a system without it
both() {
	perl=$3
	situations "$1" "$2" 20
	situations "$1, mixed" "$2" 20 --mixed
	case $(known_by "$2" "$3") in
	*debug*) ;;
	*)
		skip "$1: without debug file" 'none is found that can be read without rights'
		return
		;;
	esac
	recorder() {
		unshare -m sh -c 'mount -t tmpfs tmpfs "$1" && shift && exec "$@"' sh "$without/usr/lib/debug" "$bin/pl-sample-bt" --engine bpf "$@"
	}
	without=$2
	situations "$1, without debug file" "$2" 20
	recorder() {
		"$bin/pl-sample-bt" --engine bpf "$@"
	}
}

# A program that is not perl, and is linked with libperl.
embedded() {
	core=$(perl -MConfig -e 'print "$Config{archlibexp}/CORE"')
	library=$(ldconfig -p | sed -n "s/.*libperl[.]so[.]$(perl -e 'printf "%d.%d", $] =~ /(\d+)[.]0*(\d\d)/').* => //p" | head -n 1)
	if [ -z "$library" ] || [ ! -f "$core/perl.h" ]; then
		skip embedded 'no libperl.so, or no headers'
	elif cc -O1 -w -D_GNU_SOURCE -D_REENTRANT -D_FILE_OFFSET_BITS=64 -I"$core" -o "$T/embed" \
		"$TOP/tests/layout/perl_embed.c" "$library" 2>"$T/cc"; then
		perl=$T/embed
		situations embedded '' 20
		situations 'embedded, mixed' '' 20 --mixed
	else
		not_ok embedded 'does not compile'
		head -n 5 "$T/cc" | note
	fi
}

both here '' perl
perl=perl
situations 'with kernel stacks' '' 20 -k
forks=later
situations children '' 20 --children
forks=''
perl=debugperl
if command -v debugperl >/dev/null; then situations debugperl '' 20; else skip debugperl 'not installed'; fi
embedded
for suite in trixie sid; do
	if perl_root "$suite"; then both "$suite" "$root" /usr/bin/perl; else skip "$suite" "$no_root"; fi
done
