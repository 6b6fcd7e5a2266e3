/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "input/picture.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "text_test.h"
#include "view/view.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static uint64_t state;

static uint32_t rnd(uint32_t below)
{
	state = hash_u64(state + 0x9e3779b97f4a7c15ULL);
	return (uint32_t)(state >> 32) % below;
}

/* Makes a name of any bytes; bytes with a meaning somewhere are more frequent. */
static size_t random_name(char *name, size_t size)
{
	static const char special[] =
		";;\n\r\0\\\\x x3b[]_[k]--(){}<>&\"' ]]>\xe2\x80\xae\xff\x7f 12";
	size_t n = 1 + rnd((uint32_t)size - 1);

	for (size_t i = 0; i < n; i++)
		name[i] = rnd(3) ? special[rnd(sizeof(special) - 1)] : (char)rnd(256);
	return n;
}

static uint32_t random_frame(struct profile *p, enum frame_kind kinds, const char *module)
{
	char name[12];
	size_t len = random_name(name, sizeof(name));

	if (*name == '[' && name[len - 1] == ']') /* not a function's name */
		*name = '(';
	return profile_frame(
		p, (enum frame_kind)rnd(kinds), name, len, module, module ? strlen(module) : 0);
}

static void random_profile(struct profile *p, enum frame_kind kinds, const char *const *modules)
{
	uint32_t frames[24], stack[12];

	profile_init(p);
	for (size_t i = 0; i < ARRAY_LEN(frames); i++)
		frames[i] = random_frame(p, kinds, modules ? modules[rnd(3)] : NULL);
	for (int i = 0; i < 100; i++) {
		size_t n = 1 + rnd(ARRAY_LEN(stack));

		for (size_t k = 0; k < n; k++)
			stack[k] = frames[rnd(ARRAY_LEN(frames))];
		profile_add(p, stack, n, 1 + rnd(1000));
	}
	profile_finish(p);
}

/* Returns all of a finished tree; the caller frees it. */
static char *dump(const struct profile *p)
{
	struct strbuf out = STRBUF_INIT;

	strbuf_addf(&out, "%s %s\n", p->unit, p->title ? p->title : "-");
	for (uint32_t node = p->nodes[0].child; node;) {
		const struct profile_node *n = &p->nodes[node];
		size_t len;
		const char *name = profile_name(p, n->frame, &len);

		for (uint32_t at = node; at; at = p->nodes[at].parent)
			strbuf_addch(&out, ' ');
		for (size_t i = 0; i < len; i++)
			strbuf_addf(&out, "%02x", (unsigned char)name[i]);
		strbuf_addf(&out, " %d %" PRIu64 " %s\n", p->frames[n->frame].kind, n->self,
			profile_module(p, n->frame));
		if (n->child) {
			node = n->child;
			continue;
		}
		while (node && !p->nodes[node].next)
			node = p->nodes[node].parent;
		node = node ? p->nodes[node].next : 0;
	}
	return strbuf_detach(&out);
}

static void read_picture(struct profile *q, const char *text, size_t len, int want, const char *why)
{
	struct strbuf notes = STRBUF_INIT;

	profile_init(q);
	assert_int_equal(text_read(&picture_format, NULL, text, len, q, &notes), want);
	if (why && !strstr(notes.buf, why))
		fail_msg("'%s' instead of '%s'", notes.buf, why);
	strbuf_release(&notes);
	profile_finish(q);
}

static void read_folded(struct profile *q, const char *text, size_t len)
{
	struct strbuf notes = STRBUF_INIT;

	profile_init(q);
	assert_int_equal(text_read(&folded_format, NULL, text, len, q, &notes), 0);
	strbuf_release(&notes);
	profile_finish(q);
}

static void check_same(const struct profile *p, const struct profile *q)
{
	char *before = dump(p), *after = dump(q);

	assert_string_equal(before, after);
	free(before);
	free(after);
}

