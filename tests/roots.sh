# SPDX-License-Identifier: GPL-2.0-or-later
# roots.sh: functions for tests that run programs of Debian's releases, unpacked by tests/root. Needs $TOP. The functions that take a root
# set $root to its folder, or fail and set $no_root to the reason. Only root can run the programs in it.

# take_root ARG…: takes the arguments of tests/root
take_root() {
	no_root=$("$TOP/tests/root" "$@" 2>&1) || return 1
	root=$no_root
}

# perl_root SUITE: takes the suite's perl, with debug files
perl_root() {
	take_root "perl-$1" "$1" perl perl-debug
}

luajits='trixie sid fork'

# luajit_root NAME: takes this release's LuaJIT, or OpenResty's fork for bookworm, which has no program, so tests/lua/host.c is built;
# $luajit is the program's path in $root
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

# These are unpacked, so no server is installed that starts by itself. bookworm's nginx has the module for Lua, which excludes the package
# luajit.
nginxes='bookworm trixie sid'
nginx_with_lua=bookworm

# nginx_root SUITE: takes the suite's nginx
nginx_root() {
	case $1 in
	bookworm) take_root "nginx-$1" "$1" nginx libnginx-mod-http-lua ;;
	*) take_root "nginx-$1" "$1" nginx ;;
	esac
}

# runs COMMAND…: checks that COMMAND runs in $root
runs() {
	[ -c "$root/dev/null" ] && chroot "$root" "$@" >/dev/null 2>&1
}

# python_root SUITE: takes all of the suite's versions of Python
python_root() {
	take_root "python-$1" "$1" python3-all
}

# php_root SUITE: takes the suite's PHP
php_root() {
	take_root "php-$1" "$1" php-cli
}

# ruby_root SUITE: takes the suite's Ruby
ruby_root() {
	take_root "ruby-$1" "$1" ruby
}

gos='trixie sid'

# go_root SUITE: takes the suite's Go; $go is its program, which can be run from its folder
go_root() {
	take_root "go-$1" "$1" golang-go && go=$(echo "$root"/usr/lib/go-*/bin/go)
}

postgreses='bullseye bookworm trixie sid'

# postgres_root SUITE: takes the suite's PostgreSQL; $postgres is the folder of its programs in $root
postgres_root() {
	case $1 in
	bullseye) postgres=13 ;;
	bookworm) postgres=15 ;;
	trixie) postgres=17 ;;
	*) postgres=18 ;;
	esac
	take_root --without 'libllvm[0-9].*|libz3-.*|libclang.*|perl.*' "postgres-$1" "$1" "postgresql-$postgres" dash || return 1
	[ -e "$root/bin/sh" ] || ln -s dash "$root/bin/sh" # which initdb needs
	postgres=/usr/lib/postgresql/$postgres/bin
}

# perf_root SUITE: takes the suite's perf
perf_root() {
	take_root "perf-$1" "$1" linux-perf
}

# perf_of_root ARG…: runs the perf in $root, with the files of this machine
perf_of_root() {
	"$root/lib64/ld-linux-x86-64.so.2" --library-path "$root/usr/lib/x86_64-linux-gnu" --argv0 perf "$root/usr/bin/perf" "$@"
}
