#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# build-id: another user's program has the same build-id as root's program: at a path of its own, and at the very same path, in a mount
# namespace. It does not give names to root's program.
set -eu
. "$TOP/tests/hostile/lib.sh"

chmod 755 "$T_top" "$T"
id=$(od -An -N20 -tx1 /dev/urandom | tr -d ' \n')
liar='' server=''
at_end 'kill $liar $server 2>/dev/null'

# program FILE NAME: compiles a program that is called NAME and spins in in_NAME
program() {
	cat >"$T/$2.c" <<C
#include <sys/prctl.h>
static volatile unsigned long spins;
__attribute__((noinline)) static void in_$2(void) { for (int i = 0; i < 1000000; i++) spins++; }
int main(void) { for (prctl(PR_SET_NAME, "$2");;) in_$2(); }
C
	"${CC:-cc}" -O2 -Wl,--build-id=0x"$id" -o "$1" "$T/$2.c"
}

runs() {
	[ "$(cat "/proc/$1/comm")" = "$2" ]
}

# expect_own_names NAME PID: checks the names of the server beside process PID, which was recorded first
expect_own_names() {
	until_true runs "$2" liar
	"$T/server" &
	server=$!
	until_true runs $server server
	only='^server;' roots='server;'
	record_until_decided "$1" "^server;.*main;in_server" -u -p "$2,$server"
	check "$1: the other program is sampled, too" grep -q '^liar;' "$T/$1.folded"
	kill "$2" $server
	wait
}

program "$T/server" server
program "$T/liar" liar
chown nobody "$T/liar"
as_nobody "$T/liar" &
liar=$!
expect_own_names path $liar

cat >"$T/start" <<SH
mount --bind "$T/liar" "$T/server" && exec setpriv --reuid nobody --regid nogroup --clear-groups "$T/server"
SH
unshare --mount sh "$T/start" &
liar=$!
expect_own_names namespace $liar
