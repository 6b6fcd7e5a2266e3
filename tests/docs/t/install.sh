# SPDX-License-Identifier: GPL-2.0-or-later
# What make install puts there, make uninstall takes away.
set -eu

. "$TOP/tests/lib.sh"
${MAKE:-make} -s -C "$TOP" install PREFIX=/usr DESTDIR="$T/installed" >/dev/null
check 'installs' test -x "$T/installed/usr/bin/sample-bt"
${MAKE:-make} -s -C "$TOP" uninstall PREFIX=/usr DESTDIR="$T/installed" >/dev/null
check_eq 'what make uninstall leaves' '' "$(find "$T/installed" ! -type d)"
