#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 30-debuginfod: files from debuginfod servers: a real one, and bad ones (../server.py). Whatever a server does, the fetch ends, reports the
# problem in one line, and leaves nothing behind.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/symbols/lib.sh"

open_to_all
FETCH=$T/fetch
cp "$MADE/fetch" "$FETCH"
CACHE=$XDG_CACHE_HOME/debuginfod_client
STAMPS=$XDG_CACHE_HOME/flametap
ID=00112233445566778899aabbccddeeff00112233 # the build-id of no file
IDS="${ID}01 ${ID}02 ${ID}03 ${ID}04 ${ID}05 ${ID}06 ${ID}07 ${ID}08"
AWAY=$T/away # a folder that is not a server

# fetch ARG…: leaves $T/out, $T/err and $status, which is 124 if it did not end
fetch() {
	status=0
	(as_nobody timeout -s KILL 60 "$FETCH" "$@") >"$T/out" 2>"$T/err" || status=$?
}

results() {
	cut -d' ' -f 1 "$T/out" | uniq -c | sed 's/^ *//'
}

# notes: prints the notes at the end, without the names of the program and of the server
notes() {
	grep -v ': debuginfod: fetch' "$T/err" | sed "s/^[^:]*: //; s#$SERVER#SERVER#; s/ [0-9]* s ago/ N s ago/; s/another [0-9]* s/another N s/" || :
}

cached() {
	find "$CACHE" -type f -path '*/*/*' ! -name '*_s' 2>/dev/null | sed "s#^$CACHE/##" | sort
}

stamped() {
	find "$STAMPS" -name 'debuginfod-silent-*' 2>/dev/null | wc -l
}

# clean NAME: checks that nothing is left behind
clean() {
	check_eq "$1: no file that was begun" '' "$(find "$HOME" -name '*.??????')"
	check_eq "$1: no process" '' "$(pgrep -f "^$FETCH" || :)"
	check_eq "$1: no password" '' "$(cat "$T/out" "$T/err" | grep secret || :)"
}

# bad HOW RESULTS NOTES CACHED ARG…: checks the results of this server for two files, or for the files in the last arguments
bad() {
	serve "$1"
	bad_name="bad servers: $1"
	bad_results=$2
	bad_notes=$3
	bad_cached=$4
	shift 4
	fetch "$@" "${ID}01=libone.so" "${ID}02=libtwo.so"
	check_eq "$bad_name: exit code" 0 "$status"
	check_eq "$bad_name: results" "$bad_results" "$(results)"
	check_eq "$bad_name: notes" "$bad_notes" "$(notes)"
	check_eq "$bad_name: cached" "$bad_cached" "$(cached | wc -l)"
	clean "$bad_name"
}

# ---- programs, and a real server

cat >"$T/program.c" <<'END'
#include <stdio.h>
int main(void)
{
	return puts("hello") < 0;
}
END
"${CC:-cc}" -g -Wl,--build-id -o "$T/whole" "$T/program.c"
mkdir "$T/files" "$AWAY"
objcopy --only-keep-debug "$T/whole" "$T/files/program.debug"
strip -o "$T/program" "$T/whole"
cp "$T/program" "$T/files/program"
id=$(build_id "$T/program")

real() {
	serve_really "$T/files" "$id/debuginfo" "$id/executable" || return 0
	fetch "$id=program" "${ID}01=unknown"
	check_eq 'a real server: results' "found program $CACHE/$id/debuginfo
unknown unknown -" "$(cat "$T/out")"
	check_eq 'a real server: nothing to say' '' "$(cat "$T/err")"
	check 'a real server: the file' cmp "$CACHE/$id/debuginfo" "$T/files/program.debug"
	fetch -x "$id=program"
	check 'a real server: the executable' cmp "$CACHE/$id/executable" "$T/files/program"

	check_eq 'what is unknown: it was asked for' 1 "$(requests "${ID}01")"
	fetch "${ID}01"
	check_eq 'what is unknown: known from the cache' '1 unknown' "$(results)"
	check_eq 'what is unknown: not asked for again' 1 "$(requests "${ID}01")"
	fetch -n "${ID}01"
	check_eq 'what is unknown: asked for when that is wished' 2 "$(requests "${ID}01")"

	stop_servers
	mkdir -p "$STAMPS"
	fetch "$id=program"
	check_eq 'the cache: no server needed' "found program $CACHE/$id/debuginfo" "$(cat "$T/out")"
	(as_nobody env LD_DEBUG=files "$FETCH" "$id=program") >"$T/out" 2>"$T/err" || :
	check_eq 'the cache: the library is not loaded' 0 "$(grep -c 'file=libdebuginfod\|file=libcurl' "$T/err" || :)"
	fetch -r "$id=program"
	check_eq 'the cache: what is rejected is gone' "$id/executable" "$(cached | grep "^$id")"
	clean 'a real server'
}

