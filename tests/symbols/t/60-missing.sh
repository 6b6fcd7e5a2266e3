#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 60-missing: the output of bt-resolve --missing for real recordings: a stripped program, its debug file, a file that is deleted or
# replaced, a package's library, code that a compiler makes at run time. Runs alone or from tests/run.
set -eu
TOP=${TOP:-$(cd "$(dirname "$0")/../../.." && pwd)}
. "$TOP/tests/lib.sh"
. "$TOP/tests/record.sh"
bin=${BINDIR:-bin}
case $bin in /*) ;; *) bin=$TOP/$bin ;; esac
DEBUGINFOD_URLS=''
DEBUGINFOD_CACHE_PATH=$T/cache
export DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
chmod 755 "${T%/*}" # root's files are read by processes that run as nobody

if ! "$bin/sample-bt" --check --engine bpf -u >"$T/check" 2>&1; then
	skip all "nothing can be recorded here: $(grep -v found "$T/check" | head -n 1)"
	exit 0
fi

recorder() {
	"$bin/sample-bt" -q --engine bpf -u --min-quality 0 "$@"
}

# record_command NAME SECONDS COMMAND…: records a part of COMMAND's run and ends it
record_command() {
	command_name=$1 command_seconds=$2
	shift 2
	"$@" >/dev/null 2>&1 &
	target=$!
	record "$command_name" -t "$command_seconds" -p $target
	[ "$status" = 0 ] || note "$T/$command_name.err"
	kill $target 2>/dev/null || :
	wait $target 2>/dev/null || :
}

# missing NAME OPTION…: leaves $T/text, $T/csv and $T/json
missing() {
	missing_name=$1
	shift
	for form in text csv json; do
		option=--$form
		[ $form != text ] || option=''
		# shellcheck disable=SC2086
		"$bin/bt-resolve" --missing $option --min-quality 0 "$@" "$T/$missing_name.rec" >"$T/$form" 2>"$T/err" || note "$T/err"
	done
}

# column NUMBER FILE: prints a column of FILE's row in the CSV; no field before the reason has a comma here
column() {
	awk -F, -v n="$1" -v file="$2" '$1 == file { print $n }' "$T/csv"
}

# says FILE: prints the reason and the remedy in the text, as one line
says() {
	awk -v file="  $1" '
		found && !/^        / { exit }
		found { sub(/^ +/, ""); line = line (line ? " " : "") $0 }
		substr($0, length($0) - length(file) + 1) == file { found = 1 }
		END { print line }' "$T/text"
}

# check_sums NAME: checks that rows and totals in all forms equal the account that bt-report shows
check_sums() {
	"$bin/bt-report" --json --min-quality 0 "$T/$missing_name.rec" >"$T/report" 2>/dev/null
	account=$(sed -n 's/.*"account".*"named": \([0-9]*\), "unnamed": \([0-9]*\),.*/\1 \2/p' "$T/report")
	check_eq "$1: sums are those of the account" "$account" \
		"$(awk -F, 'NR > 1 { all += $3; named += $5 } END { print named, all - named }' "$T/csv")"
	check_eq "$1: JSON has the same sums" "$account" \
		"$(awk '/"total"/ { all = $2 + 0 }
			/"module":/ { match($0, /"named": [0-9]+/); named += substr($0, RSTART + 9, RLENGTH - 9) }
			END { print named, all - named }' "$T/json")"
	check "$1: there were samples" test $((${account% *} + ${account#* })) -gt 0
}

cat >"$T/spin.c" <<'END'
static __attribute__((noinline)) unsigned inner(unsigned n)
{
	for (volatile int i = 0; i < 1000; i++)
		n = n * 3 + 1;
	return n;
}

static __attribute__((noinline)) unsigned outer(unsigned n)
{
	return inner(n) + 1;
}

int main(void)
{
	for (volatile unsigned n = 0;;)
		n = outer(n);
}
END
if ! ${CC:-cc} -g -O2 -Wl,--build-id -o "$T/spin" "$T/spin.c" >"$T/cc" 2>&1; then
	note "$T/cc"
	not_ok compiler 'the program cannot be built'
	exit 1
fi
objcopy --only-keep-debug "$T/spin" "$T/kept"
cp "$T/spin" "$T/whole"
cp "$T/kept" "$T/spin.debug"
objcopy --strip-all --add-gnu-debuglink="$T/spin.debug" "$T/spin"
rm "$T/spin.debug"
id=$(readelf -n "$T/spin" | sed -n 's/.*Build ID: //p')
debug=/usr/lib/debug/.build-id/$(echo "$id" | cut -c 1-2)/$(echo "$id" | cut -c 3-).debug

record_command stripped 1 "$T/spin"
missing stripped
check_sums stripped
check_eq 'stripped: the reason and the remedy' \
	"it is stripped, and its debug file was not found; do not strip it, or put its debug file at $debug, or set DEBUGINFOD_URLS to a server that has it" \
	"$(says "$T/spin")"
check_eq 'stripped: its build-id' "$id" "$(column 2 "$T/spin")"
check 'stripped: heaviest unnamed first' sh -c "sed -n 2p '$T/csv' | grep -qF '$T/spin,'"
check 'stripped: not half of it has names' test "$(column 5 "$T/spin")" -lt "$(column 3 "$T/spin")"
check_eq 'stripped: no lines' 0 "$(column 7 "$T/spin")"
if command -v python3 >/dev/null; then
	check 'stripped: JSON is well-formed' python3 -m json.tool "$T/json"
	check 'stripped: CSV has eleven columns' python3 -c 'import csv, sys
sys.exit(any(len(row) != 11 for row in csv.reader(open(sys.argv[1], newline=""))))' "$T/csv"
fi
"$bin/bt-resolve" --missing --min-quality 99.9 "$T/stripped.rec" >/dev/null 2>"$T/err" && status=0 || status=$?
check_eq 'stripped: below --min-quality' "1 '$T/spin' lacks most" "$status $(grep -oF "'$T/spin' lacks most" "$T/err")"

cp "$T/kept" "$T/spin.debug"
missing stripped
check_sums 'debug file beside it'
check_eq 'debug file beside it: not listed any more' '' "$(says "$T/spin")"
check_eq 'debug file beside it: all has names' "$(column 3 "$T/spin")" "$(column 5 "$T/spin")"
check_eq 'debug file beside it: the source' debug-file "$(column 9 "$T/spin")"
"$bin/bt-resolve" --min-quality 0 "$T/stripped.rec" >"$T/named.rec" 2>/dev/null
"$bin/bt-collapse" --min-quality 0 "$T/named.rec" >"$T/named.folded" 2>/dev/null
check_eq 'debug file beside it: all but _start has lines' "$(($(column 3 "$T/spin") - $(weight "$T/named.folded" '^_start;')))" \
	"$(column 7 "$T/spin")"
rm "$T/spin.debug"

mv "$T/spin" "$T/away"
missing stripped
check_eq 'gone: the reason and the remedy' \
	"the file is missing; keep the file with build-id $id and give it with --root or --debug-path, or record again" "$(says "$T/spin")"
cp "$(command -v sed)" "$T/spin"
missing stripped
check 'another: the reason' sh -c "echo '$(says "$T/spin")' | grep -q '^another file is at that path now, with build-id '"
mv "$T/away" "$T/spin"

# all names, no lines: reported as missing only if lines are wanted
objcopy --strip-debug "$T/whole"
record_command symbols 1 "$T/whole"
missing symbols
check_eq 'symbols: nothing is missing' '' "$(says "$T/whole")"
check_eq 'symbols: the source' symbols "$(column 9 "$T/whole")"
missing symbols --lines
check 'symbols: lines are missing' sh -c "echo '$(says "$T/whole")' | grep -q '^it has no debug information, and its debug file was not found; build it with -g, or '"

# a library of a package, without its debug package
if command -v xz dpkg-query >/dev/null; then
	record_command library 1 xz -9 -T 1 -c /dev/zero
	missing library
	check_sums library
	library=$(sed -n 's/^\([^,]*liblzma[^,]*\),.*/\1/p' "$T/csv")
	owner=$(dpkg-query -S "$library" "${library#/usr}" 2>/dev/null | sed -n 's/[:,].*//p' | head -n 1)
	case $(column 9 "$library") in
	debug-file) skip library "its debug package is installed" ;;
	*) check_eq 'library: the package' "it is stripped, and its debug file was not found; apt install $owner-dbgsym" "$(says "$library")" ;;
	esac
else
	skip library 'no xz or no dpkg-query'
fi

# code that only its compiler can name
if command -v node >/dev/null; then
	record_command jit 2 node -e 'const f = n => n < 2 ? n : f(n - 1) + f(n - 2); for (;;) f(30)'
	missing jit
	check_sums jit
	check_eq 'jit: the reason and the remedy' 'JIT-compiled, and there is no perf map; start node with --perf-basic-prof --interpreted-frames-native-stack; or with --cpu-prof, whose .cpuprofile bt-flame reads, with inlined functions' \
		"$(says "[anonymous memory of process $target]")"
else
	skip jit 'no node'
fi
