#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 30-many: many traces, which are flushed all the time, and many Lua states in a process: each stack has the frames of one function.
# tier: all
set -u
. "$TOP/tests/lua/lib.sh"

# judge_many: writes the recording with "right" or "wrong" as the root frame; wrong are functions with unequal numbers, and frames that the
# program does not have
judge_many() {
	record_longer many -p $target
	perl -ne 'my ($stack) = /^(.*) \d+$/; my ($wrong, %of);
		for (split /; ?/, $stack) {
			s/_\[j\]$//;
			next if /^(many:.*|\[lua: not running\]|\[trace\]|assert|jit[.]flush|ffi[.].*|lua_.*|luajit.*)$/;
			if (/^f(\d+):(\d+|inner_\1)$/) { $of{$1} = 1 } else { $wrong = 1 }
		}
		print $wrong || keys %of > 1 ? "wrong" : "right", ";$_"' "$T/many.folded" >"$T/judged"
	grep -oE 'inner_[0-9]+_\[j\]' "$T/many.folded" >>"$T/inlined"
}

many_inlined() {
	judge_many
	[ "$(sort -u "$T/inlined" | wc -l)" -ge 50 ]
}

# many MODE: records until it is decided and fifty functions were seen inlined
many() {
	: >"$T/said"
	luajit "$here/many.lua" "$1" >"$T/said" 2>&1 &
	target=$!
	until_true grep -q '^ready' "$T/said" || not_ok "$1: the program" "$(head -n 1 "$T/said")"
	: >"$T/inlined"
	until_decided "$1: stacks" "$T/judged" '^right;.*' judge_many
	check "$1: inlined functions" until_true many_inlined
	kill $target
	wait $target 2>/dev/null || :
}

many flushes
many states
