/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "library_jit.h"
#include "lib/pattern.h"
#include "lib/util.h"
#include "model/recording.h"

#include <string.h>

/* The callers of compiled code, by their function or, as that may be unnamed, by their file. */
static const struct library {
	const char *file, *function; /* patterns, one of which is NULL and not used */
	const char *name;            /* name of the compiled code */
} libraries[] = {
	{"libpcre*.so*", NULL, "[pcre jit]"},
	/* if the library is linked statically */
	{NULL, "pcre_exec", "[pcre jit]"},
	{NULL, "pcre_jit_exec", "[pcre jit]"},
	{NULL, "pcre2_match_*", "[pcre jit]"},
	{NULL, "pcre2_jit_match_*", "[pcre jit]"},
	{NULL, "jit_machine_stack_exec", "[pcre jit]"},
	/* code of the guest, compiled by QEMU's TCG */
	{"qemu-*", NULL, "[qemu tcg]"},
};

static bool is(const char *pattern, const char *text)
{
	return pattern && *text && pattern_or_name_matches(pattern, text, strlen(text));
}

/* Returns the outermost name of FRAME, which is the function itself without inlined calls. */
static const char *function_of(const struct recording *rec, const struct rec_frame *frame)
{
	if (!frame->nr_names)
		return "";
	return recording_get(rec, rec->names[frame->names + frame->nr_names - 1].function);
}

static const char *path_of(const struct recording *rec, const struct rec_frame *frame)
{
	return frame->place == AT_MAP ? recording_get(rec, rec->maps[frame->map].path) : "";
}

/* Returns the name of the code that CALLER compiles, or NULL if it compiles none. */
static const char *name_by(const struct recording *rec, const struct rec_frame *caller)
{
	const char *function = function_of(rec, caller), *file = file_name(path_of(rec, caller));

	for (size_t i = 0; i < ARRAY_LEN(libraries); i++)
		if (is(libraries[i].file, file) || is(libraries[i].function, function) ||
			!strcmp(libraries[i].name, function)) /* compiled code calls more of it */
			return libraries[i].name;
	return NULL;
}

static bool is_unnamed_memory(const struct recording *rec, const struct rec_frame *frame)
{
	return frame->kind == FRAME_USER && frame->place == AT_MAP && !frame->nr_names &&
	       recording_is_memory(path_of(rec, frame)) &&
	       !*recording_get(rec, rec->maps[frame->map].build_id);
}

static void name_called(struct recording *rec, uint32_t number, const char *function)
{
	struct rec_name name = {
		.function = recording_string(rec, function),
		.module = recording_string(rec, "[jit]"),
	};

	rec->frames[number].kind = FRAME_JIT;
	recording_name_frame(rec, number, &name, 1);
}

void library_jit_name(struct recording *rec)
{
	for (size_t i = 0; i < rec->nr_stacks; i++) {
		const struct rec_stack *stack = &rec->stacks[i];

		for (uint32_t k = stack->nr; k-- > 1;) { /* from the caller to the called */
			uint32_t caller = rec->frame_refs[stack->first + k],
				 called = rec->frame_refs[stack->first + k - 1];
			const char *name = is_unnamed_memory(rec, &rec->frames[called])
						   ? name_by(rec, &rec->frames[caller])
						   : NULL;

			if (name)
				name_called(rec, called, name);
		}
	}
}
