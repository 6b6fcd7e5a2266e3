#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# fuse: the target runs a program of a FUSE file system that does not answer, and a recording names such files. A process that accesses it
# waits and cannot even be killed until the file system ends. A file system that answers only its own user is read as that user.
set -eu
. "$TOP/tests/hostile/lib.sh"

chmod 711 "$T_top" "$T"
mkdir "$T/files"
bin=$(dirname "$BIN")
server=
at_end 'stop'

# serve [WHAT]: starts a file system that does not answer WHAT; $target runs its program
serve() {
	: >"$T/out"
	"$CASES/fuse" "$T/files" "$@" >"$T/out" 2>&1 &
	server=$!
	until_true grep -q . "$T/out" || :
	target=$(cat "$T/out")
	grep -qx '[0-9]*' "$T/out"
}

stop() {
	[ -z "$server" ] || kill -9 "$server" 2>/dev/null || :
	wait 2>/dev/null || :
	umount -l "$T/files" 2>/dev/null || :
	server=
}

if ! serve; then
	skip fuse "$(cat "$T/out")"
	exit 0
fi

for how in "-p $target" -a; do
	# shellcheck disable=SC2086 # options
	expect_record "${how%% *}" 0 $how -u -t 1 </dev/null
	check "${how%% *}: it did not wait for an answer" kill -0 "$server"
	check "${how%% *}: why stacks are cut" grep -q '\[truncated: program (no answer)\]' "$T/${how%% *}.folded"
	# with -a another test's process may not answer, either
	check "${how%% *}: it says whose file it is" grep -qE \
		"^sample-bt: memory or files of (process $target|[0-9]+ processes, such as process [0-9]+) do not answer" "$T/${how%% *}.err"
	expect_samples "${how%% *}"
done
stop

serve private || note "$T/out"
check 'private: not even root may read it' eval '! head -c 1 "$T/files/program"'
record_until_decided private main -u -p "$target"
stop

# id_of FILE: prints the build-id
id_of() {
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

cp "$CASES/exits" "$T/good"
{
	echo "$(id_of "$CASES/fuse") $T/files/program"
	seq 20 | awk -v path="$T/files/program" '{ printf "%040x %s%d\n", $1, path, $1 }'
	echo "$(id_of "$T/good") $T/good"
} | recording_of >"$T/names.rec"

# view COMMAND…: checks that COMMAND ends without an answer, and names the only frame of the file that answers
view() {
	bounded "$@" --min-quality 0 "$T/names.rec" >"$T/view" 2>"$T/err"
	note "$T/err"
	check_eq "$silent, $1: exit code" 0 "$status"
	check "$silent, $1: it did not wait for an answer" kill -0 "$server"
	check "$silent, $1: other files" grep -q 'frames 4.5 % named' "$T/err"
	check "$silent, $1: it is said" grep -q 'not answer (FUSE' "$T/err"
}

PATH=$bin:$PATH
for silent in all read flush; do
	# shellcheck disable=SC2046 # the kind "all" is no word
	serve $([ $silent = all ] || echo $silent) || note "$T/out"
	case $silent in # both take seconds
	all) view bt-report ;;
	*) view bt-resolve --missing ;;
	esac
	stop
done
