#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sparse: a file of 1 TB, nearly all of it a hole, whose headers claim that all of it is tables. What is read of it is bounded.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/hostile/lib.sh"

chmod 711 "$T_top" "$T"
# the header, 65,534 program headers, of which some are of use, and .dynsym with its names
perl -e '
	my ($tb, $table) = (1 << 40, 1 << 24);
	print "\x7fELF", pack("C12 v v V Q3 V v6", 2, 1, 1, (0) x 9, 3, 62, 1, 0, 64, $table, 0, 64, 56, 65534, 64, 3, 2);
	print pack("V2 Q6", 1, 5, 0, 0, 0, $tb, $tb, 4096), pack("V2 Q6", 4, 4, 0x10000, 0x10000, 0x10000, $tb - 0x10000, $tb - 0x10000, 4);
	print pack("V2 Q6", 4, 4, 0x10000, 0x10000, 0x10000, $tb - 0x10000, $tb - 0x10000, 4) x 2000;
	seek STDOUT, $table, 0;
	print pack("x64"), pack("V2 Q4 V2 Q2", 1, 11, 2, 0, $table * 2, 24 << 34, 2, 0, 8, 24);
	print pack("V2 Q4 V2 Q2", 9, 3, 0, 0, $table + 192, 64, 0, 0, 1, 0), "\0.dynsym\0.shstrtab\0", "x" x 64;
	truncate STDOUT, $tb' >"$T/sparse.so" || {
	echo 'skip hostile/11-sparse: no files of 1 TB here'
	exit 0
}
chmod 644 "$T/sparse.so"
cp "$CASES/mapped" "$T/"
as_nobody "$T/mapped" "$T/sparse.so" >"$T/out" &
target=$!
until_true 30 grep -q spinning "$T/out" || note "$T/out"
for how in "-u -p $target" '--perl -a'; do
	name=with${how%% *}
	began=$(date +%s)
	# shellcheck disable=SC2086 # options
	kib=$(memory_of timeout -k 1 60 "$BIN" --engine bpf --min-quality 1 $how -t 2 -o "$T/$name.rec")
	note "$T/memory.err"
	check "$name: seconds" at_least 40 $(($(date +%s) - began))
	check "$name: memory, $kib KiB" at_least 600000 "$kib"
done
check 'samples' at_least "$(grep -c '^stack' "$T/with-u.rec")" 1
kill $target
