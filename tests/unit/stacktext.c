/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "input/stackline.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "text_test.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void check_line(const char *text, const char *name, const char *module, bool cut)
{
	struct stackline l;

	stackline_parse(&l, text, strlen(text));
	assert_int_equal(l.name_len, strlen(name));
	assert_memory_equal(l.name ? l.name : "", name, l.name_len);
	assert_int_equal(l.module_len, strlen(module));
	assert_memory_equal(l.module ? l.module : "", module, l.module_len);
	assert_int_equal(l.cut, cut);
}

static void test_lines(void **state)
{
	(void)state;
	check_line("0x1 : f+0x12/0x80 [/usr/lib/libstdc++.so.6]", "f", "/usr/lib/libstdc++.so.6",
		false);
	check_line("0x1 : f+0x12/0x80 at /c++/x.h:3 [/a b/[c]/d]", "f", "/a b/[c]/d", false);
	check_line("operator+(A,A) [bar]", "operator+(A,A)", "bar", false);
	check_line("operator+", "operator+", "", false);
	check_line("0x1 [libfoo.so+0x1234/0x5000]", "", "libfoo.so", false);
	check_line("0x1 : 0x1 [/x/libfoo.so+0x1234/0x5000]", "", "/x/libfoo.so", false);
	check_line("0x1", "", "", false);
	check_line("[libfoo.so]+0x12 [/x/libfoo.so]", "[libfoo.so]", "/x/libfoo.so", false);
	check_line("[truncated: a]+0x0", "[truncated: a]", "", false);
	check_line("f+0x", "f", "", true);
	check_line("f+0x12/0x", "f", "", true);
	check_line("f+0x12 [/usr/lib/li", "f", "", true);
	check_line("0x1 [libfoo.so+0x1", "", "", true);
}

/* Every prefix of a line is parsed without reading behind it. */
static void test_every_prefix(void **state)
{
	static const char text[] = "0x7f12 : f+0x12/0x80 at /c++/x.h:3 [/a b/[c]/d] (inexact)";

	(void)state;
	for (size_t n = 1; n < sizeof(text); n++) {
		char *copy = xmalloc(n);
		struct stackline l;

		memcpy(copy, text, n);
		stackline_parse(&l, copy, n);
		assert_true(l.name_len <= n && l.module_len <= n);
		stackline_is_list(copy, n);
		stackline_is_number(copy, n);
		free(copy);
	}
}

static int read_with(struct profile *p, const char *text, size_t len, struct text_options options)
{
	struct strbuf notes = STRBUF_INIT;
	int ret = text_read(&stacktext_format, &options, text, len, p, &notes);

	assert_int_equal(ret != 0, notes.len != 0);
	strbuf_release(&notes);
	return ret;
}

static int read_text(struct profile *p, const char *text, size_t len)
{
	return read_with(p, text, len, (struct text_options){0});
}

static void test_sources(void **state)
{
	static const struct {
		const char *line, *source; /* source is "" if there is none */
	} lines[] = {
		{"0x1 : f+0x1/0x2 at /usr/src/a.c:12 [/bin/app]", "a.c:12"},
		{"0x1 : f+0x1 at a.c:12 [/bin/app]", "a.c:12"},
		{"0x1 : f+0x1 at a.c:12", "a.c:12"},
		{"0x1 : f+0x1 at /my dir [x]/b.c:7 [/bin/[app]]", "b.c:7"},
		{"0x1 : f+0x1 at /c\\x2b\\x2b/d\\x5b.cc:7 [/bin/app]", "d[.cc:7"},
		{"0x1 : f+0x1 at a.c:0 [/bin/app]", ""},
		{"0x1 : f+0x1 at :12 [/bin/app]", ""},
		{"0x1 : f+0x1 at a.c [/bin/app]", ""},
		{"0x1 : f+0x1 [/bin/app]", ""},
		{"0x1 : [app]+0x1 at a.c:12 [/bin/app]", ""},
		{"0x1 [/bin/app+0x1/0x2] at a.c:12", ""},
	};
	struct strbuf text = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_LEN(lines); i++) {
		struct text_options options = {.sources = i % 2};
		struct profile p;

		strbuf_reset(&text);
		strbuf_addf(&text, "%s\n1\n", lines[i / 2].line);
		profile_init(&p);
		read_with(&p, text.buf, text.len, options);
		assert_int_equal(p.nr_frames, 2);
		assert_string_equal(strpool_get(&p.names, p.frames[1].source),
			options.sources ? lines[i / 2].source : "");
		profile_release(&p);
	}
	strbuf_release(&text);
}

/* Every stack is in the output or counted: 20,000 stacks, every 7th with an invalid count. */
static void test_nothing_is_lost(void **state)
{
	struct strbuf text = STRBUF_INIT;
	uint64_t sum = 0, bad = 0, seed = 1;
	struct profile p;

	(void)state;
	for (uint64_t i = 0; i < 20000; i++) {
		for (uint64_t k = 0; k <= i % 13; k++) {
			seed = hash_u64(seed + i);
			strbuf_addf(&text, " 0x%" PRIx64 " : f%u+0x%x/0x1000 [/lib/l%u.so]\n", seed,
				(unsigned)(seed % 300), (unsigned)(seed % 4096),
				(unsigned)(seed % 5));
		}
		if (i % 7) {
			strbuf_addf(&text, "\t%" PRIu64 "\n", i);
			sum += i;
		} else {
			strbuf_adds(&text, "\t-5\n");
			bad++;
		}
	}
	profile_init(&p);
	assert_int_equal(read_text(&p, text.buf, text.len), 1);
	profile_finish(&p);
	assert_int_equal(p.nodes[0].total, sum);
	assert_int_equal(p.account.kept, sum);
	assert_int_equal(p.account.lost[LOST_UNREADABLE], bad);
	profile_release(&p);
	strbuf_release(&text);
}

static void test_endless_stack_is_cut(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct profile p;

	(void)state;
	for (int i = 0; i < 300000; i++)
		strbuf_adds(&text, "f+0x1\n");
	strbuf_adds(&text, "3\n");
	profile_init(&p);
	assert_int_equal(read_text(&p, text.buf, text.len), 1);
	assert_int_equal(p.account.cut, 3);
	assert_int_equal(p.nr_nodes, (1 << 18) + 1);
	profile_release(&p);
	strbuf_release(&text);
}

static void test_line_that_is_too_long(void **state)
{
	size_t len = (size_t)LINES_MAX + 100;
	char *text = xmalloc(len + 3);
	struct profile p;

	(void)state;
	memset(text, 'f', len);
	memcpy(text + len, "\n7\n", 3);
	profile_init(&p);
	assert_int_equal(read_text(&p, text, len + 3), 1);
	assert_int_equal(p.account.kept, 7);
	assert_string_equal(profile_name(&p, p.nodes[1].frame, NULL), "[unreadable]");
	profile_release(&p);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_every_prefix),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_nothing_is_lost),
		cmocka_unit_test(test_endless_stack_is_cut),
		cmocka_unit_test(test_line_that_is_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
