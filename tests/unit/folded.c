/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "input/notes.h"
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

static int read_text(struct profile *p, const char *text, size_t len)
{
	struct strbuf notes = STRBUF_INIT;
	int ret = text_read(&folded_format, NULL, text, len, p, &notes);

	strbuf_release(&notes);
	return ret;
}

static void test_brackets(void **state)
{
	(void)state;
	assert_true(name_is_note("[truncated: a]", 14));
	assert_true(name_is_note("[no stack]", 10));
	assert_false(name_is_note("[unknown]", 9));
	assert_true(name_is_unnamed("[unknown]", 9));
	assert_true(name_is_unnamed("[libfoo.so]", 11));
	assert_false(name_is_unnamed("[]", 2));
	assert_false(name_is_unnamed("[x]y", 4));
	assert_false(name_is_unnamed("[broken]", 8));
}

static void test_kinds(void **state)
{
	struct profile p;

	(void)state;
	profile_init(&p);
	assert_int_equal(read_text(&p, "a_[k];b_[i];c_[j];d_[w];e;[lost] 1\n", 35), 0);
	static const enum frame_kind want[] = {
		FRAME_KERNEL, FRAME_INLINE, FRAME_JIT, FRAME_WAKER, FRAME_USER, FRAME_NOTE};

	for (uint32_t i = 0; i < ARRAY_LEN(want); i++)
		assert_int_equal(p.frames[p.nodes[i + 1].frame].kind, want[i]);
	assert_string_equal(profile_name(&p, p.nodes[1].frame, NULL), "a");
	profile_release(&p);
}

/* Writes P as folded lines into the caller's buffer. */
static void fold(struct profile *p, struct strbuf *out)
{
	FILE *file = tmpfile();
	char buf[4096];
	size_t n;

	assert_non_null(file);
	profile_finish(p);
	assert_int_equal(view_folded(p, file, out), 0);
	rewind(file);
	while ((n = fread(buf, 1, sizeof(buf), file)))
		strbuf_add(out, buf, n);
	fclose(file);
}

/* Random trees of names that are hard to distinguish: the output is sorted, and reads as the same
 * tree. */
static void test_round_trip(void **state)
{
	static const char *const names[] = {"a", "a b", "a 1", "a.b", "a;", "\\x3b", "[x]", "b_[k",
		" ", "a\nb", "1", "a 12", "#", "# a"};
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
		struct profile p, q;

		profile_init(&p);
		for (int i = 0; i < 40; i++) {
			uint32_t stack[4];
			size_t n = 1 + seed % 4;

			for (size_t k = 0; k < n; k++) {
				seed = hash_u64(seed + 1);
				const char *name = names[seed % ARRAY_LEN(names)];

				stack[k] = profile_frame(&p,
					seed >> 32 & 1 ? FRAME_KERNEL : FRAME_USER, name,
					strlen(name), seed >> 40 & 1 ? "m" : NULL, seed >> 40 & 1);
			}
			seed = hash_u64(seed);
			profile_add(&p, stack, n, seed % 1000);
		}
		fold(&p, &first);
		profile_init(&q);
		assert_int_equal(read_text(&q, first.buf, first.len), 0);
		fold(&q, &second);
		assert_string_equal(first.buf, second.buf);
		assert_int_equal(p.nodes[0].total, q.nodes[0].total);
		for (char *line = first.buf, *nl; (nl = strchr(line, '\n')); line = nl + 1) {
			char *end = strchr(nl + 1, '\n');

			*nl = '\0';
			if (end) {
				*end = '\0';
				assert_true(strcmp(line, nl + 1) < 0);
				*end = '\n';
			}
		}
		profile_release(&p);
		profile_release(&q);
		strbuf_release(&first);
		strbuf_release(&second);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_brackets),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
