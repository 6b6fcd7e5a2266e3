# SPDX-License-Identifier: GPL-2.0-or-later
# make uninstall removes all files that make install has installed, but for settings that were changed.
set -eu

. "$TOP/tests/lib.sh"
${MAKE:-make} -s -C "$TOP" install PREFIX=/usr DESTDIR="$T/installed" >"$T/said"
check 'installs' test -x "$T/installed/usr/bin/sample-bt"
check 'says what to do next' grep -q '^  flametap check  ' "$T/said"
unit=$T/installed/usr/lib/systemd/system/flametap-fleet.service
conf=$T/installed/etc/flametap/fleet.conf
check 'the unit runs the program that was installed' grep -q '^ExecStart=/usr/bin/sample-bt ' "$unit"
check 'and reads the settings that were installed' grep -qx 'EnvironmentFile=/etc/flametap/fleet.conf' "$unit"
echo '# mine' >>"$conf"
if command -v mandb >/dev/null; then
	mandb -cq "$T/installed/usr/share/man" 2>/dev/null || :
	check 'apropos finds it' sh -c "MANPATH='$T/installed/usr/share/man' apropos profile | grep -q '^flametap (1)'"
	find "$T/installed/usr/share/man" -mindepth 1 -maxdepth 1 ! -name 'man*' -exec rm -rf {} +
fi
${MAKE:-make} -s -C "$TOP" uninstall PREFIX=/usr DESTDIR="$T/installed" >/dev/null
check_eq 'what make uninstall leaves' "$conf" "$(find "$T/installed" ! -type d)"
