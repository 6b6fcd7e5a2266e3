#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# own-scripts: the worked examples of flametap-scripts(7), as a user's own scripts, with a program that knows its figures. SystemTap may skip a
# probe while another processor is in one, so that there may be fewer events, but not more.
set -eu
. /lab/guest.sh
. /lab/record.sh

BIN=$(command -v sample-bt || :)
N=20

# install_scripts: takes the scripts from the man page
install_scripts() {
	mkdir -p /root/.config/flametap/stap
	awk '/^\.Ed/ { out = "" } out { gsub(/\\e/, "\\"); print >out } /^\/\/ [a-z]*\.stp: / { sub(/:/, "", $2)
		out = "/root/.config/flametap/stap/" $2 }' /usr/local/share/man/man7/flametap-scripts.7
}

prepare() {
	TARGET=$LAB_WORK/target
	cc -O1 -g -fno-inline -o "$TARGET" /lab/programs/own_scripts.c
	install_scripts
	check 'they are listed' test "$(sample-bt --scripts | grep -c '/root/.config/flametap/stap/')" = 3
	check 'an option of a script' sh -c 'sample-bt --script pages --help | grep -q -- --min-order=N'
	lab_start "$TARGET" wait "$LAB_WORK/file" $N
	for script in signals pages syncs; do
		lab_module $script --script $script --stap-arg $lab_lock_wait -p "$target"
	done
	lab_finish
}

recorder() {
	lab_module "$script" --script "$script" --min-quality 1 "$@"
}

# begin_target SCRIPT: records the target until it has ended
begin_target() {
	script=$1
	rm -f "$T/go"
	"$TARGET" "$T/go" "$LAB_WORK/file" $N &
	target=$!
	begin_record "$script" -p "$target"
	: >"$T/go"
	end_record
	check_eq "$script: exit code" 0 "$status"
	note "$T/$script.err"
}

in_guest() {
	TARGET=$LAB_WORK/target
	install_scripts
	begin_target signals
	sent=$(weight "$T/signals.folded" ';main;sends;.*')
	check "signals: $sent from the function that sends them" test "$sent" -ge 1 -a "$sent" -le $N
	begin_target pages
	check 'pages: of the function that touches memory' test "$(weight "$T/pages.folded" ';main;touches;.*')" -ge 4096
	begin_target syncs
	calls=$("${BIN%/*}/bt-collapse" --event calls "$T/syncs.rec" 2>/dev/null | awk '/;main;syncs;/ { n += $NF } END { print n + 0 }')
	check "syncs: $calls calls of the function that syncs" test "$calls" -ge 1 -a "$calls" -le $N
	lab_keep "$T"/*.folded "$T"/*.err
}

guest_main "$@"