static void test_picture_and_back(void **unused)
{
	static const char *const modules[] = {"/opt/my app/lib\\x3b<&>.so", "[kernel]", NULL};

	(void)unused;
	for (state = 1; state < 300; state++) {
		struct profile p, q;
		char *text = NULL;
		size_t len;
		FILE *out = open_memstream(&text, &len);
		uint64_t seed = state;

		random_profile(&p, FRAME_KINDS, modules);
		profile_set(&p.unit, "a \"unit\" \\x41");
		profile_set(&p.title, "what <was> \\x41 recorded & why");
		assert_int_equal(view_flame(&p, &(struct flame_options){0}, out, NULL), 0);
		assert_int_equal(fclose(out), 0);
		read_picture(&q, text, len, 0, NULL);
		check_same(&p, &q);
		profile_release(&p);
		profile_release(&q);
		free(text);
		state = seed;
	}
}

static void test_own_unit(void **unused)
{
	const struct flame_options options = {.factor = 0.001, .unit = "<ms>"};
	struct profile p, q;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)unused;
	state = 7;
	random_profile(&p, FRAME_KINDS, NULL);
	profile_set(&p.unit, "us");
	assert_int_equal(view_flame(&p, &options, out, NULL), 0);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, " unit=\"us\" shown=\"&lt;ms&gt;\" "));
	assert_non_null(strstr(text, " &lt;ms&gt;, 100.00 %"));
	read_picture(&q, text, len, 0, NULL);
	check_same(&p, &q);
	profile_release(&p);
	profile_release(&q);
	free(text);
}

/* A name is shown with its source behind it, and is read back without it. */
static void test_source(void **unused)
{
	static const char *const names[] = {"work s.c:12", "do it\t a s.c:12", "s.c:12"};
	struct profile p, q;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)unused;
	profile_init(&p);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct frame frame = {
			.name = strpool_add(&p.names, names[i], strlen(names[i])),
			.source = strpool_add(&p.names, "s.c:12", strlen("s.c:12")),
		};
		uint32_t number = profile_add_frame(&p, &frame);

		profile_add(&p, &number, 1, 1);
	}
	profile_finish(&p);
	assert_int_equal(view_flame(&p, &(struct flame_options){0}, out, NULL), 0);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "<title>work s.c:12 (1 samples"));
	assert_non_null(strstr(text, " work\ts.c:12\n"));
	read_picture(&q, text, len, 0, NULL);
	assert_int_equal(q.nr_frames, p.nr_frames);
	for (uint32_t i = 1; i < q.nr_frames; i++) {
		const char *name = profile_name(&q, i, NULL);
		const char *source = strpool_get(&q.names, q.frames[i].source);

		if (!strcmp(name, "s.c:12"))
			assert_string_equal(source, "");
		else if (strcmp(name, "work") && strcmp(name, "do it\t a"))
			fail_msg("'%s'", name);
		else
			assert_string_equal(source, "s.c:12");
	}
	profile_release(&p);
	profile_release(&q);
	free(text);
}

static void test_folded_and_back(void **unused)
{
	(void)unused;
	for (state = 1; state < 300; state++) {
		struct profile p, q;
		char *text = NULL;
		size_t len;
		FILE *out = open_memstream(&text, &len);
		uint64_t seed = state;

		random_profile(&p, FRAME_WAKER + 1, NULL);
		assert_int_equal(view_folded(&p, out, NULL), 0);
		assert_int_equal(fclose(out), 0);
		read_folded(&q, text, len);
		check_same(&p, &q);
		profile_release(&p);
		profile_release(&q);
		free(text);
		state = seed;
	}
}

#define SVG "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flametap\"><metadata>"
#define PROFILE(more) "<f:profile xmlns:f=\"urn:flametap:profile\" version=\"1\" " more ">"
#define FRAMES "<f:modules>m\n</f:modules><f:frames>u01 a\nk2 b\n</f:frames>"
#define TREE(digits) "<f:tree><f:t>" digits "</f:t></f:tree></f:profile></metadata></svg>"

