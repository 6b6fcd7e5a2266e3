/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names that people read: which forms are shown beside each other, in profiles and recordings.
 */
#include "model/profile.h"
#include "symbol/names/demangle_profile.h"
#include "symbol/names/demangler.h"
#include "symbol/names/tidy.h"
#include "symbol_test.h"

static const char *shown(const struct demangler *d, uint32_t number)
{
	size_t len;
	const char *s = demangler_get(d, number, &len);

	assert_int_equal(strlen(s), len);
	return s;
}

static uint32_t add(struct demangler *d, const char *name)
{
	return demangler_add(d, name, strlen(name));
}

/* Each group is shown with its wanted names, in any order. */
static const struct group {
	const char *names[4], *want[4];
} groups[] = {
	/* a single function is shown short */
	{{"_Z3fooi"}, {"foo"}},
	{{"_Z3fooi", "_Z3foov"}, {"foo(int)", "foo()"}},
	{{"_Z3fooi", "_Z3foov", "_Z3bari"}, {"foo(int)", "foo()", "bar"}},
	/* a function of C counts, too */
	{{"_Z3fooi", "foo"}, {"foo(int)", "foo"}},
	{{"_Z3fooi", "foo", "foo(int)"}, {"foo(int)", "foo", "foo(int)"}},
	{{"_Z3fooi", "foo@plt", "_Z3fooi@plt"}, {"foo", "foo@plt", "foo(int)@plt"}},
	/* a compiler may make up to three functions of one constructor or destructor */
	{{"_ZN1AC1Ei", "_ZN1AC2Ei"}, {"A::A", "A::A"}},
	{{"_ZN1AD0Ev", "_ZN1AD1Ev", "_ZN1AD2Ev"}, {"A::~A", "A::~A", "A::~A"}},
	{{"_ZN1AC1Ei", "_ZN1AC2Ev"}, {"A::A(int)", "A::A()"}},
	/* arguments without default arguments distinguish these … */
	{{"_Z1fSt6vectorIiSaIiEE", "_Z1fSt6vectorIcSaIcEE"},
		{"f(std::vector<int>)", "f(std::vector<char>)"}},
	/* … but not these, and the third one keeps its own form */
	{{"_Z1fNSt7__cxx114listIiSaIiEEE", "_Z1fSt4listIiSaIiEE", "_Z1fi"},
		{"f(std::__cxx11::list<int, std::allocator<int> >)",
			"f(std::list<int, std::allocator<int> >)", "f(int)"}},
	{{"_ZNSs4swapERSs", "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4swapERS4_"},
		{"std::string::swap(std::string&)",
			"std::__cxx11::basic_string<char, std::char_traits<char>, "
			"std::allocator<char> >::swap(std::__cxx11::basic_string<char, "
			"std::char_traits<char>, std::allocator<char> >&)"}},
	/* parts of one function */
	{{"_Z3fooi", "_Z3fooi.cold"}, {"foo", "foo.cold"}},
	{{"_Z3foov.llvm.12", "_Z3foov.llvm.34"},
		{"foo() [clone .llvm.12]", "foo() [clone .llvm.34]"}},
	/* generic functions of Rust have one path and many hashes */
	{{"_ZN3vec4push17h0123456789abcdefE", "_ZN3vec4push17hfedcba9876543210E"},
		{"vec::push::h0123456789abcdef", "vec::push::hfedcba9876543210"}},
	{{"_ZN3vec4push17h0123456789abcdefE", "_ZN3vec3pop17hfedcba9876543210E"},
		{"vec::push", "vec::pop"}},
	{{"_RNvCs1234_7mycrate3foo", "_RNvCs5678_7mycrate3foo"},
		{"mycrate[3c1c0]::foo", "mycrate[128aac]::foo"}},
	/* text that is not a name stays */
	{{"", "_Z", "_ZN1A", "[libfoo.so]"}, {"", "_Z", "_ZN1A", "[libfoo.so]"}},
};

