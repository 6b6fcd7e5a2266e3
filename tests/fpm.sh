# SPDX-License-Identifier: GPL-2.0-or-later
# fpm.sh: functions for tests with php-fpm. Sourced after lib.sh.

# find_fpm: sets $fpm to this system's php-fpm, or to nothing
find_fpm() {
	fpm=$(PATH=$PATH:/usr/sbin; command -v php-fpm || ls /usr/sbin/php-fpm[0-9]* 2>/dev/null | head -n 1)
}

# start_fpm SOCKET: starts php-fpm with one worker, in the pool shop, at SOCKET, which all users may use; $! is the master
start_fpm() {
	cat >"$T/fpm.conf" <<-END
		[global]
		error_log = $T/fpm.log
		[shop]
		user = root
		group = root
		listen = $1
		listen.mode = 0666
		pm = static
		pm.max_children = 1
	END
	"$fpm" -n -R -F -y "$T/fpm.conf" >/dev/null 2>&1 &
	until_true test -S "$1"
}
