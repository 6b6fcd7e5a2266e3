# SPDX-License-Identifier: GPL-2.0-or-later
# faults.sh: functions for the tests of page faults, on this machine and in guests. PAGES is the program tests/programs/pages.c, which has about
# $N faults in each of its functions. They need record.sh.

# begin_faults NAME ARG…: records PAGES, which does nothing before the recording has begun
begin_faults() {
	begin_faults_name=$1
	shift
	mkdir -p "$T/work"
	: >"$T/target.out"
	"$PAGES" wait "$T/work" "$N" >"$T/target.out" 2>&1 &
	target=$!
	until_true 60 grep -q spinning "$T/target.out" || note "$T/target.out"
	begin_record "$begin_faults_name" -p "$target" "$@"
	kill -USR1 "$target"
	end_record
	note "$T/$begin_faults_name.err" "$T/target.out"
	check_eq "$begin_faults_name: exit code" 0 "$status"
}

# faults_of NAME FUNCTION KIND: prints the faults of this kind in the function of PAGES
faults_of() {
	"${BIN%/*}/bt-collapse" --label "fault=$3" "$T/$1.rec" >"$T/$1.$3" 2>/dev/null || :
	weight "$T/$1.$3" "^_start;.*;main;measure;$2(;.*)?\$"
}

# same_faults NAME: compares the recording with what PAGES has printed
same_faults() {
	for same in grow fill load share; do
		check_eq "$1: $same: minor and major faults" "$(sed -n "s/^$same //p" "$T/target.out")" \
			"$(faults_of "$1" $same minor) $(faults_of "$1" $same major)"
	done
	check "$1: new pages" test "$(faults_of "$1" grow minor)" -ge "$N"
}
