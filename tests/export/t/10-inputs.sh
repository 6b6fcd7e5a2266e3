# SPDX-License-Identifier: GPL-2.0-or-later
# Inputs of every kind, and inputs with many, long or strange names.
set -eu

. "$TOP/tests/export/lib.sh"

for name in folded/csv-quoting folded/demangle folded/edges folded/escapes folded/json-strings folded/notes folded/plain \
	folded/recursion folded/resolve folded/top folded/utf8 recording/demangle recording/mixed recording/perl recording/plain \
	recording/poor recording/slices recording/tags recording/version1-off-cpu recording/labels stap/demangle-apart stap/fileline stap/kernel-user stap/libstdcxx stap/notes stap/operator \
	stap/same-name-two-modules; do
	same "$name" "$TOP/tests/golden/$name.in"
done
"$generate" folded 3000000 20000 >many.folded
same 'many stacks' many.folded
# the longer the name, the more has to be escaped in it
printf 'main;%s;f 3\n' "$(head -c 700000 /dev/zero | tr '\0' '\303')" >wide.folded
same 'a name of 700,000 bytes that are not UTF-8' wide.folded
printf 'main;function_one;function_\000;function_three 5\nmain;\\x00;\\x1b[2J 4\n' >control.folded
same 'names with NUL' control.folded
: >none
same 'nothing' none
if [ -n "$pprof" ]; then
	check_eq 'pprof: nothing has a unit' 'samples/count / period 0 time 0 duration 0' "$(read_as stacks out.pb.gz)"
fi
