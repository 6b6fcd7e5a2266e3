/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "input/picture.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/format/xml.h"
#include "view/diff/diff.h"
#include "view/flame/flame_data.h"
#include "view/report/categories.h"
#include "view/view.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char *const hostile[] = {
	"</script><script>alert(1)</script>",
	"]]><svg onload=\"alert(1)\"/>",
	"a & b < c > d \"e\" 'f'",
	"\x01\x02\x1b[31m\t\n\r\x7f",
	"\xff\xfe bad \xc0\xaf \xe2\x82 \xf5\x80\x80\x80",
	"\xed\xa0\x80 surrogate \xef\xbf\xbe \xef\xbf\xbf",
	"\xe2\x80\xae right to left \xe2\x81\xa6 \xc2\x85",
	"std::map<std::string, int>::operator[](char const*)",
	"\xf0\x9f\x94\xa5 \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e h\xc3\xa9llo",
	" blank before and after ",
	"",
	"&amp; &#0; &nosuch; %s%n",
};

static uint64_t state;

static uint32_t rnd(uint32_t below)
{
	state = hash_u64(state + 0x9e3779b97f4a7c15ULL);
	return (uint32_t)(state >> 32) % below;
}

static uint32_t add_frame(struct profile *p, enum frame_kind kind, const char *name)
{
	return profile_frame(p, kind, name, strlen(name), "mod & <ule>", 11);
}

/* Returns the output of a view; the caller frees it. */
#define RENDER(view, of, options)                                                                  \
	({                                                                                         \
		char *text_ = NULL;                                                                \
		size_t size_;                                                                      \
		FILE *out_ = open_memstream(&text_, &size_);                                       \
                                                                                                   \
		assert_non_null(out_);                                                             \
		assert_int_equal(view(of, options, out_, NULL), 0);                                \
		assert_int_equal(fclose(out_), 0);                                                 \
		assert_int_equal(strlen(text_), size_); /* there is no NUL in it */                \
		text_;                                                                             \
	})

static char *render(const struct profile *p, const struct flame_options *options)
{
	return RENDER(view_flame, p, options);
}

static void check_well_formed(const char *text)
{
	FILE *lint = popen("xmllint --noout --nonet -", "w");

	assert_non_null(lint);
	assert_int_equal(fwrite(text, 1, strlen(text), lint), strlen(text));
	assert_int_equal(pclose(lint), 0);
}

/* Returns the text between two marks. */
static const char *between(const char *text, const char *from, const char *to, size_t *len)
{
	const char *start = strstr(text, from);

	assert_non_null(start);
	start += strlen(from);
	*len = (size_t)(strstr(start, to) - start);
	return start;
}

/* ---- a second reader of the data, independent of flame.js */

struct reader {
	struct strbuf tree;
	const char *at;
	char **frames;
	size_t nr_frames;
	uint64_t nodes, scale, root_self;
	struct categories categories;
};

static uint64_t attribute(const char *text, const char *name)
{
	const char *start = strstr(text, "<ft:profile ");
	char *key = xasprintf(" %s=\"", name), *found = strstr(start, key);
	uint64_t value = 0;

	if (found && found < strchr(start, '>'))
		value = strtoull(found + strlen(key), NULL, 10);
	free(key);
	return value;
}

static void reader_init(struct reader *r, const char *text)
{
	size_t len, alloc = 0;
	const char *frames = between(text, "<ft:frames>", "</ft:frames>", &len);
	const char *end = frames + len, *tree;

	*r = (struct reader){.tree = STRBUF_INIT};
	r->nodes = attribute(text, "nodes");
	r->scale = attribute(text, "scale");
	r->root_self = attribute(text, "self");
	while (frames < end) {
		const char *eol = memchr(frames, '\n', (size_t)(end - frames));

		ALLOC_GROW(r->frames, r->nr_frames, alloc);
		r->frames[r->nr_frames++] = xstrndup(frames, (size_t)(eol - frames));
		frames = eol + 1;
	}
	tree = between(text, "<ft:tree>", "</ft:tree>", &len);
	end = tree + len;
	while (tree < end) {
		const char *part = between(tree, "<ft:t>", "</ft:t>", &len);

		strbuf_add(&r->tree, part, len);
		tree = part + len + strlen("</ft:t>");
	}
	r->at = r->tree.buf;
}