static void check_group(const struct group *g, size_t first, size_t step)
{
	uint32_t numbers[4];
	struct demangler d;
	size_t n = 0;

	while (n < 4 && g->names[n])
		n++;
	demangler_init(&d, DEMANGLE_SHORT);
	for (size_t i = 0; i < n; i++) {
		size_t k = (first + i * step) % n;

		numbers[k] = add(&d, g->names[k]);
	}
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(add(&d, g->names[i]), numbers[i]);
		assert_string_equal(shown(&d, numbers[i]), g->want[i]);
	}
	demangler_release(&d);
}

static void test_groups(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		size_t n = 0;

		while (n < 4 && groups[i].names[n])
			n++;
		for (size_t first = 0; first < n; first++) {
			check_group(&groups[i], first, 1);
			check_group(&groups[i], first, n - 1 ? n - 1 : 1); /* in reverse order */
		}
	}
}

static void test_full_and_none(void **state)
{
	struct demangler d;

	(void)state;
	demangler_init(&d, DEMANGLE_FULL);
	assert_string_equal(shown(&d, add(&d, "_Z1fSt6vectorIiSaIiEE")),
		"f(std::vector<int, std::allocator<int> >)");
	assert_string_equal(shown(&d, add(&d, "f")), "f");
	demangler_release(&d);
	demangler_init(&d, DEMANGLE_NONE);
	assert_string_equal(shown(&d, add(&d, "_Z3fooi")), "_Z3fooi");
	demangler_release(&d);
}

/* A name with a NUL in it is not a linker's name, and is kept. */
static void test_nul(void **state)
{
	struct demangler d;
	size_t len;

	(void)state;
	demangler_init(&d, DEMANGLE_SHORT);
	uint32_t number = demangler_add(&d, "_Z3fooi\0x", 9);

	assert_memory_equal(demangler_get(&d, number, &len), "_Z3fooi\0x", 9);
	assert_int_equal(len, 9);
	demangler_release(&d);
}

/* ---- all names of real libraries ---- */

struct list {
	char **names;
	size_t nr, alloc;
};

/* Reads the functions that FILE, a word of the shell, exports; none if a needed file is missing. */
static void read_list(struct list *list, const char *file)
{
	char *cmd = xasprintf("nm -D --defined-only %s 2>/dev/null | sed -n "
			      "'s/.* [TtWwVi] \\([^@]*\\).*/\\1/p' | sort -u",
		file);
	FILE *f = popen(cmd, "r");
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	*list = (struct list){0};
	while (f && (len = getline(&line, &size, f)) > 0) {
		line[len - 1] = '\0';
		ALLOC_GROW(list->names, list->nr, list->alloc);
		list->names[list->nr++] = xstrdup(line);
	}
	if (f)
		pclose(f);
	free(line);
	free(cmd);
}

static void release_list(struct list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		free(list->names[i]);
	free(list->names);
}

static size_t operator_len(const char *s)
{
	static const char *const symbols[] = {
		"<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"};

	for (size_t i = 0; i < ARRAY_LEN(symbols); i++)
		if (!strncmp(s, symbols[i], strlen(symbols[i])))
			return strlen(symbols[i]);
	return 0;
}

/* Returns whether every bracket in S that belongs to no operator is closed. */
static bool is_balanced(const char *s)
{
	static const char pairs[] = "()<>[]{}";
	char open[256];
	size_t depth = 0;

	for (const char *c = s; *c; c++) {
		if (!strncmp(c, "operator", 8))
			c += 8 + operator_len(c + 8);
		const char *pair = *c ? strchr(pairs, *c) : NULL;

		if (!*c)
			break;
		if (!pair || (*c == '>' && c[-1] == '-'))
			continue;
		if ((pair - pairs) % 2 == 0) {
			if (depth == sizeof(open))
				return false;
			open[depth++] = pair[1];
		} else if (!depth || open[--depth] != *c) {
			return false;
		}
	}
	return !depth;
}

