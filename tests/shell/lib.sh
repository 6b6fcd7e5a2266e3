# SPDX-License-Identifier: GPL-2.0-or-later
# shell/lib.sh: functions for tests/shell/t/*.sh: the behaviour of the tests' shell code must not depend on the machine's awk.

. "$TOP/tests/lib.sh"
awks='mawk gawk busybox'

# with_awk NAME: puts a folder in which NAME is awk at the beginning of $PATH; fails if NAME is not installed
with_awk() {
	PATH=${PATH#"$T"/*.awk:}
	awk_file=$(command -v "$1") || return 1
	mkdir -p "$T/$1.awk"
	ln -sf "$awk_file" "$T/$1.awk/awk"
	PATH=$T/$1.awk:$PATH
}
