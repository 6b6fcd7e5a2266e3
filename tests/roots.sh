# SPDX-License-Identifier: GPL-2.0-or-later
# roots.sh: sourced by what runs programs of Debian's releases, unpacked by tests/root; needs $TOP. The functions that take one set $root,
# its folder, or are false, with a reason as $no_root: it cannot be had. To run what is in it needs root.

# take_root ARG…: as tests/root has them
take_root() {
	no_root=$("$TOP/tests/root" "$@" 2>&1) || return 1
	root=$no_root
}

# perl_root SUITE: its perl, with debug files
perl_root() {
	take_root "perl-$1" "$1" perl perl-debug
}

# names of LuaJITs, their release, and the package with the library that a host is linked to, or the program
luas='trixie trixie luajit
sid sid luajit
bookworm-fork bookworm libluajit2-5.1-2'

# lua_root NAME SUITE PACKAGE: of a line of $luas
lua_root() {
	case $3 in
	luajit) take_root "lua-$1" "$2" luajit ;;
	*) take_root "lua-$1" "$2" "$3" "${3%-*}-dev" ;;
	esac
}

# So no server is installed that starts by itself; and that of bookworm has the module for Lua, which excludes the package luajit.
nginxes='bookworm trixie sid'
nginx_with_lua=bookworm

# nginx_root SUITE
nginx_root() {
	case $1 in
	bookworm) take_root "nginx-$1" "$1" nginx libnginx-mod-http-lua ;;
	*) take_root "nginx-$1" "$1" nginx ;;
	esac
}

# runs COMMAND…: in $root
runs() {
	[ -c "$root/dev/null" ] && chroot "$root" "$@" >/dev/null 2>&1
}
