# SPDX-License-Identifier: GPL-2.0-or-later
# steps/lib.sh: functions for tests/steps/t/*.sh; sourced after lib.sh.

CASES=$TOP/build/bpf/programs

# walk NAME COMMAND FUNCTIONS [OPTION…]: checks that every stack of a case is right, and that it is seen in FUNCTIONS. COMMAND is the case
# and its words after the seconds. OPTION: see tests/steps/steps.c; -e and -w tell where the caller cannot be known.
walk() {
	walk_name=$1
	walk_command="$2 "
	walk_functions=$3
	shift 3
	walk_case=${walk_command%% *}
	if walk_reason=$(sed -n "s/^$walk_case //p" "$CASES/missing" | grep .); then
		skip "$walk_name" "$walk_reason"
		return 0
	fi
	walk_status=0
	# shellcheck disable=SC2086
	"$MADE/steps" -f "$walk_functions" "$@" "$CASES/$walk_case" 600 ${walk_command#* } >"$T/said" 2>&1 || walk_status=$?
	check_eq "$walk_name" 0 "$walk_status"
	sed '/^# /!s/^/# /' "$T/said"
}
