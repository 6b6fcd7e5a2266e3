# SPDX-License-Identifier: GPL-2.0-or-later
# judging.sh: functions for the tests that compare names, and for the benchmark; sourced after lib.sh. $O is the folder in which the
# programs were built.

# spread FILE N: prints N addresses of its code, from the first to the last
spread() {
	readelf -SW "$1" | sed -n 's/^ *\[ *[0-9]*\] \.text  *PROGBITS  *\([0-9a-f]*\) [0-9a-f]* \([0-9a-f]*\) .*/\1 \2/p' |
		while read -r start size; do
			awk -v start="$((0x$start))" -v size="$((0x$size))" -v n="$2" \
				'BEGIN { for (i = 0; i < n; i++) printf "0x%x\n", start + int(i * size / n) }'
		done
}

# debug_of FILE: prints the debug file that is installed for FILE, or FILE itself
debug_of() {
	id=$(readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p')
	rest=${id#??}
	debug=/usr/lib/debug/.build-id/${id%"$rest"}/$rest.debug
	if [ -e "$debug" ]; then echo "$debug"; else echo "$1"; fi
}

# libc_file: prints the libc of our programs
libc_file() {
	ldd "$O/tests/symbols/addresses" | sed -n 's/.*=> \(.*libc\.so[^ ]*\) .*/\1/p'
}

# compare_names NAME FILE N WHO…: compares our names for N addresses with eu (eu-addr2line) and llvm (llvm-symbolizer)
compare_names() {
	d=$T/$1 name=$1 file=$2
	mkdir "$d"
	spread "$file" "$3" >"$d/addresses"
	check_eq "$name: addresses" "$3" "$(wc -l <"$d/addresses")"
	shift 3
	"$O/tests/symbols/addresses" -i "$file" <"$d/addresses" >"$d/ours"
	"$O/tests/symbols/rows" "$file" <"$d/addresses" >"$d/rows"
	uniq "$d/rows" | "$O/tests/symbols/addresses" -i "$file" >"$d/ours.rows"
	readelf -sW "$file" "$(debug_of "$file")" >"$d/symbols" 2>/dev/null || :
	for who; do
		"ask_$who"
		if tests/symbols/judge "$who" "$d/ours" "$d/$who" "$d/rows" "$d/ours.rows" "$d/symbols" >"$d/verdict" 2>&1; then
			ok "$name: as $who says"
		else
			not_ok "$name: as $who says" "differences that no rule explains, or none to compare"
		fi
		note "$d/verdict"
	done
	compare_plain
}

# ask_eu: uses two processes, because eu-addr2line is slow
ask_eu() {
	split -n l/2 "$d/addresses" "$d/half."
	eu-addr2line -a -A -f -i -e "$file" <"$d/half.aa" >"$d/eu" &
	eu-addr2line -a -A -f -i -e "$file" <"$d/half.ab" >"$d/eu.rest"
	wait
	cat "$d/eu.rest" >>"$d/eu"
}

ask_llvm() {
	llvm-symbolizer -a --inlines --no-demangle --output-style=GNU -e "$file" <"$d/addresses" >"$d/llvm"
}

# compare_plain: without inlined calls, compares the outermost function and its line
compare_plain() {
	"$O/tests/symbols/addresses" "$file" <"$d/addresses" >"$d/plain"
	awk -F '\t' '
		function out() { if (n) print address "\n" function_name "\t" place }
		NF == 1 { out(); address = $1; n = 0; next }
		{ function_name = $1; if (!n++) place = $2 "\t" $3 }
		END { out() }' "$d/ours" >"$d/expected"
	check "$name: the same without inlined calls" cmp "$d/plain" "$d/expected"
}
