#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 47-java: Java's code is unwound with the JVM's own description of it, with and without a frame pointer, compiled and interpreted.
# tier: all
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"
asks_jvms

if ! command -v java >/dev/null || ! command -v javac >/dev/null; then
	skip 'java' 'no java or javac'
	exit 0
fi
cat >"$T/Work.java" <<'END'
import java.util.*;
import java.util.stream.*;
public class Work {
	static volatile long sink;
	static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
	static long down(int n) { return n == 0 ? fib(18) : down(n - 1) + 1; }
	static long add(int n) {
		return IntStream.range(0, n).mapToObj(Integer::toString).filter(x -> x.length() > 2).mapToLong(String::hashCode).sum();
	}
	public static void main(String[] args) {
		for (long i = 0;; i++) {
			sink += down(100) + add(2000);
			if (i == 20) System.out.println("spinning");
		}
	}
}
END
if ! javac -d "$T" "$T/Work.java" >"$T/javac" 2>&1; then
	not_ok 'java: the program compiles' "$(cat "$T/javac")"
	exit 0
fi

# whole NAME OPTION…: checks that stacks of Java with these options begin where threads begin
whole() {
	whole_name=$1
	shift
	start java "$@" -XX:+UseSerialGC -cp "$T" Work
	record_until_decided "$whole_name" "^$case_start(;[^;]+)*" -p "$target" -u
	finish
}

whole 'java'
whole 'java -Xint' -Xint
whole 'java -XX:+PreserveFramePointer' -XX:+PreserveFramePointer
whole 'java with one heap for its code' -XX:-SegmentedCodeCache
