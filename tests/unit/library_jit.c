/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compiled code that is recognised by its callers. */
#include "symbol/library_jit.h"
#include "lib/util.h"
#include "model/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static struct recording rec;

static int set_up(void **state)
{
	(void)state;
	recording_init(&rec);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	recording_release(&rec);
	return 0;
}

/* FUNCTION is NULL if it has no name. */
static uint32_t frame_in(const char *path, const char *function)
{
	uint32_t map = recording_add_map(&rec, &(struct rec_map){.pid = 1,
						       .start = 0x1000,
						       .end = 0x2000,
						       .path = recording_string(&rec, path),
						       .build_id = recording_string(&rec, "")});
	uint32_t frame = recording_add_frame(
		&rec, &(struct rec_frame){.kind = FRAME_USER, .place = AT_MAP, .map = map});

	if (function)
		recording_name_frame(&rec, frame,
			&(struct rec_name){.function = recording_string(&rec, function)}, 1);
	return frame;
}

/* Returns the name of memory without a file that CALLER of PATH calls. */
static const char *called_by(const char *path, const char *caller)
{
	uint32_t frames[] = {frame_in("", NULL), frame_in("", NULL), frame_in(path, caller)};

	recording_add_stack(&rec, STACK_USER, END_ROOT, 0, frames, 3);
	library_jit_name(&rec);
	for (size_t i = 0; i < 2; i++) {
		const struct rec_frame *f = &rec.frames[frames[i]], *next = &rec.frames[frames[1]];

		assert_int_equal(f->nr_names, next->nr_names);
		assert_int_equal(f->kind, f->nr_names ? FRAME_JIT : FRAME_USER);
	}
	if (!rec.frames[frames[0]].nr_names)
		return "";
	return recording_get(&rec, rec.names[rec.frames[frames[0]].names].function);
}

static void library_jit__by_what_calls_it(void **state)
{
	static const struct {
		const char *path, *function, *want;
	} cases[] = {
		{"/usr/lib/libpcre2-8.so.0.11.2", NULL, "[pcre jit]"},
		{"/usr/lib/libpcre.so.3", "pcre_exec", "[pcre jit]"},
		{"/usr/sbin/nginx", "pcre2_jit_match_8", "[pcre jit]"},
		{"/usr/sbin/nginx", "jit_machine_stack_exec", "[pcre jit]"},
		{"/usr/bin/qemu-system-x86_64", NULL, "[qemu tcg]"},
		{"/usr/sbin/nginx", "ngx_http_handler", ""},
		{"/usr/sbin/nginx", NULL, ""},
		{"/opt/libpcre/app", NULL, ""},
		{"", "pcre2_match_8", "[pcre jit]"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(called_by(cases[i].path, cases[i].function), cases[i].want);
}

/* Code that has a name, or is in a file, keeps its name. */
static void library_jit__only_unnamed_memory(void **state)
{
	uint32_t frames[] = {frame_in("", "Lfoo"), frame_in("/lib/libpcre2-8.so.0", NULL),
		frame_in("/lib/libpcre2-8.so.0", "pcre2_match_8")};

	(void)state;
	recording_add_stack(&rec, STACK_USER, END_ROOT, 0, frames, 3);
	library_jit_name(&rec);
	assert_string_equal(
		recording_get(&rec, rec.names[rec.frames[frames[0]].names].function), "Lfoo");
	assert_int_equal(rec.frames[frames[1]].nr_names, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(library_jit__by_what_calls_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			library_jit__only_unnamed_memory, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
