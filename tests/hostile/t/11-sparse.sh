#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sparse: files of 1 TB, nearly all of them a hole, whose headers claim that the whole file is tables, or that there are 12 million
# sections. The amount that is read of them, and the memory for it, are bounded.
set -eu
. "$TOP/tests/hostile/lib.sh"

chmod 711 "$T_top" "$T"
# sparse SECTIONS FIRST: prints the header, 65,534 program headers, some of which are usable, and .dynsym with its names; with SECTIONS 0
# the size of the first section, FIRST, tells the number of sections
sparse() {
	perl -e '
	my ($tb, $table, $sections, $first) = (1 << 40, 1 << 24, @ARGV);
	print "\x7fELF", pack("C12 v v V Q3 V v6", 2, 1, 1, (0) x 9, 3, 62, 1, 0, 64, $table, 0, 64, 56, 65534, 64, $sections, 2);
	print pack("V2 Q6", 1, 5, 0, 0, 0, $tb, $tb, 4096), pack("V2 Q6", 4, 4, 0x10000, 0x10000, 0x10000, $tb - 0x10000, $tb - 0x10000, 4);
	print pack("V2 Q6", 4, 4, 0x10000, 0x10000, 0x10000, $tb - 0x10000, $tb - 0x10000, 4) x 2000;
	seek STDOUT, $table, 0;
	print pack("x32 Q x24", $first), pack("V2 Q4 V2 Q2", 1, 11, 2, 0, $table * 2, 24 << 34, 2, 0, 8, 24);
	print pack("V2 Q4 V2 Q2", 9, 3, 0, 0, $table + 192, 64, 0, 0, 1, 0), "\0.dynsym\0.shstrtab\0", "x" x 64;
	truncate STDOUT, $tb or exit 1' "$@"
}
if ! sparse 3 0 >"$T/tables.so"; then
	skip 'sparse files' 'no files of 1 TB here'
	exit 0
fi
sparse 0 12000000 >"$T/sections.so"
chmod 644 "$T"/*.so
cp "$CASES/mapped" "$T/"

# measure NAME OPTION…: checks that a recording ends, is written to its end, and takes bounded memory
measure() {
	name=$1
	shift
	kib=$(memory_of timeout -s KILL 300 "$BIN" --engine bpf --min-quality 1 "$@" -t 1 -o "$T/$name.rec")
	note "$T/memory.err"
	check "$name: it ends, with a recording" grep -q '^end ' "$T/$name.rec"
	check "$name: memory, $kib KiB" test "$kib" -le 600000
}

start spinning "$T/mapped" "$T/tables.so"
tables=$target
measure tables -u -p "$tables"
start spinning "$T/mapped" "$T/sections.so"
measure sections -u -p "$target"
check 'samples' grep -q '^stack' "$T/sections.rec"
measure perl --perl -a
kill "$tables" "$target"
