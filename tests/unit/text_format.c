/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "input/text_format.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Texts and the recognised format's name, or a part of the message. */
static const struct {
	const char *text, *is;
} texts[] = {
	{"# interval: 100\n# mode: wall\na;b 1\n", "folded"},
	{"#!a;b 1\n", "folded"},
	{"a;b 1\nWarning: something\n", "folded"},
	{"# comment\nmain+0x12\nlib+0x2 [a.so]\n12\n", "stap"},
	{"operator new(unsigned long, std::align_val_t) [a.so]\nmain+0x12\n12\n", "stap"},
	{"Tracing 1 functions for \"a\"... Hit Ctrl-C to end.\n^C\n  f\n  g\n    1\n", "bcc"},
	{"12:00:00\n    f\n    -                dd (1)\n        1\n", "bcc"},
	{"hello\n@[\n    f+1\n    g+2\n]: 3\n", "bpftrace"},
	{"a 1 1.5: 1 x: \n\t  12 f (/a)\n  a.c:12\n ABI:2 AX:0x1\n", "perf script"},
	{"a 1 \n\t          12203d f\n\t               0 [unknown]\n", "perf script"},

	{"first one\nsecond two\nthird three\nthe fourth; ends\n", "neither"},
	{"a 1 1.5: 1 x:\none thing\nand another\nand a third one\n", "neither"},
	{"many words are in this line\nand there are more of them\n12\n", "neither"},
	{"all of these words are not\na name of a map\nnor a frame\n@[a]: 1\n", "neither"},
	{"   ncalls  tottime  percall  cumtime\n     1    0.000    0.000 <string>:1(f)\n",
		"neither"},

	{"# callgrind format\nevents: Ir\nfn=main\n16 20\n", "callgrind"},
	{"version: 1\ncreator: callgrind-3.22\npid: 1\n1 2\n", "callgrind"},
	{"positions: line\nevents: Instructions\nfn=main\n16 20\n", "callgrind"},
	{"heap profile: 1: 2 [3: 4] @ heap/1048576\n1: 2 [3: 4] @ 0x42 0x43\n", "Go as text"},
	{"heap profile: 1: 2 [3: 4] @ heap_v2/524288\n1: 2 [3: 4] @ 0x42\n", "pprof -proto"},
	{"goroutine profile: total 3\n2 @ 0x43 0x44\n", "Go as text"},
	{"threadcreate profile: total 3\n2 @ 0x43 0x44\n", "Go as text"},
	{"--- mutex:\ncycles/second=1\n1 2 @ 0x43\n", "Go as text"},
	{"--- contention:\ncycles/second=1\n1 2 @ 0x43\n", "Go as text"},
	{"\tThu Nov 26 10:00 2026 Time and Allocation Profiling Report  (Final)\n", "GHC"},
	{"Analysis of sampling app (pid 1) every 1 millisecond\n", "macOS"},
	{"# To display the perf.data header info, please use --header\n#\n 9 % a\n", "perf report"},
	{"Flat profile:\n\n", "gprof"},
	{"<!DOCTYPE html>\n<html>\n", "web page"},
	{"\n<html>\n", "web page"},
	{"events: a;b 1\nevents: a;c 2\n", "folded"},
	{"\xff\xfe"
	 "a\0;\0b\0",
		"UTF-16"},
	{"DTiJ\1\1\1\1", "jitdump"},
	{"FLR\1\1\1\1\1", "JFR"},
	{"MOJ\3", "Austin"},
	{"*version\n3\ndata-file-overflow=false\nclock=dual\n", "Android"},
	{"SLOW\3", "Android"},
	{"*version;main 3\n", "folded"},
	{"Nettrace\x14\1\1\1", ".NET"},
	{"PERFFILE", "perf script"},
	{"2ELIFREP", "big-endian"},
	{"a\1\2\3\4\5\6", "binary"},
};

static void test_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const char *why = NULL;
		const struct text_format *format =
			text_format_of(texts[i].text, strlen(texts[i].text), &why);
		const char *is = format ? format->name : why;

		if (!strstr(is, texts[i].is))
			fail_msg("text %zu is '%s', not '%s'", i, is, texts[i].is);
	}
}

/* A line may end anywhere. */
static void test_every_prefix(void **state)
{
	const char *why;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		for (size_t n = strlen(texts[i].text); n; n--) {
			char *copy = xmalloc(n);

			memcpy(copy, texts[i].text, n);
			text_format_of(copy, n, &why);
			free(copy);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_every_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
