#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# files: programs that stap does not find by their path, or whose unwind information it ignores: deleted, in a root of their own, with a
# blank in the name, linked by lld; a static program; a command recorded from its first instruction; a thread; several processes.
# tier: all
set -eu
. /lab/guest.sh
. /lab/record.sh

work=/lab/made/files
programs=$work/programs

start_deleted() {
	cp -p "$programs/deep" "$work/gone"
	lab_start "$work/gone" 900 30
	rm "$work/gone"
}

start_two() {
	lab_start "$programs/deep" 900 30
	second=$target
	lab_start "$programs/ladder" 900 2
}

finish_two() {
	lab_finish
	target=$second
	lab_finish
}

# as if lld had linked it: .eh_frame gets the section type X86_64_UNWIND
hide_eh_frame() {
	perl -e '
		my ($from, $to) = @ARGV;
		open my $in, "<:raw", $from or die; local $/; my $elf = <$in>;
		my $shoff = unpack "Q<", substr $elf, 0x28, 8;
		my ($size, $nr, $str) = unpack "S<3", substr $elf, 0x3a, 6;
		my $names = unpack "Q<", substr $elf, $shoff + $str * $size + 0x18, 8;
		for my $i (0 .. $nr - 1) {
			my $at = $shoff + $i * $size;
			my $name = unpack "Z*", substr $elf, $names + unpack "L<", substr $elf, $at, 4;
			substr $elf, $at + 4, 4, pack "L<", 0x70000001 if $name eq ".eh_frame";
		}
		open my $out, ">:raw", $to or die; print $out $elf;' "$1" "$2"
	chmod 755 "$2"
}

# a root folder of its own, where the same path is another file
make_root() {
	mkdir -p "$work/root/usr/bin" "$work/root/lib64" "$work/root/lib/x86_64-linux-gnu"
	cp -p "$programs/deep" "$work/root/usr/bin/dd"
	cp -p /lib64/ld-linux-x86-64.so.2 "$work/root/lib64/"
	cp -p /lib/x86_64-linux-gnu/libc.so.6 "$work/root/lib/x86_64-linux-gnu/"
}

prepare() {
	sh /lab/programs/build "$programs"
	cc -O2 -static -fomit-frame-pointer -fno-optimize-sibling-calls -o "$programs/static" /lab/programs/deep.c
	mkdir -p "$work/a b"
	cp -p "$programs/deep" "$work/a b/it's"
	hide_eh_frame "$programs/deep" "$work/hidden"
	touch -r "$programs/deep" "$work/hidden"
	make_root
	each_file record_prepare
	start_deleted
	lab_record -F 200 -p "$target" -u
	lab_finish
	start_two
	lab_module tid -F 200 --tid "$target" -u
	lab_module list -F 200 -p "$target,$second" -u
	finish_two
	lab_module command -F 200 -u -- "$programs/deep" 4 30
}

# each_file FUNCTION: calls FUNCTION NAME for each of the programs while it runs
each_file() {
	start_deleted; "$1" deleted; lab_finish
	lab_start "$work/a b/it's" 900 30; "$1" blank; lab_finish
	lab_start "$work/hidden" 900 30; "$1" lld; lab_finish
	lab_start "$programs/static" 900 30; "$1" static; lab_finish
	lab_start chroot "$work/root" /usr/bin/dd 900 30; "$1" root; lab_finish
}

record_prepare() {
	lab_module "$1" -F 200 -p "$target" -u
}

recorder() {
	lab_module "$record_name" -u "$@"
}

# record_file NAME: records for as long as it takes to get 100 samples
record_file() {
	record "$1" -p "$target" -t 4
	check_eq "$1: exit code" 0 "$status"
	grep -a '^sample-bt' "$T/$1.err" | note
	lab_keep "$T/$1".*
	good=$(awk '/^_start;.*(;down){30}(;work)? [0-9]+$/ { n += $NF } END { print n + 0 }' "$T/$1.folded")
	all=$(weight "$T/$1.folded")
	check "$1: samples" test "$all" -ge 100
	few "$1: stacks that are not whole" $((all - good)) "$all"
}

# recorded by the command that made it, from stap's cache; it was once seen to be compiled again, so a second try is allowed
from_cache() {
	start_deleted
	for _ in 1 2; do
		lab_record -v -F 200 -p "$target" -u -t 2 >"$T/cached.out" 2>"$T/cached.err" && status=0 || status=$?
		! grep -q 'Pass 4: using cached' "$T/cached.err" || break
	done
	lab_finish
	check_eq 'deleted, by stap: exit code' 0 "$status"
	check 'deleted, by stap: from its cache' grep -q 'Pass 4: using cached' "$T/cached.err"
}

in_guest() {
	each_file record_file
	from_cache

	start_two
	thread=$target
	expect_record tid 0 --tid "$target" -t 4
	expect_record list 0 -p "$target,$second" -t 4
	finish_two
	check_eq 'one thread: only that one' "$thread" "$(awk '$1 == "task" { print $4 }' "$T/tid.rec")"
	check_eq 'a list: three threads' 3 "$(grep -c '^task ' "$T/list.rec")"
	check 'a list: the name is the root' grep -q '^ladder;' "$T/list.folded"
	lab_keep "$T"/tid.* "$T"/list.*

	expect_record command 0 -- "$programs/deep" 4 30
	lab_keep "$T"/command.*
	check 'a command: its work is seen' grep -q '^_start;.*;down;work' "$T/command.folded"
	check 'a command: from its beginning' grep -qE '_dl_|ld-linux' "$T/command.folded"
}

guest_main "$@"
