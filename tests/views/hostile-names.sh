# SPDX-License-Identifier: GPL-2.0-or-later
# Are the views well-formed, whatever the names in folded stacks, the title and the notes are?
set -eu

. "$TOP/tests/views/lib.sh"

python3 "$TOP/tests/views/hostile.py" make >"$T/names"
hostile hostile "$(awk '{ n += $NF } END { print n }' "$T/names")" "$T/names"
printf 'main;work 1000000\n' >"$T/work.folded"
sed 's/[0-9]*$/&000000/' "$T/names" >"$T/heavy.folded"
for limit in 0:several 100000:none; do
	"$bin/bt-diff" --json --fail-above "${limit%:*}" --normalize --junit "$T/limit.xml" "$T/work.folded" "$T/heavy.folded" >"$T/limit.json" 2>"$T/err" || :
	check_eq "--fail-above ${limit%:*} as JSON and as JUnit's XML" "${limit#*:}" \
		"$(python3 "$TOP/tests/views/hostile.py" limit "$T/limit.json" "$T/limit.xml" 2>&1 | tail -n 1)"
done
for title in '</title><script>window.pwned=1</script>' ']]>' "$(printf '\001\377')" '--><svg onload="x()">' "' onload='x()"; do
	"$bin/bt-flame" --title "$title" --subtitle "$title" --notes "$title" --countname "$title" "$T/work.folded" >"$T/title.svg" 2>/dev/null
	check "title $title" xmllint --noout --huge "$T/title.svg"
done
