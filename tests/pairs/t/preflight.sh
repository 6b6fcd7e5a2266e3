# SPDX-License-Identifier: GPL-2.0-or-later
# The preflight on the SystemTap and the kernel of Debian's releases, from the archive's packages; see tests/root. Programs are stand-ins,
# because programs of another release do not run here.
set -u

. "$TOP/tests/lib.sh"
. "$TOP/tests/roots.sh"
PATH=/usr/bin:/bin

# stand_in NAME TEXT: makes a program that prints TEXT
stand_in() {
	[ -x "$root/usr/bin/$1" ] || {
		printf '#!/bin/sh\necho "%s"\n' "$2" >"$T/stand-in"
		chmod 755 "$T/stand-in"
		mv "$T/stand-in" "$root/usr/bin/$1"
	}
}

# pair_root SUITE: sets $root, with the suite's SystemTap and the headers of its kernel, whose release is $release
pair_root() {
	take_root --without '(gcc|cpp|lib(gcc|c6|stdc[+][+])|linux-libc|lib[a-z]*san|binutils|pahole|perl|python).*' \
		"pair-$1" "$1" systemtap-common linux-headers-cloud-amd64 || return 1
	release=$(sed -n 's/^linux-headers-\([0-9].*-cloud-amd64\)=.*/\1/p' "$root/packages")
	stand_in stap "Systemtap translator/driver (version $(sed -n 's/^systemtap-common=\([^-]*\).*/\1/p' "$root/packages")/0, stand-in)"
	stand_in make ''
	for cross in '' x86_64-linux-gnu-; do
		stand_in "$cross$(sed -n 's/^CC = .*[)]//p' "$root"/usr/src/*/.kernelvariables)" ''
	done
}

# try SUITE CODE PATTERN…: checks the preflight's output
try() {
	suite=$1 code=$2
	shift 2
	if ! pair_root "$suite"; then
		skip "$suite" "$no_root"
		return
	fi
	"$MADE/pair" "$root" "$release" >"$T/text" 2>&1 && status=0 || status=$?
	check_eq "$suite: exit code" "$code" "$status"
	for pattern; do
		check "$suite: $pattern" grep -q "$pattern" "$T/text"
	done
	[ "$status" = "$code" ] || note "$T/text"
}

fits='^found  *kernel headers '
patched='^found  *kernel .* works with a patched copy of its runtime'
try bookworm 0 "$patched (task_work_cancel_func, user_addr_max" "$fits" '^SystemTap and that kernel fit$'
try trixie 0 "$patched (uprobe_unregister_nosync" "$fits" '^SystemTap and that kernel fit$'
try sid 0 '^found  *kernel ' '^found  *compiler ' "$fits" '^SystemTap and that kernel fit$'
