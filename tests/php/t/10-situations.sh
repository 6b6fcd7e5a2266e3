#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 10-situations: a program that knows its own stacks, on this system's PHP, without and with opcache's compiler; a process that runs no PHP.
set -u
. "$TOP/tests/php/lib.sh"

if [ -z "$php" ]; then
	skip 'situations' 'no php'
else
	php="$php -n"
	situations php '' 20
	situations mixed '' 20 --mixed
	php="$php -d zend_extension=opcache -d opcache.enable_cli=1 -d opcache.jit_buffer_size=32M -d opcache.jit=tracing"
	situations compiled '' 20
fi

sleep 100 &
sleeper=$!
"$bin/php-sample-bt" -p $sleeper -t 1 >"$T/out" 2>"$T/said"
check_eq 'no PHP: exit' 2 $?
check 'no PHP: said' grep -q "no PHP runs in what is to be recorded" "$T/said"
kill $sleeper
wait $sleeper 2>/dev/null || :