static void reader_release(struct reader *r)
{
	for (size_t i = 0; i < r->nr_frames; i++)
		free(r->frames[i]);
	free(r->frames);
	strbuf_release(&r->tree);
}

static uint64_t read_number(struct reader *r)
{
	uint64_t value = 0, place = 1;

	for (;;) {
		const char *digit = *r->at ? strchr(picture_digits, *r->at++) : NULL;

		assert_non_null(digit);
		value += (uint64_t)(digit - picture_digits) * place;
		if (digit - picture_digits < PICTURE_LAST)
			return value;
		place *= PICTURE_MORE;
	}
}

static void check_frame(
	const struct reader *r, uint64_t number, const struct profile *p, uint32_t frame)
{
	struct strbuf tail = STRBUF_INIT;
	const struct frame_ranks *ranks = &r->categories.frames[frame];
	size_t len;
	const char *raw = profile_name(p, frame, &len);

	assert_true(number < r->nr_frames);
	strbuf_addf(&tail, ",%" PRIu32, ranks->own);
	if (ranks->passed != r->categories.nr_ranks)
		strbuf_addf(&tail, ",%" PRIu32, ranks->passed);
	strbuf_addch(&tail, ' ');
	xml_text(&tail, raw, len);
	assert_memory_equal(r->frames[number], flame_class(p, frame).s, 2);
	assert_string_equal(strchr(r->frames[number], ','), tail.buf);
	strbuf_release(&tail);
}

static void check_categories(const struct reader *r, const char *text)
{
	struct strbuf lines = STRBUF_INIT;
	size_t len;
	const char *s = between(text, "<ft:categories>", "</ft:categories>", &len);

	for (uint32_t i = 0; i < r->categories.nr_ranks; i++) {
		const char *name = category_name(&r->categories, i);

		xml_text(&lines, name, strlen(name));
		strbuf_addch(&lines, '\n');
	}
	assert_int_equal(lines.len, len);
	assert_memory_equal(lines.buf, s, len);
	strbuf_release(&lines);
}

/* Compares node by node in pre-order: frame, depth, self weight; with DIFF's weights if P is its
 * tree. */
static void check_nodes(const char *text, const struct profile *p, const struct diff *diff)
{
	struct reader r;
	uint64_t depth = 0, before = 0;
	uint32_t node = 0;

	reader_init(&r, text);
	categories_init(&r.categories, p, NULL);
	check_categories(&r, text);
	assert_int_equal(r.nodes, p->nr_nodes - 1);
	assert_int_equal(r.scale, 1);
	assert_int_equal(
		r.root_self, diff ? diff->self[0].before + diff->self[0].after : p->nodes[0].self);
	for (uint64_t i = 0; i < r.nodes; i++) {
		if (p->nodes[node].child) {
			node = p->nodes[node].child;
			depth++;
		} else {
			for (; !p->nodes[node].next; depth--)
				node = p->nodes[node].parent;
			node = p->nodes[node].next;
		}
		check_frame(&r, read_number(&r), p, p->nodes[node].frame);
		uint64_t code = read_number(&r);

		assert_int_equal(before + 1 - code / 2, depth);
		uint64_t self = code % 2 ? read_number(&r) + 1 : 0;
		uint64_t self_before = diff && self ? read_number(&r) : 0;

		if (diff)
			assert_int_equal(self_before, diff->self[node].before);
		assert_int_equal(
			self - self_before, diff ? diff->self[node].after : p->nodes[node].self);
		before = depth;
	}
	assert_int_equal(*r.at, '\0');
	categories_release(&r.categories);
	reader_release(&r);
}

