#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 60-versions: a version that is in no table; a process that runs no Perl.
set -u
. "$TOP/tests/perl/lib.sh"

# make_newer: makes $T/newer, the perl of this system with the version 5.98; fails if this perl is not all in one file
make_newer() {
	cp "$(command -v perl)" "$T/newer"
	readelf -W --dyn-syms "$T/newer" | awk '$8 == "PL_version" { print $2 }' >"$T/at"
	readelf -WS "$T/newer" | sed -n 's/.* \.rodata *PROGBITS *\([0-9a-f]*\) \([0-9a-f]*\) .*/\1 \2/p' >"$T/section"
	[ -s "$T/at" ] || return 1
	perl -e 'my ($file, @n) = @ARGV; my ($at, $address, $offset) = map hex, @n; open my $f, "+<", $file or die;
		seek $f, $at - $address + $offset, 0; print $f chr 98' "$T/newer" "$(cat "$T/at")" $(cat "$T/section")
}

# without_installed COMMAND…: runs COMMAND as if no debug files were installed
without_installed() {
	unshare -m sh -c 'mount -t tmpfs tmpfs /usr/lib/debug && exec "$@"' sh "$@"
}

# serve: starts a debuginfod server for perl's debug file and for the file of its common parts that dwz has made; its PID is $server
serve() {
	mkdir "$T/served"
	id=$(readelf -n "$T/newer" 2>/dev/null | sed -n 's/.*Build ID: //p')
	cp "/usr/lib/debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug" "$T/served"
	cp /usr/lib/debug/.dwz/*/perl-base.debug "$T/served/dwz.debug" 2>/dev/null
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	(unset DEBUGINFOD_URLS; exec debuginfod -F --disable-source-scan -d "$T/index" -p "$port" "$T/served") >"$T/log" 2>&1 &
	server=$!
	until_true python3 -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:$port/buildid/$id/debuginfo', timeout=5)" 2>/dev/null
}

# leaf_of NAME: checks that the stack is found, see record_until_decided
leaf_of() {
	record_until_decided "a newer version: $1" '^main;main::calls(;main::leaf)?' -p $target
}

# A version that is in no table is known by its debug file, installed or from a server; without one it is rejected.
newer() {
	if ! make_newer || [ "$(known_by '' "$T/newer")" != 'its debug file' ]; then
		skip 'a newer version' "no debug file of perl, or perl is not one file"
		return
	fi
	"$T/newer" -e 'sub leaf { 1 for 1 .. 30000 } sub calls { leaf() } calls() while 1' &
	target=$!
	await_start $target
	leaf_of 'by its debug file'
	without_installed "$bin/pl-sample-bt" --engine bpf -p $target -t 1 >"$T/out" 2>"$T/said"
	check_eq 'a newer version: nothing tells, exit' 2 $?
	check 'a newer version: nothing tells, said' grep -q 'perl 5.98.* not one of the known versions.* build-id' "$T/said"
	serve
	recorder() {
		DEBUGINFOD_URLS=http://127.0.0.1:$port XDG_CACHE_HOME=$T HOME=$T without_installed "$bin/pl-sample-bt" --engine bpf "$@"
	}
	leaf_of 'from a server'
	kill $target $server
	wait $target $server 2>/dev/null || :
}

# A process that runs no Perl.
no_perl() {
	sleep 100 &
	sleeper=$!
	"$bin/pl-sample-bt" --engine bpf -p $sleeper -t 1 >"$T/out" 2>"$T/said"
	check_eq 'no perl: exit' 2 $?
	check 'no perl: said' grep -q "no Perl runs in process $sleeper" "$T/said"
	kill $sleeper
	wait $sleeper 2>/dev/null || :
}

newer
no_perl
