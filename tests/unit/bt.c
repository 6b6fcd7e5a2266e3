/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings as text backtraces: reading them back gives what the recording shows. */
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/names/demangle_profile.h"
#include "text_test.h"
#include "view/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct {
	const char *function, *file, *module;
	uint32_t line;
} names[] = {
	{"main", "/src/main.c", "/bin/app", 3},
	{"_Z3fooi", "foo.cc", "/bin/app", 12},
	{"_Z3foov", "/usr/include/c++/12/bits/stl.h", "/usr/lib/libstdc++.so.6", 1234},
	{"_ZNSt6vectorIiSaIiEE9push_backERKi", "/a dir [x]/b+0x1 [y].h", "/bin/[app", 9},
	{"no_line", "/src/main.c", "/bin/app", 0},
	{"no_file", "", "/bin/app", 7},
	{"do_syscall_64", "arch/x86/entry/common.c", "[kernel]", 80},
	{"in_a_module", "net/netfilter/nf;tables\n.c", "[nf_tables]", 81},
};

static void make(struct recording *rec)
{
	uint32_t frames[ARRAY_LEN(names)];
	struct rec_row row = {.stacks = {0, NO_STACK, NO_STACK, NO_STACK}, .count = 5, .sum = 5};

	recording_init(rec);
	recording_add_event(rec, "on-cpu", "samples", "cpu", 1000000);
	recording_add_task(rec, &(struct rec_task){.comm = recording_string(rec, "app")});
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		bool kernel = names[i].module[0] == '[';
		struct rec_frame frame = {
			.kind = kernel ? FRAME_KERNEL : FRAME_USER,
			.place = AT_ADDRESS,
			.addr = kernel ? UINT64_MAX - i : i,
		};
		struct rec_name name = {
			.function = recording_string(rec, names[i].function),
			.offset = 0x10,
			.module = recording_string(rec, names[i].module),
			.file = recording_string(rec, names[i].file),
			.line = names[i].line,
		};

		frames[i] = recording_add_frame(rec, &frame);
		recording_name_frame(rec, frames[i], &name, 1);
	}
	row.stacks[0] = recording_add_stack(rec, STACK_USER, END_ROOT, 0, frames, ARRAY_LEN(names));
	recording_add_row(rec, &row);
}

/* Returns the folded lines of P with names demangled as HOW; the caller frees them. Releases P. */
static char *folded(struct profile *p, enum demangle how)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	demangle_profiles(&p, 1, how);
	profile_finish(p);
	assert_int_equal(view_folded(p, out, NULL), 0);
	fclose(out);
	profile_release(p);
	return text;
}

static char *text_of(
	const struct recording *rec, const struct recording_view *view, enum demangle how)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(view_bt(rec, view, how, out, NULL), 0);
	fclose(out);
	return text;
}

static void read_back(struct profile *p, const char *text, bool sources)
{
	struct text_options options = {.sources = sources};
	struct strbuf notes = STRBUF_INIT;

	profile_init(p);
	assert_int_equal(text_read(&stacktext_format, &options, text, strlen(text), p, &notes), 0);
	assert_string_equal(notes.buf, "");
	strbuf_release(&notes);
}

static void test_round_trip(void **state)
{
	struct recording rec;

	(void)state;
	make(&rec);
	for (int i = 0; i < 6; i++) {
		struct recording_view view = {.event = -1, .lines = i % 2};
		enum demangle how = (enum demangle)(i / 2);
		char *text = text_of(&rec, &view, how);
		struct profile from_text, p;

		read_back(&from_text, text, view.lines);
		profile_init(&p);
		recording_to_profile(&rec, &view, &p);
		char *got = folded(&from_text, DEMANGLE_NONE), *want = folded(&p, how);

		assert_string_equal(got, want);
		assert_int_equal(strstr(want, "foo.cc:12") != NULL, view.lines);
		assert_int_equal(strstr(want, "foo(int)") != NULL, how != DEMANGLE_NONE);
		free(got);
		free(want);
		free(text);
	}
	recording_release(&rec);
}

/* Sources are only written if they are requested, in stap's form. */
static void test_text(void **state)
{
	struct recording_view view = {.event = -1};
	struct recording rec;

	(void)state;
	make(&rec);
	char *text = text_of(&rec, &view, DEMANGLE_SHORT);

	assert_null(strstr(text, " at "));
	assert_non_null(strstr(text, " 0x1 : foo(int)+0x10 [/bin/app]\n"));
	assert_non_null(strstr(text, " 0x3 : std::vector<int>::push_back+0x10 [/bin/\\x5bapp]\n"));
	free(text);
	view.lines = true;
	text = text_of(&rec, &view, DEMANGLE_SHORT);
	assert_non_null(strstr(text, " 0x1 : foo(int)+0x10 at foo.cc:12 [/bin/app]\n"));
	assert_non_null(strstr(text, "at /usr/include/c\\x2b\\x2b/12/bits/stl.h:1234 [/usr/lib/"));
	assert_non_null(strstr(text, " 0x4 : no_line+0x10 [/bin/app]\n"));
	assert_non_null(strstr(text, "+0x10 at arch/x86/entry/common.c:80 [kernel]\n"));
	free(text);
	recording_release(&rec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_text),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
