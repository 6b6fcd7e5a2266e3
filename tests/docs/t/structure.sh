# SPDX-License-Identifier: GPL-2.0-or-later
# Which files include which, and the sizes of functions and folders.
set -eu

. "$TOP/tests/lib.sh"
cd "$TOP"
find src -name '*.[ch]' | LC_ALL=C sort >"$T/files"
check_eq 'includes, guards, names of structures, length of functions' '' \
	"$(xargs awk -f tests/docs/structure.awk tests/docs/includes <"$T/files")"
# a header that needs another one includes it
grep -E '/kern/|_bpf\.h$' "$T/files" | while read -r header; do
	${CLANG:-clang} -target bpf -D__x86_64__ -Isrc -idirafter "/usr/include/$(cc -print-multiarch)" -fsyntax-only \
		-x c "$header" 2>&1 | grep -E ': (fatal )?error: ' | head -n 1
done >"$T/alone"
check_eq 'headers of BPF programs can be compiled alone' '' "$(cat "$T/alone")"
# a compiler need not inline them, and cannot compile such functions for BPF
cat "${MADE%/tests/*}"/bpf/*.d | grep -o 'src/[^ :]*' | sort -u | xargs grep -nE '^static inline (struct|union) [a-z_]+ [a-z]' >"$T/returned" || :
check_eq 'functions of BPF programs that return structures are always inlined' '' "$(cat "$T/returned")"
check_eq 'no two files of one name' '' "$(sed 's,.*/,,' "$T/files" | sort | uniq -d | tr '\n' ' ')"
check_eq 'folders with more than 26 modules' '' "$(sed 's,/[^/]*$,,' "$T/files" | uniq -c | awk '$1 > 52 {print $2}')"