static void test_is_balanced(void **state)
{
	(void)state;
	assert_true(is_balanced("operator< <int>"));
	assert_true(is_balanced("a<b, (c)>::operator-><d>({e}[f])"));
	assert_true(is_balanced("operator><int>"));
	assert_false(is_balanced("a<b"));
	assert_false(is_balanced("a>"));
	assert_false(is_balanced("a<(b>)"));
}

/* Checks by their full names that no text stands for two functions. */
static void check_told_apart(const struct list *list, const struct demangler *d,
	const uint32_t *numbers, const char *file)
{
	struct demangler full;
	struct strpool texts;
	uint32_t *owners = xcalloc(list->nr + 1, sizeof(*owners));
	size_t brief = 0;

	demangler_init(&full, DEMANGLE_FULL);
	strpool_init(&texts);
	for (size_t i = 0; i < list->nr; i++) {
		uint32_t number = add(&full, list->names[i]);
		uint32_t owner = full.list[number].forms[FORM_FULL];
		uint32_t text = strpool_adds(&texts, shown(d, numbers[i]));

		if (owners[text] && owners[text] != owner)
			fail_msg("%s is shown for %s, too", strpool_get(&texts, text),
				list->names[i]);
		owners[text] = owner;
		brief += strlen(strpool_get(&texts, text)) < strpool_len(&full.texts, owner);
	}
	printf("# %s: %zu names, %zu of them shorter\n", file, list->nr, brief);
	assert_true(brief > list->nr / 3);
	strpool_release(&texts);
	demangler_release(&full);
	free(owners);
}

static void check_library(const char *file)
{
	struct demangler d, backwards, again;
	struct list list;

	read_list(&list, file);
	if (!list.nr) {
		printf("# skipped, not here: nm or %s\n", file);
		skip();
	}
	assert_true(list.nr > 1000);
	uint32_t *numbers = xcalloc(list.nr, sizeof(*numbers));

	demangler_init(&d, DEMANGLE_SHORT);
	demangler_init(&backwards, DEMANGLE_SHORT);
	demangler_init(&again, DEMANGLE_SHORT);
	for (size_t i = 0; i < list.nr; i++)
		numbers[i] = add(&d, list.names[i]);
	for (size_t i = list.nr; i--;) {
		add(&backwards, list.names[i]);
		add(&again, shown(&d, numbers[i]));
	}
	for (size_t i = 0; i < list.nr; i++) {
		const char *name = shown(&d, numbers[i]);

		assert_string_equal(shown(&backwards, add(&backwards, list.names[i])), name);
		assert_string_equal(shown(&again, add(&again, name)), name);
		if (!is_balanced(name))
			fail_msg("%s: %s", list.names[i], name);
	}
	check_told_apart(&list, &d, numbers, file);
	demangler_release(&d);
	demangler_release(&backwards);
	demangler_release(&again);
	free(numbers);
	release_list(&list);
}

static void test_libstdcxx(void **state)
{
	(void)state;
	check_library("\"$(g++ -print-file-name=libstdc++.so)\"");
}

/* The library with which clang itself is linked. */
static void test_llvm(void **state)
{
	(void)state;
	check_library("\"$(ldd \"$(command -v clang)\" | sed -n 's/.*=> \\(.*libLLVM[^ "
		      "]*\\).*/\\1/p')\"");
}

/* ---- hostile text ---- */

/* Whatever the brackets are: nothing is added, the pass ends, and a second pass changes nothing. */
static void test_tidy_any_text(void **state)
{
	static const char *const parts[] = {"std::", "vector", "<", ">", "(", ")", ", ", " ", "int",
		"allocator<int>", "std::vector<int, std::allocator<int> >", "operator", "->",
		"::", "{", "}", "[", "]", "__cxx11::", "basic_string<char", "&", " const", "-", "~",
		"="};
	struct strbuf text = STRBUF_INIT, once = STRBUF_INIT;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		strbuf_reset(&text);
		strbuf_reset(&once);
		for (uint64_t n = random_below(30); n; n--)
			strbuf_adds(&text, parts[random_below(ARRAY_LEN(parts))]);
		strbuf_adds(&once, "kept");
		tidy_add(&once, text.buf, i % 2);
		assert_memory_equal(once.buf, "kept", 4);
		assert_true(once.len <= text.len + 4 + text.len); /* "> >" for ">>" */
		assert_int_equal(strlen(once.buf), once.len);
	}
	strbuf_release(&text);
	strbuf_release(&once);
}

