# SPDX-License-Identifier: GPL-2.0-or-later
# Are the views of a recording well-formed, whatever its names and labels are?
set -eu

. "$TOP/tests/views/lib.sh"

python3 "$TOP/tests/views/hostile.py" record >"$T/hostile.rec"
hostile 'hostile recording' 6000 "$T/hostile.rec"
hostile 'hostile labels' 6000 "$T/hostile.rec" --by uri
value=$(awk '$1 == "label" && $2 == 0 { gsub(",", "\\x2c", $4); print $4 }' "$T/hostile.rec")
expected=$(awk '$1 == "row" && index("," $5 ",", ",0,") { sum += $7 } END { print sum }' "$T/hostile.rec")
view label.folded bt-collapse --label "uri=$value" "$T/hostile.rec"
check_eq 'hostile labels: one of them' "$expected" "$(awk '{ n += $NF } END { print n }' "$T/label.folded")"