static void check_data(const char *text, const struct profile *p)
{
	check_nodes(text, p, NULL);
}

/* ---- profiles */

static void make_hostile(struct profile *p)
{
	uint32_t root, frames[64];

	profile_init(p);
	root = add_frame(p, FRAME_TASK, "task");
	for (size_t i = 0; i < ARRAY_LEN(hostile); i++) {
		frames[0] = root;
		frames[1] = add_frame(p, (enum frame_kind)(i % FRAME_KINDS), hostile[i]);
		frames[2] = add_frame(p, FRAME_NOTE, "[truncated: <x>]");
		profile_add(p, frames, 2 + i % 2, 10 + i);
	}
	for (int i = 0; i < 2000; i++) {
		char name[24];
		size_t len = rnd(sizeof(name));

		for (size_t k = 0; k < len; k++)
			name[k] = (char)rnd(256);
		frames[1] = profile_frame(p, FRAME_USER, name, len, name, len);
		profile_add(p, frames, 2, 1);
	}
	profile_set(&p->title, hostile[0]);
	profile_set(&p->unit, hostile[2]);
	profile_finish(p);
}

/* Walks through a call graph in which functions call few others. */
static void make_large(struct profile *p, uint32_t nodes)
{
	enum { FUNCTIONS = 3600, DEPTH = 28 };
	uint32_t frames[DEPTH];

	profile_init(p);
	while (p->nr_nodes < nodes) {
		uint32_t function = 0;

		for (int i = 0; i < DEPTH; i++) {
			char name[32];

			snprintf(name, sizeof(name), "function_%" PRIu32, function);
			frames[i] = add_frame(p, FRAME_USER, name);
			function = (uint32_t)(hash_u64(function * 4 + rnd(rnd(3) + 1)) % FUNCTIONS);
		}
		profile_add(p, frames, 8 + rnd(DEPTH - 8), 1 + rnd(20));
	}
	profile_finish(p);
}

/* ---- tests */

static void test_xml_text(void **unused)
{
	static const struct {
		const char *raw, *xml;
	} cases[] = {
		{"<a&\"'>", "&lt;a&amp;&quot;&#39;&gt;"},
		{"a\tb\x1b\x7f", "a\\x09b\\x1b\\x7f"},
		{"\xff\xc3", "\\xff\\xc3"},
		{"\xc0\xaf\xed\xa0\x80", "\\xc0\\xaf\\xed\\xa0\\x80"},
		{"\xef\xbf\xbe\xef\xbf\xbd", "\\xef\\xbf\\xbe\xef\xbf\xbd"},
		{"\xe2\x80\xae\xe2\x81\xa9\xd8\x9c", "\\xe2\\x80\\xae\\xe2\\x81\\xa9\\xd8\\x9c"},
		{"\xc2\x9f\xc2\xa0\xf4\x90\x80\x80", "\\xc2\\x9f\xc2\xa0\\xf4\\x90\\x80\\x80"},
		{"h\xc3\xa9 \xf0\x9f\x94\xa5", "h\xc3\xa9 \xf0\x9f\x94\xa5"},
	};
	struct strbuf out = STRBUF_INIT;

	(void)unused;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		strbuf_reset(&out);
		xml_text(&out, cases[i].raw, strlen(cases[i].raw));
		assert_string_equal(out.buf, cases[i].xml);
	}
	strbuf_reset(&out);
	xml_text(&out, "a\0b", 3);
	assert_string_equal(out.buf, "a\\x00b");
	strbuf_release(&out);
}

