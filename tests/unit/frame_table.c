/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/frame_table.h"
#include "lib/util.h"
#include "runtime/perl/perl.h"
#include "runtime/perl/perl_frame.h"
#include "runtime/perl/perl_splice.h"
#include "unwind/walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* ---- how stacks of C and Perl frames end ---- */

enum { C_FRAME = 0, SUB = 1 };

struct mixed {
	enum stack_end c;
	enum vm_end perl;
	bool fits; /* the C frames have a run loop */
	enum stack_end want;
	const char *cut_by;
	bool noted; /* [perl: inconsistent] */
};

static bool has_note(const struct recording *rec, const struct rec_stack *stack)
{
	for (uint32_t i = 0; i < stack->nr; i++) {
		const struct rec_frame *f = &rec->frames[rec->frame_refs[stack->first + i]];

		if (f->kind == FRAME_NOTE) {
			assert_string_equal(recording_get(rec, rec->names[f->names].function),
				"[perl: inconsistent]");
			return true;
		}
	}
	return false;
}

static void check_mixed(struct frame_table *t, const struct mixed *m)
{
	const struct splice_native c[] = {{C_FRAME, SPLICE_INSIDE},
		{C_FRAME, m->fits ? SPLICE_LOOP : SPLICE_INSIDE}, {C_FRAME, PERL_ROLE_RUN}};
	const struct splice_frame perl[] = {
		{VM_WHAT(PERL_SUB) | PERL_FROM_C, SUB}, {VM_WHAT(PERL_MAIN), SUB}};
	struct splice s = {
		.native = c,
		.nr_native = ARRAY_LEN(c),
		.frames = perl,
		.nr_frames = m->perl == VM_INCONSISTENT ? 0
			     : m->fits                  ? 2
							: 1,
		.end = m->perl,
	};
	struct recording *rec = t->rec;
	uint32_t cut_by = m->c == END_CUT ? recording_string(rec, "libodd.so") : 0;
	uint32_t id = frame_table_mixed_stack(t, &perl_vm, &s, m->c, cut_by);
	const struct rec_stack *stack = &rec->stacks[id];

	assert_int_equal(stack->kind, STACK_USER);
	assert_int_equal(stack->end, m->want);
	assert_string_equal(recording_get(rec, stack->cut_by), m->cut_by);
	assert_int_equal(has_note(rec, stack), m->noted);
}

static void frame_table__mixed_stacks_end_as_their_worse_half(void **state)
{
	static const struct mixed cases[] = {
		{END_ROOT, VM_WHOLE, true, END_ROOT, "", false},
		{END_ROOT, VM_NOT_RUNNING, true, END_ROOT, "", false},
		{END_ROOT, VM_CUT, true, END_CUT, "depth", false},
		{END_ROOT, VM_INCONSISTENT, true, END_BROKEN, "", true},
		{END_ROOT, VM_CUT, false, END_BROKEN, "", true}, /* no run loop */
		{END_CUT, VM_WHOLE, true, END_CUT, "libodd.so", false},
		{END_CUT, VM_CUT, true, END_CUT, "libodd.so", false},
		{END_CUT, VM_INCONSISTENT, true, END_BROKEN, "", true},
		{END_BROKEN, VM_CUT, true, END_BROKEN, "", false},
		{END_BROKEN, VM_INCONSISTENT, true, END_BROKEN, "", true},
	};
	struct recording rec;
	struct processes ps;
	struct frame_table t;

	(void)state;
	processes_init(&ps);
	recording_init(&rec);
	frame_table_init(&t, &ps, NULL, &rec);
	assert_int_equal(frame_table_user(&t, walk_frame(NULL, 0x1000, false)), C_FRAME);
	assert_int_equal(frame_table_named(&t, FRAME_PERL,
				 &(struct rec_name){.function = recording_string(&rec, "f")}),
		SUB);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check_mixed(&t, &cases[i]);
	assert_int_equal(rec.nr_frames, 3); /* one note frame for all */
	frame_table_release(&t);
	recording_release(&rec);
	processes_release(&ps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frame_table__mixed_stacks_end_as_their_worse_half),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
