# SPDX-License-Identifier: GPL-2.0-or-later
# symbols/lib.sh: functions for tests/symbols/t/*.sh; sourced after lib.sh. Needs TOP and MADE (the programs built from tests/symbols/*.c),
# which `run` sets.

NOBODY=65534 # the user and the group for which names are looked up if we are root

# open_to_all: lets another user use the files in $T, and makes a home for that user
open_to_all() {
	chmod 755 "$T_top" "$T"
	HOME=$T/home
	XDG_CACHE_HOME=$T/home/.cache
	unset DEBUGINFOD_CACHE_PATH DEBUGINFOD_PROGRESS DEBUGINFOD_VERBOSE DEBUGINFOD_TIMEOUT DEBUGINFOD_MAXSIZE DEBUGINFOD_MAXTIME \
		SUDO_UID SUDO_GID
	export HOME XDG_CACHE_HOME
	empty_home
}

empty_home() {
	rm -rf "$HOME"
	mkdir -p "$XDG_CACHE_HOME"
	if [ "$(id -u)" = 0 ]; then chown -R "$NOBODY:$NOBODY" "$HOME"; fi
}

# as_nobody COMMAND…: runs COMMAND without privileges, with the same process ID
as_nobody() {
	if [ "$(id -u)" = 0 ]; then
		exec setpriv --reuid "$NOBODY" --regid "$NOBODY" --clear-groups -- "$@"
	else
		exec "$@"
	fi
}

# build_id FILE: prints the build-id
build_id() {
	readelf -n "$1" | sed -n 's/^ *Build ID: *//p'
}

# ---- servers: one at a time, $servers. A server sets DEBUGINFOD_URLS and SERVER, and $T/log lists its requests.

servers=''
at_end 'stop_servers'

stop_servers() {
	for server in $servers; do
		kill "$server" 2>/dev/null || :
		wait "$server" 2>/dev/null || :
	done
	servers=''
}

# serve HOW [FILE]: starts a bad server (server.py) and an empty home. The URL holds a password, which must not be shown.
serve() {
	stop_servers
	empty_home
	: >"$T/log"
	python3 "$TOP/tests/symbols/server.py" "$1" "$T/log" "${2:-$T/program}" 2>"$T/server.err" &
	servers=$!
	until_true grep -q '^port ' "$T/log" || note "$T/server.err"
	port=$(sed -n 's/^port //p' "$T/log")
	SERVER=http://127.0.0.1:$port
	DEBUGINFOD_URLS=http://joe:secret@127.0.0.1:$port/
	export DEBUGINFOD_URLS
}

# asked: prints how often the bad server was asked
asked() {
	grep -c '^ask ' "$T/log" || :
}

# serve_really FOLDER ID/KIND…: starts a real server for the files in FOLDER, which has all of these; fails if it does not start
serve_really() {
	# A free port may be taken by the time the server uses it.
	start_debuginfod "$@" || start_debuginfod "$@" || {
		not_ok 'a real server: it starts' 'see below'
		tail -n 20 "$T/log" | note
		return 1
	}
}

start_debuginfod() {
	stop_servers
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	SERVER=http://127.0.0.1:$port
	DEBUGINFOD_URLS=$SERVER
	served_folder=$1
	shift
	: >"$T/log"
	(
		unset DEBUGINFOD_URLS
		exec debuginfod -vvv -F ${no_source_scan---disable-source-scan} -d "$T/index.sqlite" -p "$port" "$served_folder"
	) >"$T/log" 2>&1 &
	servers=$!
	export DEBUGINFOD_URLS
	until_true indexed "$@"
}

indexed() {
	python3 - "$SERVER" "$@" <<'INDEXED' 2>/dev/null
import sys, urllib.request
for file in sys.argv[2:]:
    urllib.request.urlopen(f"{sys.argv[1]}/buildid/{file}", timeout=5)
INDEXED
}

# requests ID: prints how many requests of our client the real server answered
requests() {
	grep -c "UA:elfutils.*GET /buildid/$1/" "$T/log" || :
}