static void test_xml_text_cut(void **unused)
{
	static const struct {
		const char *raw;
		size_t columns;
		const char *xml;
	} cases[] = {
		{"abcdef", 6, "abcdef"},
		{"abcdef", 5, "abcd…"},
		{"<<<", 2, "&lt;…"},
		{"a\x01z", 5, "a…"},
		{"\xe6\x97\xa5\xe6\x9c\xac", 3, "\xe6\x97\xa5…"},
		{"abc", 1, "…"},
		{"abc", 0, ""},
	};
	struct strbuf out = STRBUF_INIT;

	(void)unused;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		strbuf_reset(&out);
		xml_text_cut(&out, cases[i].raw, strlen(cases[i].raw), cases[i].columns);
		assert_string_equal(out.buf, cases[i].xml);
	}
	strbuf_release(&out);
}

static void test_hostile_is_well_formed(void **unused)
{
	struct profile p;
	struct flame_options options = {.title = hostile[1], .subtitle = hostile[4]};
	char *text;

	(void)unused;
	if (system("command -v xmllint >/dev/null")) {
		printf("# skipped: no xmllint\n");
		skip();
	}
	make_hostile(&p);
	text = render(&p, &options);
	check_well_formed(text);
	free(text);
	text = render(&p, &(struct flame_options){.inverted = true});
	check_well_formed(text);
	free(text);
	profile_release(&p);
}

static void test_data_is_the_tree(void **unused)
{
	struct profile p;
	char *text;

	(void)unused;
	make_hostile(&p);
	text = render(&p, &(struct flame_options){0});
	check_data(text, &p);
	free(text);
	profile_release(&p);
}

/* The same stacks in another order give the same bytes. */
static void test_deterministic(void **unused)
{
	char *texts[2];

	(void)unused;
	for (int turn = 0; turn < 2; turn++) {
		struct profile p;

		profile_init(&p);
		for (int k = 0; k < 40; k++) {
			int i = turn ? 39 - k : k;
			char name[16];
			uint32_t frames[2] = {add_frame(&p, FRAME_USER, hostile[i % 7])};

			snprintf(name, sizeof(name), "f%d", i % 5);
			frames[1] = add_frame(&p, FRAME_KERNEL, name);
			profile_add(&p, frames, 2, (uint64_t)i);
		}
		profile_finish(&p);
		texts[turn] = render(&p, &(struct flame_options){0});
		profile_release(&p);
	}
	assert_string_equal(texts[0], texts[1]);
	free(texts[0]);
	free(texts[1]);
}

static void test_size(void **unused)
{
	struct profile p;
	size_t len;
	char *text;

	(void)unused;
	make_large(&p, 300000);
	text = render(&p, &(struct flame_options){0});
	check_data(text, &p);
	between(text, "<ft:tree>", "</ft:tree>", &len);
	print_message("# %" PRIu32 " nodes: file %zu bytes, tree %.2f bytes a node\n", p.nr_nodes,
		strlen(text), (double)len / p.nr_nodes);
	assert_true(len < 5 * (size_t)p.nr_nodes);
	assert_true(strlen(text) < 1600000);
	free(text);
	profile_release(&p);
}

/* Weights above 2^53 are scaled, and their sum remains the total. */
static void test_large_weights(void **unused)
{
	struct profile p;
	struct reader r;
	uint64_t sum = 0;
	char *text;

	(void)unused;
	profile_init(&p);
	for (int i = 0; i < 1000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%d", i);
		uint32_t frame = add_frame(&p, FRAME_USER, name);

		profile_add(&p, &frame, 1, UINT64_MAX / 1000 - (uint64_t)i);
	}
	profile_finish(&p);
	text = render(&p, &(struct flame_options){0});
	assert_non_null(strstr(text, "weights are multiples of 2048"));
	reader_init(&r, text);
	assert_int_equal(r.scale, 2048);
	for (uint64_t i = 0; i < r.nodes; i++) {
		read_number(&r);
		assert_int_equal(read_number(&r), i ? 3 : 1);
		sum += read_number(&r) + 1;
	}
	assert_int_equal(sum, p.nodes[0].total / 2048);
	assert_true(sum <= UINT64_C(1) << 53);
	reader_release(&r);
	free(text);
	profile_release(&p);
}