if command -v debuginfod >/dev/null; then
	real
else
	skip 'a real server' 'no debuginfod'
fi

# ---- no server

serve file
DEBUGINFOD_URLS=
fetch "$ID"
check_eq 'no server: said' 'no servers' "$(cat "$T/out" "$T/err")"
DEBUGINFOD_URLS='  '
fetch "$ID"
check_eq 'no server: blanks are none' 'no servers' "$(cat "$T/out" "$T/err")"
check_eq 'no server: nothing asked' 0 "$(asked)"
DEBUGINFOD_URLS=http://127.0.0.1:$port
fetch "../../../../../../../..$AWAY" 0 abc 0123456789ABCDEF "$(printf %0130d 0)" ''
check_eq 'no build-id: results' '6 unknown' "$(results)"
check_eq 'no build-id: nothing asked' '0 ' "$(asked) $(cat "$T/err")"

# ---- bad servers

bad moved '2 found' '' 2
bad garbage '2 found' '' 2
bad garbage '2 found' '' 0 -r
bad short '2 found' '' 2
bad status-404 '2 unknown' '' 2
bad status-500 '2 failed' 'debuginfod: SERVER answered with HTTP status 500; 2 files were not fetched' 2
bad circle '2 failed' 'debuginfod: SERVER redirected without end; 2 files were not fetched' 2
bad close '2 failed' 'debuginfod: SERVER failed: Server returned nothing (no headers, no data); 2 files were not fetched' 2
bad broken '2 failed' 'debuginfod: SERVER failed: Failure when receiving data from the peer; 2 files were not fetched' 0
check_eq 'bad servers: broken: one try for each' 2 "$(asked)"
DEBUGINFOD_MAXSIZE=10000000
export DEBUGINFOD_MAXSIZE
bad endless '2 failed' 'debuginfod: SERVER sent too much; $DEBUGINFOD_MAXSIZE may allow more; 2 files were not fetched' 2
unset DEBUGINFOD_MAXSIZE
bad endless '2 timeout' 'debuginfod: SERVER took more than 1 s; 2 files were not fetched' 0 -f 1
bad drip '2 timeout' 'debuginfod: SERVER took more than 1 s; 2 files were not fetched' 0 -f 1
bad drip '2 timeout' 'debuginfod: SERVER took more than 5 s for all files; 2 files were not fetched' 0 -a 5 -s 3
check_eq 'bad servers: drip: not silent' 0 "$(stamped)"
bad hang '2 timeout' 'debuginfod: SERVER did not answer within 2 s; 2 files were not fetched' 0 -s 2
bad mute '2 timeout' 'debuginfod: SERVER did not answer within 1 s; 2 files were not fetched' 0 -s 1

# ---- servers that do not answer are left alone for a while

