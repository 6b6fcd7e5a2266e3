# SPDX-License-Identifier: GPL-2.0-or-later
# setup.sh: functions for the setups of levels; see tests/run.

# skip_level REASON: skips all tests of the level, which cannot run here
skip_level() {
	echo "# SKIP $1"
	exit 77
}

# need_engine: for tests that record with the built-in engine. It finds out without the engine whether this machine has what it needs,
# because otherwise a fault of the engine would skip the level.
need_engine() {
	[ "$(uname -m)" = x86_64 ] || skip_level 'not x86_64'
	[ "$(id -u)" = 0 ] || skip_level 'not root'
	[ -r /sys/kernel/btf/vmlinux ] || skip_level 'no /sys/kernel/btf/vmlinux: a kernel built without CONFIG_DEBUG_INFO_BTF'
	probe=$TOP/build/probe
	flock "$probe.lock" ${CC:-cc} -O2 -Wall -Wextra -Wshadow -o "$probe" "$TOP/tests/probe.c"
	probe_refused=$("$probe") || skip_level "$probe_refused"
}
