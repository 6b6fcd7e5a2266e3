# SPDX-License-Identifier: GPL-2.0-or-later
# faults.sh: functions for the tests of page faults, on this machine and in guests. PAGES is the program tests/programs/pages.c, which has about
# $N faults in each of its functions. They need record.sh.

# begin_faults NAME ARG…: records PAGES
begin_faults() {
	record_work "$PAGES" "$@"
	note "$T/target.out"
}

# faults_of NAME FUNCTION KIND: prints the faults of this kind in the function of PAGES
faults_of() {
	"${BIN%/*}/bt-collapse" --label "fault=$3" "$T/$1.rec" >"$T/$1.$3" 2>/dev/null || :
	weight "$T/$1.$3" "^_start;.*;main;measure;$2(;.*)?\$"
}

# has_mappings: checks whether this kernel tells what is mapped
has_mappings() {
	printf '5.17\n%s\n' "$(uname -r)" | sort -VC
}

# mapped_of NAME FUNCTION MAPPING: prints the faults in the function of PAGES at addresses of this mapping
mapped_of() {
	"${BIN%/*}/bt-collapse" --label "mapping=$3" "$T/$1.rec" >"$T/$1.mapped" 2>/dev/null || :
	weight "$T/$1.mapped" "^_start;.*;main;measure;$2(;.*)?\$"
}

# same_faults NAME: compares the recording with what PAGES has printed
same_faults() {
	for same in grow fill load share; do
		check_eq "$1: $same: minor and major faults" "$(sed -n "s/^$same //p" "$T/target.out")" \
			"$(faults_of "$1" $same minor) $(faults_of "$1" $same major)"
	done
	if has_mappings; then
		check_eq "$1: load: the mapping is the file" $(($(sed -n 's/^load \([0-9]*\) \([0-9]*\)$/\1 + \2/p' "$T/target.out"))) \
			"$(mapped_of "$1" load "$T/data/pages")"
		check_eq "$1: grow: the mapping has no file" "$(sed -n 's/^grow \([0-9]*\) 0$/\1/p' "$T/target.out")" \
			"$(mapped_of "$1" grow '[anonymous]')"
	fi
	check "$1: new pages" test "$(faults_of "$1" grow minor)" -ge "$N"
}
