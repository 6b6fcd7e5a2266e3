# SPDX-License-Identifier: GPL-2.0-or-later
# serve.sh: a server that answers as it is told, for the tests of this level; see server.py.

# serve ANSWER…: starts a server as $T/server, whose port is $port and whose process is $!
serve() {
	rm -rf "$T/server" && mkdir "$T/server"
	echo "$@" >"$T/server/answers"
	echo 0 >"$T/server/count"
	printf refuse >"$T/server/fault"
	setpriv --pdeathsig TERM python3 "$TOP/tests/fleet/server.py" "$T/server" &
	until_true test -e "$T/server/port"
	port=$(cat "$T/server/port")
	: >"$T/server/log"
}