/* a: 1 of its own, below it b: 2 */
static void test_by_hand(void **unused)
{
	static const char text[] =
		SVG PROFILE("unit=\"us\" total=\"3\" nodes=\"2\"") FRAMES TREE("abab</f:t><f:t>bb");
	struct profile p;

	(void)unused;
	read_picture(&p, text, sizeof(text) - 1, 0, NULL);
	char *got = dump(&p);

	assert_string_equal(got, "us -\n 61 0 1 m\n  62 1 2 \n");
	free(got);
	profile_release(&p);
}

static void test_refused(void **unused)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"<?xml version=\"1.0\"?><!DOCTYPE svg [<!ENTITY a \"aaaaaaaa\"><!ENTITY b "
		 "\"&a;&a;&a;&a;\">]><svg>&b;</svg>",
			"another program"},
		{"<svg xmlns=\"http://www.w3.org/2000/svg\"><g/></svg>", "another program"},
		{"<svg", "invalid XML"},
		{SVG, "invalid XML"},
		{SVG "\xff", "invalid XML"},
		{SVG PROFILE("total=\"3\" nodes=\"2\" before=\"1\""), "difference"},
		{SVG "<p:profile xmlns:p=\"urn:flametap:profile\" version=\"3\"/>",
			"format is newer"},
		{SVG "<p:profile xmlns:p=\"urn:flametap:profile\"/>", "format is newer"},
		{SVG PROFILE("total=\"x\" nodes=\"2\"") FRAMES TREE(""), "damaged"},
		{SVG PROFILE("total=\"4\" nodes=\"2\"") FRAMES TREE("ababbb"), "damaged"},
		{SVG PROFILE("total=\"3\" nodes=\"1\"") FRAMES TREE("ababbb"), "damaged"},
		{SVG PROFILE("total=\"3\" nodes=\"3\"") FRAMES TREE("ababbb"), "damaged"},
		{SVG PROFILE("total=\"3\" nodes=\"2\"") FRAMES TREE("abab\nbb"), "damaged"},
		{SVG PROFILE("total=\"3\" nodes=\"2\"") FRAMES TREE("ababb"), "damaged"},
		{SVG PROFILE("total=\"3\" nodes=\"2\"") FRAMES TREE("abacbb"), "damaged"},
		{SVG PROFILE("total=\"3\" nodes=\"2\"") FRAMES TREE("aebabb"), "damaged"},
		{SVG PROFILE("total=\"3\" nodes=\"2\"")
				FRAMES TREE("a~~~~~~~~~~~~~~~~~~~~~~~~~~~~b"),
			"damaged"},
		{SVG PROFILE("total=\"3\" nodes=\"2\"") "<f:frames>u0</f:frames>", "damaged"},
		{SVG PROFILE("total=\"3\" nodes=\"2\"") "<f:frames>u07 a\n</f:frames>", "damaged"},
		{SVG PROFILE("total=\"3\" nodes=\"2\"") "<f:frames>?0 a\n</f:frames>", "damaged"},
		{SVG PROFILE("total=\"3\" nodes=\"2\"") "<f:frames><f:frames>", "damaged"},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct profile p;

		read_picture(&p, cases[i].text, strlen(cases[i].text), -1, cases[i].why);
		profile_release(&p);
	}
}

static void check_repeated(const char *before, const char *part, size_t times, const char *why)
{
	struct strbuf text = STRBUF_INIT;
	struct profile p;

	strbuf_adds(&text, before);
	for (size_t i = 0; i < times; i++)
		strbuf_adds(&text, part);
	read_picture(&p, text.buf, text.len, -1, why);
	profile_release(&p);
	strbuf_release(&text);
}

static void test_bounds(void **unused)
{
	(void)unused;
	check_repeated(SVG, "<g>", 100000, "too deeply");
	check_repeated(SVG "<g a=\"", "0123456789abcdef", 2 << 20, "too long");
	check_repeated(SVG PROFILE("total=\"3\" nodes=\"2\"") "<f:frames>u0 ", "0123456789abcdef",
		1 << 17, "damaged");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_picture_and_back),
		cmocka_unit_test(test_own_unit),
		cmocka_unit_test(test_source),
		cmocka_unit_test(test_folded_and_back),
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