rest='debuginfod: SERVER did not answer N s ago and will not be asked for another N s; 2 files were not fetched'
check_eq 'silent servers: remembered' 1 "$(stamped)"
check_eq 'silent servers: asked' 2 "$(asked)"
fetch "${ID}01" "${ID}02"
check_eq 'silent servers: not asked again' "2 $rest" "$(asked) $(notes)"
check_eq 'silent servers: left out' '2 left-out' "$(results)"
fetch -n -s 1 "${ID}01" "${ID}02"
check_eq 'silent servers: asked when that is wished' '4 2 timeout' "$(asked) $(results)"
find "$STAMPS" -name 'debuginfod-silent-*' -exec touch -d '11 minutes ago' {} +
fetch -s 1 "${ID}01" "${ID}02"
check_eq 'silent servers: asked later' '6 2 timeout' "$(asked) $(results)"
serve mute
# shellcheck disable=SC2086
fetch -s 1 $IDS
check_eq 'silent servers: the rest is left out' '4 timeout
4 left-out' "$(results)"
check_eq 'four at a time: no more are asked for' 4 "$(asked)"
check_eq 'silent servers: one line for all' 'debuginfod: SERVER did not answer within 1 s; 8 files were not fetched' "$(notes)"

serve file
kill -STOP "$servers"
fetch -s 1 "${ID}01"
check_eq 'silent servers: one that sleeps' '1 1 timeout' "$(stamped) $(results)"
kill -CONT "$servers"
fetch -n "${ID}01"
check_eq 'silent servers: forgiven when it answers' '0 1 found' "$(stamped) $(results)"

serve mute
stop_servers
fetch "${ID}01" "${ID}02" "${ID}03" "${ID}04" "${ID}05"
check_eq 'refused: said once' "debuginfod: SERVER cannot be reached: Couldn't connect to server; 5 files were not fetched" "$(notes)"
check_eq 'refused: no more than four tried' '4 failed
1 left-out' "$(results)"
check_eq 'refused: remembered' 1 "$(stamped)"
clean refused
fetch "${ID}01" "${ID}02"
check_eq 'refused: not asked again' "$rest" "$(notes)"
DEBUGINFOD_URLS=http://no-such-host.invalid/
SERVER=http://no-such-host.invalid
fetch "${ID}01=libone.so"
check_eq 'no such host: said' "debuginfod: SERVER cannot be reached: Couldn't resolve host name; 'libone.so' was not fetched" "$(notes)"

# it is enough if one of two servers works
serve file
DEBUGINFOD_URLS="http://127.0.0.1:1 $DEBUGINFOD_URLS"
fetch "${ID}01"
check_eq 'two servers, one refuses: found' '1 found ' "$(results) $(notes)"
serve status-404
DEBUGINFOD_URLS="http://127.0.0.1:1 $DEBUGINFOD_URLS"
fetch "${ID}01"
check_eq 'two servers, one refuses: not remembered' 0 "$(stamped)"

# ---- the output that users see

serve four
# shellcheck disable=SC2086
fetch $IDS
check_eq 'four at a time: all came' '8 found' "$(results)"

serve slow
fetch "${ID}01" "${ID}02"
size=$(wc -c <"$T/program" | awk '{ printf "%.1f", 2 * $1 / 1e6 }')
check_eq 'progress: two lines' "debuginfod: fetching 2 files from $SERVER
debuginfod: fetched 2 of 2 files, $size MB from $SERVER" "$(sed 's/^[^:]*: //' "$T/err")"
empty_home
fetch -q "${ID}01"
check_eq 'progress: none when quiet' '' "$(cat "$T/err")"

# on_terminal ARG…: runs fetch with a terminal of 100 columns as stderr; its output is $T/err, with "\r" as line ends
on_terminal() {
	python3 - "$T/terminal" "$(id -u)" "$NOBODY" "$FETCH" "$@" <<'END' >"$T/out"
import fcntl, os, pty, struct, sys, termios
log, uid, nobody, *command = sys.argv[1:]
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
pid = os.fork()
if pid == 0:
    os.dup2(slave, 2)
    if uid == "0":
        os.setgroups([])
        os.setresgid(*[int(nobody)] * 3)
        os.setresuid(*[int(nobody)] * 3)
    os.execv(command[0], command)
os.close(slave)
with open(log, "wb") as out:
    try:
        while data := os.read(master, 4096):
            out.write(data)
    except OSError:
        pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
	tr -d '\n' <"$T/terminal" | tr '\r' '\n' >"$T/err"
}

