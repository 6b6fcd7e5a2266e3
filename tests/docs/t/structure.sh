# SPDX-License-Identifier: GPL-2.0-or-later
# Which files include which, and the sizes of functions and folders.
set -eu

. "$TOP/tests/lib.sh"
cd "$TOP"
find src -name '*.[ch]' | LC_ALL=C sort >"$T/files"
check_eq 'includes, guards, names of structures, length of functions' '' \
	"$(xargs awk -f tests/docs/structure.awk tests/docs/includes <"$T/files")"
check_eq 'no two files of one name' '' "$(sed 's,.*/,,' "$T/files" | sort | uniq -d | tr '\n' ' ')"
check_eq 'folders with more than 26 modules' '' "$(sed 's,/[^/]*$,,' "$T/files" | uniq -c | awk '$1 > 52 {print $2}')"
