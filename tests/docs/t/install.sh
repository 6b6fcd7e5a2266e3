# SPDX-License-Identifier: GPL-2.0-or-later
# make uninstall removes all files that make install has installed.
set -eu

. "$TOP/tests/lib.sh"
${MAKE:-make} -s -C "$TOP" install PREFIX=/usr DESTDIR="$T/installed" >/dev/null
check 'installs' test -x "$T/installed/usr/bin/sample-bt"
${MAKE:-make} -s -C "$TOP" uninstall PREFIX=/usr DESTDIR="$T/installed" >/dev/null
check_eq 'what make uninstall leaves' '' "$(find "$T/installed" ! -type d)"