static void test_deep(void **unused)
{
	enum { DEPTH = 5000 };
	struct profile p;
	uint32_t frames[DEPTH];
	char *text;

	(void)unused;
	profile_init(&p);
	for (int i = 0; i < DEPTH; i++)
		frames[i] = add_frame(&p, FRAME_USER, i % 2 ? "even" : "odd");
	profile_add(&p, frames, DEPTH, 7);
	profile_finish(&p);
	text = render(&p, &(struct flame_options){0});
	check_data(text, &p);
	assert_non_null(strstr(text, "<title>even (7 samples, 100.00 %)</title>"));
	free(text);
	profile_release(&p);
}

static void test_static_frames(void **unused)
{
	struct profile p;
	uint32_t frame;
	char *text;

	(void)unused;
	profile_init(&p);
	frame = add_frame(&p, FRAME_USER, "wide<1>");
	profile_add(&p, &frame, 1, 1233000);
	frame = add_frame(&p, FRAME_USER, "narrow");
	profile_add(&p, &frame, 1, 1000);
	p.account = (struct account){.known = true, .kept = 1234000, .whole = 1234000};
	profile_set(&p.unit, "bytes");
	profile_finish(&p);
	text = render(&p, &(struct flame_options){.title = "T&T", .subtitle = "second line"});
	assert_non_null(strstr(text, "<title>T&amp;T</title>"));
	assert_non_null(strstr(text, ">second line</text>"));
	assert_non_null(strstr(text, "<title>all (1.177 MiB = 1,234,000 bytes, 100.00 %)</title>"));
	assert_non_null(strstr(
		text, "<title>wide&lt;1&gt; (1.176 MiB = 1,233,000 bytes, 99.92 %)</title>"));
	assert_null(strstr(text, "<title>narrow"));
	assert_non_null(strstr(text, " narrow\n")); /* but it is in the data */
	assert_non_null(strstr(text, "1.177 MiB kept"));
	free(text);
	profile_release(&p);
}

static void test_difference(void **unused)
{
	struct profile before, after;
	struct diff d;

	(void)unused;
	make_large(&before, 30000);
	make_large(&after, 40000);
	for (int normalized = 0; normalized < 2; normalized++) {
		diff_init(&d, &before, &after, normalized);
		char *text = RENDER(view_flame_diff, &d, &(struct flame_options){0});

		check_nodes(text, &d.tree, &d);
		assert_int_equal(attribute(text, "before"), before.nodes[0].total);
		assert_int_equal(attribute(text, "after"), after.nodes[0].total);
		assert_int_equal(attribute(text, "normalized"), normalized);
		assert_non_null(strstr(text, "<rect class=\"d8\""));
		assert_non_null(strstr(text, ">down to half</text>"));
		assert_non_null(strstr(text, ">same, or within chance</text>"));
		if (!system("command -v xmllint >/dev/null"))
			check_well_formed(text);
		free(text);
		diff_release(&d);
	}
	profile_release(&before);
	profile_release(&after);
}

/* Both sides are rounded down separately, and all nodes to the precision of their side. */
static void test_difference_of_large_weights(void **unused)
{
	struct profile before, after;
	uint64_t sums[2] = {0};
	struct reader r;
	struct diff d;

	(void)unused;
	profile_init(&before);
	profile_init(&after);
	for (int i = 0; i < 1000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%d", i);
		uint32_t frame = add_frame(&before, FRAME_USER, name);

		profile_add(&before, &frame, 1, UINT64_MAX / 2000 - (uint64_t)i);
		frame = add_frame(&after, FRAME_USER, name);
		profile_add(&after, &frame, 1, UINT64_MAX / 2001 + (uint64_t)i);
	}
	profile_finish(&before);
	profile_finish(&after);
	diff_init(&d, &before, &after, false);
	char *text = RENDER(view_flame_diff, &d, &(struct flame_options){0});

	reader_init(&r, text);
	assert_int_equal(r.scale, 2048);
	for (uint64_t i = 0; i < r.nodes; i++) {
		read_number(&r);
		read_number(&r);
		uint64_t both = read_number(&r) + 1, old = read_number(&r);

		sums[0] += old;
		sums[1] += both - old;
	}
	assert_int_equal(sums[0], before.nodes[0].total / 2048);
	assert_int_equal(sums[1], after.nodes[0].total / 2048);
	assert_int_equal(attribute(text, "before"), sums[0] * 2048);
	assert_int_equal(attribute(text, "total"), (sums[0] + sums[1]) * 2048);
	reader_release(&r);
	free(text);
	diff_release(&d);
	profile_release(&before);
	profile_release(&after);
}

