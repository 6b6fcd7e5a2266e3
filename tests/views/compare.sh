# SPDX-License-Identifier: GPL-2.0-or-later
# compare.sh NAME: do the views of the recording that setup has made agree, and are they the same at every run?
set -eu

. "$TOP/tests/views/lib.sh"

# classic: prints folded stacks of a text backtrace, in the way of scripts that read SystemTap's own print_backtrace: a line for each frame,
# leaf first, "ADDRESS : NAME+OFFSET [MODULE]", and a line with only a number for the weight of the frames above it
classic() {
	awk '
		/^[[:blank:]]*[0-9]+$/ { print stack, $1 + 0; stack = ""; next }
		{
			sub(/^[[:blank:]]*(0x[0-9a-f]+ : )?/, ""); sub(/\+0x[0-9a-f]+( \[.*\])?$/, "")
			stack = $0 (stack == "" ? "" : ";" stack)
		}'
}

# weights: prints the sums of equal lines, without the suffixes that tell the kinds of frames
weights() {
	sed -E 's/_\[[kij]\](;| [0-9]+$)/\1/g' | awk '{ n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n } END { for (s in sum) print s, sum[s] }' | LC_ALL=C sort
}

# compare_views NAME: compares the views of the profile $T/NAME.rec with each other, and with a second run
compare_views() {
	write "$1" "$T/$1.rec"
	python3 "$TOP/tests/views/numbers.py" "$1" "$T/$1.svg" "$T/$1.csv" "$T/$1.summary.csv" "$T/$1.json" "$T/$1.folded" \
		>"$T/numbers" 2>&1 || echo "not ok exit $? of numbers.py" >>"$T/numbers"
	results "$T/numbers"
	(
		export LC_ALL="$other_locale"
		write again "$T/$1.rec"
	)
	for file in "$T/again".*; do
		check "the same bytes in another locale: ${file##*/again.}" cmp "$file" "$T/$1.${file##*/again.}"
	done
	weights <"$T/$1.folded" >"$T/expected"
	classic <"$T/$1.bt" | weights >"$T/actual"
	check "the text backtrace, read in the classic way" diff "$T/expected" "$T/actual"
	view reversed.svg bt-flame --reverse "$T/$1.svg"
	check_eq "callers have the same legend" "$(view_legend "$1.svg")" "$(view_legend reversed.svg)"
	view turned.svg bt-flame --reverse "$T/reversed.svg"
	check "callers, turned again" test "$(view_legend turned.svg)" = "$(view_legend "$1.svg")"
	view back.folded bt-collapse "$T/$1.svg"
	check "the picture read back" cmp "$T/back.folded" "$T/$1.folded"
	check_eq "no difference from itself" '' "$(sed 1d "$T/$1.diff.csv" | grep -v ',same$' | head -n 3)"
}

# A locale that formats numbers and sorts differently; it is made here because it may not be installed.
other_locale=C.UTF-8
if localedef -i de_DE -f UTF-8 "$T/de_DE.UTF-8" 2>"$T/err"; then
	export LOCPATH="$T"
	other_locale=de_DE.UTF-8
else
	skip 'locale de_DE.UTF-8' "localedef: $(tail -n 1 "$T/err")"
fi
if [ -f "$CASES/$1.rec" ]; then
	cp "$CASES/$1.rec" "$T"
	compare_views "$1"
else
	skip "$1" 'nothing can be recorded here'
fi
