#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# php: PHP stacks by real SystemTap, with modules that were built without a particular PHP: a program that knows its own stack at each
# moment, on several releases, alone and mixed with C; where PHP waits; and a user's own script.
# roots: php-bullseye php-bookworm php-sid
# tier: all
set -eu
. /lab/guest.sh
. /lab/record.sh
. /lab/situations.sh

language=php
sid=/lab/roots/php-sid

prepare() {
	lab_start chroot $sid php8.4 -n -r 'for (;;);'
	lab_record -F 100 --php -p "$target" -o "$LAB_WORK/z.ko"
	lab_record -F 100 --mixed --php -p "$target" -o "$LAB_WORK/mixed.ko"
	lab_record --script off-cpu --php -k -p "$target" -o "$LAB_WORK/off.ko"
	lab_finish
	cat >"$LAB_WORK/own.stp" <<-'END'
		probe kernel.trace("sched_process_fork")
		{
			if (pid() != target())
				next
			print(php_backtrace_text())
			php_print_backtrace()
			printf("%s at %s\n", php_function(), php_location())
			exit()
		}
	END
	(cd "$LAB_WORK" && stap -p4 -r "$KVER" -m php_own -I /usr/local/share/flametap/tapsets/vm -I /usr/local/share/flametap/tapsets/php own.stp >/dev/null)
}

recorder() {
	sample-bt --module "$LAB_WORK/$module.ko" "$@"
}

# program FILE: copies a program from the standard input into the root
program() {
	cat >"$sid/tmp/$1"
}

waits() {
	program waits.php <<-'END'
		<?php
		function naps() {
		    usleep(50000);
		}
		for (;;) {
		    naps();
		    for ($n = 0; $n < 100000; $n++);
		}
	END
	lab_start chroot $sid php8.4 -n /tmp/waits.php
	module=off
	expect_record off 0 --script off-cpu --php -k -p "$target" -t 4
	check 'off: where it waits' grep -qE '^{main};naps;usleep;.*_\[k\];.*_\[k\][; ]' "$T/off.folded"
	check_eq 'off: nothing else' '' "$(grep -vE '^{main}(;naps;usleep)?[; ]' "$T/off.folded")"
	lab_finish
	lab_keep "$T"/off.*
}

own_script() {
	program part.php <<-'END'
		<?php
		if (!class_exists('Shöp')) {
		    class Shöp {
		        function works() {
		            array_map(function ($n) {
		                exec('true');
		            }, [1]);
		        }
		    }
		}
		(new Shöp)->works();
	END
	program forks.php <<-'END'
		<?php
		for (;;) {
		    include '/tmp/part.php';
		    usleep(100000);
		}
	END
	lab_start chroot $sid php8.4 -n /tmp/forks.php
	sample-bt --engine stap --php -p "$target" --module "$LAB_WORK/z.ko" -d >"$T/described"
	values=$(sed -n 's/^# staprun .*[.]ko //p' "$T/described")
	frames='exec ?
Sh\u00F6p::{closure} /tmp/part.php:6
array_map ?
Sh\u00F6p::works /tmp/part.php:5
include part.php /tmp/part.php:11
{main} /tmp/forks.php:3'
	# shellcheck disable=SC2086
	timeout 300 staprun -R -x "$target" "$LAB_WORK/php_own.ko" $values >"$T/own.out" 2>"$T/own.err" || :
	check_eq "a user's own script" "$frames
$(printf '%s\n' "$frames" | sed 's/^/ /')
exec at /tmp/part.php:6" "$(sed 's/{closure[^}]*}/{closure}/' "$T/own.out")"
	lab_keep "$T/own.out" "$T/own.err" "$T/described"
	lab_finish
}

in_guest() {
	module=z
	for of in bullseye:7.4 bookworm:8.2 sid:8.4; do
		php="/usr/bin/php${of#*:} -n"
		situations "${of#*:}" "/lab/roots/php-${of%:*}" 60 --php
	done
	# SystemTap has unwind rules only for programs that are not in a root of their own
	module=mixed php='php -n'
	situations mixed '' 60 --mixed --php
	waits
	own_script
}

guest_main "$@"