static void test_options(void **unused)
{
	struct profile p;
	uint32_t frame;
	char *text;

	(void)unused;
	profile_init(&p);
	frame = add_frame(&p, FRAME_USER, "wide");
	profile_add(&p, &frame, 1, 989001);
	frame = add_frame(&p, FRAME_KERNEL, "narrow");
	profile_add(&p, &frame, 1, 10998);
	frame = add_frame(&p, FRAME_JIT, "narrowest");
	profile_add(&p, &frame, 1, 1);
	profile_finish(&p);
	text = render(&p, &(struct flame_options){
				  .min_width_is = MIN_WIDTH_PERCENT,
				  .min_width = 1.1,
				  .factor = 0.001,
				  .notes = "<first> & last",
			  });
	assert_non_null(strstr(text, "<title>wide (989 samples, 98.90 %)</title>"));
	assert_null(strstr(text, "<title>narrow"));
	assert_non_null(strstr(text, "<desc>&lt;first&gt; &amp; last; 1,000 samples,"));
	assert_non_null(strstr(text, " factor=\"0.001\""));
	check_data(text, &p);
	free(text);
	text = render(&p, &(struct flame_options){.min_width_is = MIN_WIDTH_PX, .min_width = 0});
	assert_non_null(strstr(text, "<title>narrowest (1 samples"));
	assert_null(strstr(text, " factor="));
	assert_null(strstr(text, " shown="));
	free(text);
	profile_release(&p);
}

static void test_legend(void **unused)
{
	struct profile p;
	uint32_t frames[4];
	size_t len;
	char *text, *legend;

	(void)unused;
	profile_init(&p);
	frames[0] = add_frame(&p, FRAME_USER, "main");
	frames[1] = add_frame(&p, FRAME_PERL, "main");
	frames[2] = add_frame(&p, FRAME_USER, "pp_sort");
	frames[3] = add_frame(&p, FRAME_PERL, "by_price");
	profile_add(&p, frames, 4, 1);
	profile_add(&p, frames, 2, 3);
	frames[1] = add_frame(&p, FRAME_KERNEL, "read");
	profile_add(&p, frames, 2, 3);
	frames[1] = add_frame(&p, FRAME_NOTE, "[lost]");
	profile_add(&p, frames, 2, 1);
	frames[1] = add_frame(&p, FRAME_JIT, "never");
	profile_add(&p, frames, 2, 0);
	profile_finish(&p);
	text = render(&p, &(struct flame_options){.width = 100});
	const char *start = between(text, "<g id=\"legend\">", "</g>", &len);

	legend = xstrndup(start, len);
	assert_non_null(strstr(legend, "<rect class=\"k0\" x=\"10\" y=\"49\""));
	assert_non_null(strstr(legend, ">user 0.00 % (incl. 100.00 %)</text>"));
	assert_non_null(strstr(legend, ">perl 50.00 %</text>"));
	assert_non_null(strstr(legend, ">kernel 37.50 %</text>"));
	assert_non_null(strstr(legend, ">note 12.50 %</text>"));
	assert_null(strstr(legend, "jit"));
	free(legend);
	free(text);
	profile_release(&p);
}

