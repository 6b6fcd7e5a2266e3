# SPDX-License-Identifier: GPL-2.0-or-later
# deb [SUITE]: the packages are built in a fresh root of each Debian release, lintian finds nothing in them, they are installed, record, and
# leave nothing behind.
# tier: all
set -eu

. "$TOP/tests/lib.sh"
. "$TOP/tests/archive"
. "$TOP/tests/guest/common.sh"

# fresh_root NAME SUITE PACKAGE[,PACKAGE]…
fresh_root() {
	own_namespaces mmdebstrap --variant=apt --aptopt='APT::Install-Recommends "false"' --dpkgopt=force-unsafe-io --include="$3" "$2" "$T/$1" \
		"$mirror" >"$T/$1.log" 2>&1
}

# in_root NAME COMMAND: runs a shell's COMMAND in the root, with the network and file systems of this machine
in_root() {
	own_namespaces sh -c '
		mount --rbind /proc "$1/proc" && mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev" || exit
		cp -L /etc/resolv.conf /etc/hosts "$1/etc/" 2>/dev/null
		DEBIAN_FRONTEND=noninteractive TMPDIR=/tmp exec chroot "$1" sh -euc "$2"' sh "$T/$1" "$2"
}

build_needs() {
	sed -n '/^Build-Depends:/,/^$/p' "$TOP/debian/control" | sed 's/^Build-Depends://; s/(.*)//' | tr -d ' \n' | sed 's/debhelper-compat/debhelper/; s/,$//'
}

built() {
	mkdir -p "$T/build/src"
	tar -C "$TOP" --exclude-vcs --exclude=./build -c . | tar -x -C "$T/build/src"
	in_root build 'cd /src && dpkg-buildpackage -b -us -uc -J'
}

installed() {
	cp "$T"/build/*.deb "$T/use/tmp/"
	in_root use 'cd /tmp && rm flametap-dbgsym*.deb && apt-get -qq update && apt-get install -y --no-install-recommends ./*.deb && rm *.deb'
}

# without the files that dpkg, apt, debconf and ld.so keep for themselves
files() {
	(cd "$T/use" && find . -xdev ! -path './var/lib/dpkg/*' ! -path './var/lib/apt/*' ! -path './var/cache/*' ! -path './var/log/*' \
		! -path './tmp/*' ! -path './etc/ld.so.cache' ! -path './etc/*-' ! -path './usr/share/doc/*' ! -path './proc/*' ! -path './sys/*' \
		! -path './dev/*' ! -path './root/*' | LC_ALL=C sort)
}

recorded() {
	in_root use 'cd /tmp && sample-bt -t 60 -u -o a.rec -o a.svg -- sh -c "i=0; while [ \$i -lt 300000 ]; do i=\$((i + 1)); done"' &&
		test -s "$T/use/tmp/a.svg" && in_root use 'bt-report --csv /tmp/a.rec | grep -q dash'
}

# group_records: as debconf was told, members of the group may execute the recorder, which has capabilities
group_records() {
	in_root use 'echo "flametap flametap/users boolean true" | debconf-set-selections && dpkg-reconfigure flametap' &&
		in_root use 'stat -c "%U:%G %a" /usr/bin/sample-bt | grep -x "root:flametap 750" && getcap /usr/bin/sample-bt | grep -q cap_bpf'
}

root_records() {
	in_root use 'echo "flametap flametap/users boolean false" | debconf-set-selections && dpkg-reconfigure flametap' &&
		in_root use 'stat -c "%U:%G %a" /usr/bin/sample-bt | grep -x "root:root 755" && ! getcap /usr/bin/sample-bt | grep cap_'
}

# fleet_is_installed: the service is there and is not enabled; its settings are the administrator's
fleet_is_installed() {
	in_root use 'echo "# mine" >>/etc/flametap/fleet.conf && dpkg-query -W -f "\${Conffiles}" flametap-fleet | grep -q /etc/flametap/fleet.conf' &&
		in_root use 'dpkg -L flametap-fleet | grep -q "/systemd/system/flametap-fleet.service$" && bt-fleet --version' &&
		in_root use 'cat /usr/lib/systemd/system/flametap-fleet.service >/dev/null && ! find /etc/systemd -name "flametap*" | grep .'
}

# what the service has written before the packages are purged: systemd makes its cache, as the unit says
served() {
	in_root use 'grep -qx CacheDirectory=flametap /usr/lib/systemd/system/flametap-fleet.service' &&
		in_root use 'for dir in spool cache; do mkdir -p -m 700 /var/$dir/flametap && echo x >/var/$dir/flametap/file; done'
}
nothing_served() { [ -z "$(find "$T"/use/var/spool/flametap "$T"/use/var/cache/flametap 2>/dev/null)" ]; }

of_suite() {
	suite=$1
	if ! fresh_root build "$suite" "$(build_needs),build-essential,fakeroot,lintian"; then
		skip "$suite" "no root can be made: $(grep '^E:' "$T/build.log" | head -n 1)"
		return
	fi
	check "$suite: builds" built
	check "$suite: lintian" in_root build 'lintian --allow-root --fail-on error,warning --profile debian /*.changes'
	check "$suite: a root to install in" fresh_root use "$suite" libcap2-bin,libpam-runtime
	in_root use true
	files >"$T/before"
	check "$suite: is installed" installed
	check "$suite: records" recorded
	check "$suite: the service of a fleet" fleet_is_installed
	check "$suite: members of a group may record" group_records
	check "$suite: only root may record" root_records
	check "$suite: the service has a spool and a cache" served
	check "$suite: is purged" in_root use 'apt-get purge -y --autoremove flametap flametap-systemtap flametap-fleet'
	check "$suite: with the spool and the cache" nothing_served
	files >"$T/after"
	check_eq "$suite: what is left" '' "$(diff "$T/before" "$T/after" | sed -n 's/^> //p')"
	rm -rf --one-file-system "$T/build" "$T/use"
}

mirror=${FLAMETAP_MIRROR:-$(apt_mirror | head -n 1)}
[ "$(id -u)" = 0 ] || { skip packages 'it needs root'; exit 0; }
for one in ${1:-bookworm trixie sid}; do of_suite "$one"; done
