# SPDX-License-Identifier: GPL-2.0-or-later
# symbols/lib.sh: sourced by tests/symbols/t/*.sh behind lib.sh. Needs TOP and MADE (what tests/symbols/*.c became), which `run` sets.

NOBODY=65534 # the user and the group for whom names are looked up, where we are root

# open_to_all: somebody else shall use what is in $T, and a home of his own
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

# as_nobody COMMAND…: without privileges, with the same process id
as_nobody() {
	if [ "$(id -u)" = 0 ]; then
		exec setpriv --reuid "$NOBODY" --regid "$NOBODY" --clear-groups -- "$@"
	else
		exec "$@"
	fi
}

# build_id FILE
build_id() {
	readelf -n "$1" | sed -n 's/^ *Build ID: *//p'
}

# ---- servers: one at a time, $servers. It gets DEBUGINFOD_URLS, SERVER, and $T/log, what it was asked for.

servers=''
at_end 'stop_servers'

stop_servers() {
	for server in $servers; do
		kill "$server" 2>/dev/null || :
		wait "$server" 2>/dev/null || :
	done
	servers=''
}

# serve HOW [FILE]: a bad one (server.py), for a home that is empty. The URL holds a password, which nobody shall see.
serve() {
	stop_servers
	empty_home
	: >"$T/log"
	python3 "$TOP/tests/symbols/server.py" "$1" "$T/log" "${2:-$T/program}" 2>"$T/server.err" &
	servers=$!
	until_true 30 grep -q '^port ' "$T/log" || note "$T/server.err"
	port=$(sed -n 's/^port //p' "$T/log")
	SERVER=http://127.0.0.1:$port
	DEBUGINFOD_URLS=http://joe:secret@127.0.0.1:$port/
	export DEBUGINFOD_URLS
}

# asked: how often the bad server was
asked() {
	grep -c '^ask ' "$T/log" || :
}

# serve_really FOLDER ID/KIND…: a real one of the files in FOLDER, which has all of these; false: it does not start
serve_really() {
	# A port that is free now may be taken when the server gets to it.
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
	until_true 30 indexed "$@"
}

indexed() {
	python3 - "$SERVER" "$@" <<'INDEXED' 2>/dev/null
import sys, urllib.request
for file in sys.argv[2:]:
    urllib.request.urlopen(f"{sys.argv[1]}/buildid/{file}", timeout=5)
INDEXED
}

# requests ID: how many of our client the real server answered
requests() {
	grep -c "UA:elfutils.*GET /buildid/$1/" "$T/log" || :
}