/* Compares the base64 of the SHA-256 of S with coreutils. */
static void check_hash(const char *s, size_t len, const char *directive)
{
	const char *hash = strstr(view_flame_policy, directive);
	char name[] = "/tmp/flametap-flame.XXXXXX", got[65] = "", want[65] = "";
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	assert_int_equal(write_whole(fd, s, len), 0);
	close(fd);
	assert_non_null(hash);
	hash = strstr(hash, "'sha256-") + strlen("'sha256-");
	char *command = xasprintf("sha256sum <%s; echo %.44s | base64 -d | od -An -v -tx1 | "
				  "tr -d ' \n'; rm %s",
		name, hash, name);
	FILE *out = popen(command, "r");

	assert_non_null(out);
	assert_int_equal(fscanf(out, "%64s - %64s", want, got), 2);
	assert_int_equal(pclose(out), 0);
	assert_string_equal(got, want);
	free(command);
}

/* A policy of hashes would stop attributes that are code or style. */
static void test_policy(void **unused)
{
	struct profile p;
	size_t len;

	(void)unused;
	make_large(&p, 100);
	char *text = render(&p, &(struct flame_options){0});
	const char *s = between(text, "<script><![CDATA[", "]]>", &len);

	check_hash(s, len, "script-src");
	s = between(text, "<style><![CDATA[", "]]>", &len);
	check_hash(s, len, "style-src");
	for (const char *tag = strstr(s + len, "<defs>"); tag; tag = strchr(tag + 1, '<')) {
		size_t end = strcspn(tag, ">");

		if (!strncmp(tag, "<script>", 8))
			break;
		assert_null(memmem(tag, end, " style=", 7));
		assert_null(memmem(tag, end, " on", 3));
	}
	free(text);
	profile_release(&p);
}

/* The same hashes of script and style fit every file. */
static void test_script_is_constant(void **unused)
{
	struct profile a, b;
	char *one, *two;
	const char *parts[][2] = {{"<script>", "</script>"}, {"<style>", "</style>"}};

	(void)unused;
	make_hostile(&a);
	make_large(&b, 100);
	one = render(&a, &(struct flame_options){.title = "x", .inverted = true});
	two = render(&b, &(struct flame_options){.width = 700});
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		size_t len, other;
		const char *s = between(one, parts[i][0], parts[i][1], &len);

		assert_memory_equal(s, between(two, parts[i][0], parts[i][1], &other), len);
		assert_int_equal(len, other);
		assert_null(strstr(strstr(s, parts[i][1]) + 1, parts[i][0])); /* the only one */
	}
	free(one);
	free(two);
	profile_release(&a);
	profile_release(&b);
}

static void test_no_samples(void **unused)
{
	struct profile p;
	char *text;

	(void)unused;
	profile_init(&p);
	profile_finish(&p);
	text = render(&p, &(struct flame_options){0});
	assert_non_null(strstr(text, ">no samples</text>"));
	assert_null(strstr(text, "<script>"));
	free(text);
	profile_release(&p);
}

static void test_full_disk(void **unused)
{
	struct profile p;
	struct strbuf err = STRBUF_INIT;
	FILE *out = fopen("/dev/full", "w");

	(void)unused;
	assert_non_null(out);
	make_large(&p, 1000);
	assert_int_equal(view_flame(&p, &(struct flame_options){0}, out, &err), -1);
	assert_non_null(strstr(err.buf, "No space left"));
	fclose(out);
	strbuf_release(&err);
	profile_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_xml_text),
		cmocka_unit_test(test_xml_text_cut),
		cmocka_unit_test(test_hostile_is_well_formed),
		cmocka_unit_test(test_data_is_the_tree),
		cmocka_unit_test(test_deterministic),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_large_weights),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_static_frames),
		cmocka_unit_test(test_difference),
		cmocka_unit_test(test_difference_of_large_weights),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_legend),
		cmocka_unit_test(test_policy),
		cmocka_unit_test(test_script_is_constant),
		cmocka_unit_test(test_no_samples),
		cmocka_unit_test(test_full_disk),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("flame", tests, NULL, NULL);
}
