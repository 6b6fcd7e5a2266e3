# SPDX-License-Identifier: GPL-2.0-or-later
# common.sh: functions for the guests' programs, which set $top before they source it. $guests is the folder of the images, which all clones
# of a user share.

suites='sid trixie bookworm bullseye runtime'
guests=${XDG_CACHE_HOME:-${HOME:-$top/build}/.cache}/flametap/guests
PATH=$PATH:/usr/sbin:/sbin

is_suite() {
	case " $suites " in
	*" $1 "*) ;;
	*) return 1 ;;
	esac
}

# fail STATUS TEXT: prints TEXT as an error and exits with STATUS
fail() {
	echo "$(basename "$0"): $2" >&2
	exit "$1"
}

# as_root ARG…: runs this program again as root, through SUDO (sudo), if it does not run as root
as_root() {
	[ "$(id -u)" != 0 ] || return 0
	command -v "${SUDO:-sudo}" >/dev/null || fail 75 "not root and no ${SUDO:-sudo}; become root or set SUDO"
	exec "${SUDO:-sudo}" env FLAMETAP_MIRROR="${FLAMETAP_MIRROR:-}" XDG_CACHE_HOME="${guests%/flametap/guests}" "$0" "$@"
}

# own_namespaces COMMAND…: runs COMMAND in namespaces whose mounts and processes end with it, however it ends
own_namespaces() {
	setpriv --pdeathsig KILL unshare --mount --propagation private --pid --fork --kill-child --mount-proc "$@"
}

# kernel_of SUITE: prints the suite whose kernel the guest runs and in which its tests are prepared
kernel_of() {
	[ "$1" = runtime ] && echo sid || echo "$1"
}

# header TEST.sh WORD DEFAULT: prints the value of a line "# WORD: VALUE" of the script, or DEFAULT
header() {
	value=$(sed -n "s/^# $2: *//p" "$1" | head -n 1)
	echo "${value:-$3}"
}
