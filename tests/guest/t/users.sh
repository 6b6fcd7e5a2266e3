#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# users: recordings by users other than root: a member of stapdev records processes of its own, a member of stapusr runs modules that root
# has installed, and others are told what they lack.
# tier: all
set -eu
. /lab/guest.sh
. /lab/record.sh

programs=/lab/made/users/programs

# as USER COMMAND…: runs COMMAND as USER in place of this shell
as() {
	user=$1
	shift
	exec setpriv --reuid "$user" --regid "$user" --init-groups env HOME="/lab/users/$user" "$@"
}

# start USER: starts a target that belongs to USER
start() {
	(as "$1" "$programs/ladder" 600 >/dev/null) &
	target=$!
	await_start "$target"
}

# the options of the module that is compiled and of the recordings
options='--overload 0 -F 200 -u'

prepare() {
	sh /lab/programs/build "$programs"
	start dev
	# shellcheck disable=SC2086
	(as dev sample-bt --compile-only -r "$KVER" $options -p "$target")
	sample-bt --compile-only -r "$KVER" $options -p "$target" -o "$LAB_WORK/ladder.ko"
	lab_finish
}

recorder() {
	(as "$user" sample-bt -p "$target" -t 3 "$@")
}

# own NAME USER CODE ARG…: checks what the user gets for a process of its own
own() {
	name=$1 user=$2 code=$3
	shift 3
	start "$user"
	expect_record "$name" "$code" "$@"
	lab_finish
}

in_guest() {
	mkdir -p "/lib/modules/$KVER/systemtap"
	cp "$LAB_WORK/ladder.ko" "/lib/modules/$KVER/systemtap/"
	chmod 755 "$T_top"
	chmod 1777 "$T"
	# shellcheck disable=SC2086
	own stapdev dev 0 $options
	check_eq 'stapdev: the file is its own' 'dev 600' "$(stat -c '%U %a' "$T/stapdev.folded")"
	own stapusr usr 0 --module "/lib/modules/$KVER/systemtap/ladder.ko"
	cp "$LAB_WORK/ladder.ko" "$T/ladder.ko"
	own 'stapusr, a module elsewhere' usr 2 --module "$T/ladder.ko"
	check 'stapusr: the preflight says what is missing' grep -q '^sample-bt: rights: ' "$T/stapusr, a module elsewhere.err"
	own neither plain 2 --module "$T/ladder.ko"
	check 'neither: the preflight says what is missing' grep -q '^sample-bt: rights: ' "$T/neither.err"
	(as plain sample-bt --check -u) >"$T/out" && status=0 || status=$?
	check_eq 'neither: check' 2 "$status"
	note "$T/out"

	"$programs/ladder" 60 >/dev/null &
	target=$! user=dev
	expect_record "stapdev, root's process" 2 -u
	check "stapdev, root's process: one line" test "$(grep -c . "$T/stapdev, root's process.err")" = 1
	lab_finish
}

guest_main "$@"