static void test_tidy_deep(void **state)
{
	struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;

	(void)state;
	for (size_t depth = 1; depth < 10000; depth *= 3) {
		strbuf_reset(&text);
		strbuf_reset(&out);
		for (size_t i = 0; i < depth; i++)
			strbuf_adds(&text, "f(std::vector<");
		tidy_add(&out, text.buf, true);
		assert_string_equal(out.buf, text.buf);
		strbuf_adds(&text, "int");
		for (size_t i = 0; i < depth; i++)
			strbuf_adds(&text, ">)");
		strbuf_reset(&out);
		tidy_add(&out, text.buf, true);
		assert_string_equal(out.buf, text.buf);
	}
	strbuf_release(&text);
	strbuf_release(&out);
}

/* ---- profiles ---- */

static uint32_t frame(struct profile *p, enum frame_kind kind, const char *name, const char *source)
{
	struct frame f = {
		.name = strpool_adds(&p->names, name),
		.module = strpool_adds(&p->names, "app"),
		.source = strpool_adds(&p->names, source),
		.kind = kind,
	};

	return profile_add_frame(p, &f);
}

static void add_stack(struct profile *p, enum frame_kind kind, const char *name, const char *source,
	uint64_t weight)
{
	uint32_t stack[] = {frame(p, FRAME_USER, "main", ""), frame(p, kind, name, source)};

	profile_add(p, stack, 2, weight);
}

/* Expects the children of main and their weights: "f 1, g 2". */
static void expect_below_main(struct profile *p, const char *want)
{
	struct strbuf got = STRBUF_INIT;

	profile_finish(p);
	for (uint32_t c = p->nodes[p->nodes[0].child].child; c; c = p->nodes[c].next)
		strbuf_addf(&got, "%s%s %lu", got.len ? ", " : "",
			profile_name(p, p->nodes[c].frame, NULL), p->nodes[c].total);
	assert_string_equal(got.buf, want);
	strbuf_release(&got);
}

static void make_profile(struct profile *p)
{
	profile_init(p);
	add_stack(p, FRAME_USER, "_ZN1AC1Ei", "", 1);
	add_stack(p, FRAME_USER, "_ZN1AC2Ei", "", 2);
	add_stack(p, FRAME_INLINE, "_Z3fooi", "a.cc:7", 4);
	add_stack(p, FRAME_INLINE, "_Z3fooi", "a.cc:9", 8);
	add_stack(p, FRAME_TASK, "_Z3fooi", "", 16);
}

static void test_profile(void **state)
{
	struct profile p, *list = &p;

	(void)state;
	make_profile(&p);
	demangle_profiles(&list, 1, DEMANGLE_SHORT);
	expect_below_main(&p, "A::A 3, _Z3fooi 16, foo a.cc:7 4, foo a.cc:9 8");
	profile_release(&p);
	make_profile(&p);
	demangle_profiles(&list, 1, DEMANGLE_FULL);
	expect_below_main(&p, "A::A(int) 3, _Z3fooi 16, foo(int) a.cc:7 4, foo(int) a.cc:9 8");
	profile_release(&p);
	make_profile(&p);
	demangle_profiles(&list, 1, DEMANGLE_NONE);
	expect_below_main(
		&p, "_Z3fooi 16, _Z3fooi a.cc:7 4, _Z3fooi a.cc:9 8, _ZN1AC1Ei 1, _ZN1AC2Ei 2");
	profile_release(&p);
	demangle_profiles(NULL, 0, DEMANGLE_SHORT);
}

