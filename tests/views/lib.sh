# SPDX-License-Identifier: GPL-2.0-or-later
# views/lib.sh: functions for the tests of this level, which write all views of a profile.

. "$TOP/tests/lib.sh"
bin=${BIN%/*}

# view NAME PROGRAM ARG…: writes PROGRAM's output to $T/NAME, however few frames have names
view() {
	view_of=$1 program=$2
	shift 2
	"$bin/$program" --min-quality=0 "$@" >"$T/$view_of" 2>"$T/view.err" || not_ok "$view_of" "$program: $(tail -n 1 "$T/view.err")"
}

# write NAME INPUT OPTION…: writes every view of INPUT as $T/NAME.*
write() {
	write_name=$1 input=$2
	shift 2
	view "$write_name.svg" bt-flame "$@" "$input"
	view "$write_name.csv" bt-report "$@" "$input"
	case " $* " in *' --by '*) ;; *) view "$write_name.summary.csv" bt-report --summary "$@" "$input" ;; esac
	view "$write_name.json" bt-report --json "$@" "$input"
	view "$write_name.txt" bt-report --text --top 20 "$@" "$input"
	view "$write_name.folded" bt-collapse "$@" "$input"
	case $input in *.rec) view "$write_name.bt" bt-resolve --bt "$@" "$input" ;; esac
	view "$write_name.pb.gz" bt-export --pprof "$@" "$input"
	view "$write_name.speedscope.json" bt-export --speedscope "$@" "$input"
	view "$write_name.diff.svg" bt-diff "$@" "$input" "$input"
	view "$write_name.diff.csv" bt-diff --csv "$@" "$input" "$input"
}

# view_legend FILE: prints the legend of a picture in $T
view_legend() {
	sed -n '/<g id="legend">/,/<\/g>/s/<[^>]*>/ /gp' "$T/$1"
}

# hostile NAME TOTAL INPUT OPTION…: checks that every view of INPUT is well-formed and has TOTAL
hostile() {
	hostile_name=$1 total=$2
	shift 2
	write "$hostile_name" "$@"
	set -- "$hostile_name" "$total"
	check "the picture is well-formed" xmllint --noout --huge "$T/$1.svg"
	check "the picture of a difference is well-formed" xmllint --noout --huge "$T/$1.diff.svg"
	check_eq "profile.csv" "$2" "$(python3 "$TOP/tests/views/hostile.py" csv "$T/$1.csv" 2>&1 | tail -n 1)"
	check_eq "json" "$2" "$(python3 "$TOP/tests/views/hostile.py" json "$T/$1.json" 2>&1 | tail -n 1)"
	check "folded is its own fixed point" sh -c "'$bin/bt-collapse' '$T/$1.folded' | cmp - '$T/$1.folded'"
	check_eq "folded" "$2" "$(awk '{ n += $NF } END { print n }' "$T/$1.folded")"
}
