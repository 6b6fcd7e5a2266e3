#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# python: Python stacks by real SystemTap, with modules that were built without a particular Python: a program that knows its own stack at
# each moment, on several releases, alone and mixed with C; where Python waits, and for the GIL; and a user's own script.
# roots: python-bullseye python-bookworm python-sid
# tier: all
set -eu
. /lab/guest.sh
. /lab/record.sh
. /lab/situations.sh

language=python

prepare() {
	# the module has unwind rules for what the target has loaded
	printf 'import asyncio, ctypes\nwhile True: pass\n' >"$LAB_WORK/loads.py"
	lab_start python3 "$LAB_WORK/loads.py"
	until_true grep -q _ctypes "/proc/$target/maps"
	lab_record -F 100 --python -p "$target" -o "$LAB_WORK/y.ko"
	lab_record -F 100 --mixed --python -p "$target" -o "$LAB_WORK/mixed.ko"
	lab_record --script off-cpu --python -k -p "$target" -o "$LAB_WORK/off.ko"
	lab_finish
	cat >"$LAB_WORK/own.stp" <<-'END'
		probe kernel.trace("sched_process_fork")
		{
			if (pid() != target())
				next
			print(python_backtrace_text())
			python_print_backtrace()
			printf("%s at %s, %s\n", python_function(), python_location(), python_state_name(python_backtrace()))
			exit()
		}
	END
	(cd "$LAB_WORK" && stap -p4 -r "$KVER" -m python_own -I /usr/local/share/flametap/tapsets/vm -I /usr/local/share/flametap/tapsets/python own.stp >/dev/null)
}

recorder() {
	sample-bt --module "$LAB_WORK/$module.ko" "$@"
}

# Where Python waits, with the kernel's part; and what its threads do with the GIL.
waits() {
	cat >"$T/waits.py" <<-'END'
		import time
		def naps():
		    time.sleep(0.05)
		while True:
		    naps()
		    for _ in range(100000): pass
	END
	lab_start python3 "$T/waits.py"
	module=off
	expect_record off 0 --script off-cpu --python -k -p "$target" -t 4
	check 'off: where it waits' grep -qE '^waits:<module>;waits:naps;.*_\[k\];.*_\[k\][; ]' "$T/off.folded"
	check_eq 'off: nothing else' '' "$(grep -vE '^waits:<module>(;waits:naps)?[; ]' "$T/off.folded")"
	lab_finish
	lab_keep "$T"/off.*
}

states() {
	cat >"$T/states.py" <<-'END'
		import zlib, os
		data = os.urandom(1 << 20)
		def packs():
		    zlib.compress(data, 9)
		def counts():
		    for _ in range(1000000): pass
		while True:
		    packs()
		    counts()
	END
	lab_start python3 "$T/states.py"
	module=y
	expect_record states 0 --python -p "$target" -t 6
	for state in gil no-gil; do
		bt-collapse --label vmstate=$state "$T/states.rec" >"$T/$state" 2>/dev/null || :
	done
	check 'states: without the GIL' grep -q '^states:<module>;states:packs ' "$T/no-gil"
	check_eq 'states: no other function runs without it' '' "$(grep -v '^states:<module>;states:packs ' "$T/no-gil")"
	check 'states: with the GIL' grep -q '^states:<module>;states:counts ' "$T/gil"
	lab_finish
	lab_keep "$T"/states.* "$T/gil" "$T/no-gil"
}

own_script() {
	cat >"$T/forks.py" <<-'END'
		import os, time
		def forks():
		    pid = os.fork()
		    if not pid: os._exit(0)
		    os.waitpid(pid, 0)
		class Shöp:
		    def works(self):
		        for n in range(2):
		            forks()
		while True:
		    Shöp().works()
		    time.sleep(0.1)
	END
	lab_start python3 "$T/forks.py"
	sample-bt --engine stap --python -p "$target" --module "$LAB_WORK/y.ko" -d >"$T/described"
	values=$(sed -n 's/^# staprun .*[.]ko //p' "$T/described")
	frames="forks $T/forks.py:3
Sh\\303\\266p.works $T/forks.py:9
<module> $T/forks.py:11"
	# shellcheck disable=SC2086
	timeout 300 staprun -R -x "$target" "$LAB_WORK/python_own.ko" $values >"$T/own.out" 2>"$T/own.err" || :
	check_eq "a user's own script" "$frames
$(printf '%s\n' "$frames" | sed 's/^/ /')
forks at $T/forks.py:3, gil" "$(cat "$T/own.out")"
	lab_keep "$T/own.out" "$T/own.err" "$T/described"
	lab_finish
}

in_guest() {
	module=y python=/usr/bin/python3.9
	situations 3.9 /lab/roots/python-bullseye 60 --python
	python=/usr/bin/python3.11
	situations 3.11 /lab/roots/python-bookworm 60 --python
	python=/usr/bin/python3.14
	situations 3.14 /lab/roots/python-sid 60 --python
	python=/usr/bin/python3.15
	situations 3.15 /lab/roots/python-sid 60 --python
	# SystemTap has unwind rules only for programs that are not in a root of their own
	module=mixed python=/usr/bin/python3
	situations mixed '' 60 --mixed --python
	waits
	states
	own_script
}

guest_main "$@"