/* Which kinds of frames have linker names. */
static void test_kinds(void **state)
{
	(void)state;
	for (enum frame_kind kind = 0; kind < FRAME_KINDS; kind++) {
		struct profile p, *list = &p;
		bool demangled = kind == FRAME_USER || kind == FRAME_KERNEL ||
				 kind == FRAME_INLINE || kind == FRAME_JIT || kind == FRAME_WAKER;

		profile_init(&p);
		add_stack(&p, kind, "_RNvCs1234_7mycrate3foo", "", 1);
		demangle_profiles(&list, 1, DEMANGLE_SHORT);
		expect_below_main(&p, demangled ? "mycrate::foo 1" : "_RNvCs1234_7mycrate3foo 1");
		profile_release(&p);
	}
}

/* The functions of both profiles together decide which names both show. */
static void test_two_profiles(void **state)
{
	struct profile a, b, *list[] = {&a, &b};

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		profile_init(&a);
		profile_init(&b);
		add_stack(&a, FRAME_USER, "_Z3fooi", "", 1);
		add_stack(&a, FRAME_USER, "_Z3bari", "", 1);
		add_stack(&b, FRAME_USER, "_Z3fooc", "", 1);
		list[0] = swap ? &b : &a;
		list[1] = swap ? &a : &b;
		demangle_profiles(list, 2, DEMANGLE_SHORT);
		expect_below_main(&a, "bar 1, foo(int) 1");
		expect_below_main(&b, "foo(char) 1");
		profile_release(&a);
		profile_release(&b);
	}
}

static void test_recording(void **state)
{
	static const enum frame_kind kinds[] = {FRAME_USER, FRAME_USER, FRAME_PERL};
	static const char *const names[] = {"_Z3fooi", "_Z3foov", "_Z3fooc"};
	static const char *const want[] = {"foo(int)", "foo()", "_Z3fooc"};
	struct recording rec;

	(void)state;
	recording_init(&rec);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct rec_frame f = {.kind = kinds[i], .place = AT_NAME};
		struct rec_name name = {.function = recording_string(&rec, names[i])};
		uint32_t number = recording_add_frame(&rec, &f);

		recording_name_frame(&rec, number, &name, 1);
	}
	demangle_recording(&rec, DEMANGLE_NONE);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		assert_string_equal(recording_get(&rec, rec.names[i].function), names[i]);
	demangle_recording(&rec, DEMANGLE_SHORT);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		assert_string_equal(recording_get(&rec, rec.names[i].function), want[i]);
	recording_release(&rec);
}

/* Each of N levels of a name refers twice to the previous one, and a parameter pack makes libiberty
 * search all of them. The demangler gives up on such a name, and other names are not affected. */
static void test_endless_names(void **state)
{
	struct strbuf name = STRBUF_INIT;
	struct demangler d;
	enum { LEVELS = 60 };

	(void)state;
	strbuf_adds(&name, "_Z1fDp");
	for (int i = 0; i < LEVELS; i++)
		strbuf_addch(&name, 'F');
	strbuf_adds(&name, "FvvE");
	for (int i = 0; i < LEVELS; i++) {
		char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", ref[8] = "S_";

		if (i)
			snprintf(ref, sizeof(ref), i > 36 ? "S1%c_" : "S%c_", digits[(i - 1) % 36]);
		strbuf_addf(&name, "%s%sE", ref, ref);
	}
	demangler_init(&d, DEMANGLE_SHORT);
	uint32_t endless = add(&d, name.buf), other = add(&d, "_Z3fooi");

	demangler_settle(&d);
	assert_string_equal(shown(&d, endless), name.buf);
	assert_string_equal(shown(&d, other), "foo");
	demangler_release(&d);
	strbuf_release(&name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_endless_names),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_full_and_none),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_is_balanced),
		cmocka_unit_test(test_libstdcxx),
		cmocka_unit_test(test_llvm),
		cmocka_unit_test(test_tidy_any_text),
		cmocka_unit_test(test_tidy_deep),
		cmocka_unit_test(test_profile),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_two_profiles),
		cmocka_unit_test(test_recording),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