escape=$(printf '\033')
serve hang
on_terminal -f 2 "${ID}01=lib${escape}[2Jö$(printf %080d 0 | sed 's/0/ö/g')"
check 'progress: on a terminal' grep -q "^fetch: debuginfod: 0.0 of 0.0 MB from $SERVER, file 1 of 1: lib.x1b.2Jöö*$escape\[K\$" "$T/err"
check_eq 'progress: a line of the terminal' '' "$(grep "$escape\[K" "$T/err" | sed "s/$escape\[K.*//" | LC_ALL=C awk 'length($0) > 99')"
check 'progress: whole characters' iconv -f utf-8 -t utf-8 "$T/err"
check_eq 'progress: names do no harm' 0 "$(grep -c "$escape\[2J" "$T/err" || :)"
check_eq 'progress: it goes away' "${escape}[K" "$(sed "s/^\($escape\[K\).*/\1/" "$T/err" | grep "^$escape" | tail -n 1)"
clean 'progress: on a terminal'

# ---- Ctrl-C ends the waiting

serve mute
# shellcheck disable=SC2086
(as_nobody env --default-signal=INT "$FETCH" $IDS) >"$T/out" 2>"$T/err" &
pid=$!
check 'Ctrl-C: four are asked for' until_true grep -q 'with 4' "$T/log"
kill -INT "$pid"
status=0
wait "$pid" || status=$?
check_eq 'Ctrl-C: the program goes on' '0 8 left-out' "$status $(results)"
check_eq 'Ctrl-C: said' 'debuginfod: interrupted; 8 files were not fetched' "$(notes)"
check_eq 'Ctrl-C: nothing is remembered' '0 ' "$(stamped) $(cached)"
clean 'Ctrl-C'

serve hang
# shellcheck disable=SC2086
(as_nobody "$FETCH" $IDS) >"$T/out" 2>"$T/err" &
pid=$!
check 'killed: four are asked for' until_true grep -q 'with 4' "$T/log"
kill -KILL "$pid"
wait "$pid" 2>/dev/null || :
gone() {
	! pgrep -f "^$FETCH" >/dev/null
}
check 'killed: the children end' until_true gone
clean killed

# ---- the library

serve file
mkdir "$T/library"
"${CC:-cc}" -shared -fPIC -Wl,-soname,libdebuginfod.so.1 -o "$T/library/libdebuginfod.so.1" "$TOP/tests/symbols/stand-in/debuginfod.c"
LD_LIBRARY_PATH=$T/library
STAND_IN=crash
export LD_LIBRARY_PATH STAND_IN
fetch "${ID}01" "${ID}02"
check_eq 'the library crashes: said' 'debuginfod: SERVER failed: libdebuginfod crashed (Aborted); 2 files were not fetched' "$(notes)"
clean 'the library crashes'
STAND_IN=hang
fetch -f 3 "${ID}01" "${ID}02"
check_eq 'the library hangs: said' 'debuginfod: SERVER took more than 3 s; 2 files were not fetched' "$(notes)"
clean 'the library hangs'
printf 'no library' >"$T/library/libdebuginfod.so.1"
fetch "${ID}01=libone.so"
check 'the library is none: said' grep -q "debuginfod: cannot load libdebuginfod: .*; 'libone.so' was not fetched" "$T/err"
unset LD_LIBRARY_PATH STAND_IN

# ---- sudo: the servers and the cache are the caller's

# under_sudo [NO_URLS]: fetches with the settings of sudo's caller
under_sudo() {
	serve file
	cp "$MADE/sudo" "$T/sudo"
	[ $# = 0 ] || DEBUGINFOD_URLS=
	(
		AS=$NOBODY
		export AS
		exec "$T/sudo" "$FETCH" "${ID}01=libone.so"
	) >"$T/out" 2>"$T/err"
}

if [ "$(id -u)" = 0 ]; then
	under_sudo
	check_eq 'sudo: as its caller set it' "found libone.so $CACHE/${ID}01/debuginfo" "$(cat "$T/out")"
	check_eq 'sudo: the file is that user'"'"'s' "$NOBODY" "$(stat -c %u "$CACHE/${ID}01/debuginfo")"
	under_sudo none
	check_eq 'sudo: its caller wants no server' 'no servers 0' "$(cat "$T/out") $(asked)"
else
	skip sudo 'not root'
fi
