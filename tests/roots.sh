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

luajits='trixie sid fork'

# luajit_root NAME: that release's, or OpenResty's fork of bookworm, which has no program: tests/lua/host.c is one; $luajit is its path in $root
luajit_root() {
	luajit=/usr/bin/luajit
	case $1 in
	fork) take_root lua-bookworm-fork bookworm libluajit2-5.1-2 libluajit2-5.1-dev && make_host ;;
	*) take_root "lua-$1" "$1" luajit ;;
	esac
}

make_host() {
	luajit=/tmp/host.$(sha256sum <"$TOP/tests/lua/host.c" | cut -c 1-8)
	no_root='tests/lua/host.c does not compile'
	[ -x "$root$luajit" ] || { cc -O1 -rdynamic -I"$(dirname "$(find "$root/usr/include" -name lua.h | head -n 1)")" -o "$root$luajit.$$" \
		"$TOP/tests/lua/host.c" "$(find "$root/usr/lib" -name 'libluajit-5.1.so.2' | head -n 1)" && mv "$root$luajit.$$" "$root$luajit"; }
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

gos='trixie sid'

# go_root SUITE: its Go, $go, which can be run where it lies
go_root() {
	take_root "go-$1" "$1" golang-go && go=$(echo "$root"/usr/lib/go-*/bin/go)
}
