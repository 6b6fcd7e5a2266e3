# SPDX-License-Identifier: GPL-2.0-or-later
# shell/lib.sh: sourced by tests/shell/t/*.sh: what the tests' shell code does must not depend on the machine's awk.

. "$TOP/tests/lib.sh"
awks='mawk gawk busybox'

# with_awk NAME: $PATH begins with a folder in which this one is awk; false if it is not installed
with_awk() {
	PATH=${PATH#"$T"/*.awk:}
	awk_file=$(command -v "$1") || return 1
	mkdir -p "$T/$1.awk"
	ln -sf "$awk_file" "$T/$1.awk/awk"
	PATH=$T/$1.awk:$PATH
}
