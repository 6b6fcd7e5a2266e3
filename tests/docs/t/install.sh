# SPDX-License-Identifier: GPL-2.0-or-later
# make uninstall removes all files that make install has installed.
set -eu

. "$TOP/tests/lib.sh"
${MAKE:-make} -s -C "$TOP" install PREFIX=/usr DESTDIR="$T/installed" >"$T/said"
check 'installs' test -x "$T/installed/usr/bin/sample-bt"
check 'says what to do next' grep -q '^  flametap check  ' "$T/said"
if command -v mandb >/dev/null; then
	mandb -cq "$T/installed/usr/share/man" 2>/dev/null || :
	check 'apropos finds it' sh -c "MANPATH='$T/installed/usr/share/man' apropos profile | grep -q '^flametap (1)'"
	find "$T/installed/usr/share/man" -mindepth 1 -maxdepth 1 ! -name 'man*' -exec rm -rf {} +
fi
${MAKE:-make} -s -C "$TOP" uninstall PREFIX=/usr DESTDIR="$T/installed" >/dev/null
check_eq 'what make uninstall leaves' '' "$(find "$T/installed" ! -type d)"
