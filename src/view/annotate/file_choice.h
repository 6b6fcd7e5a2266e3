/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the source files of a recording that are annotated as a whole. */
#ifndef VIEW_ANNOTATE_FILE_CHOICE_H
#define VIEW_ANNOTATE_FILE_CHOICE_H

#include "model/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function_match_list;
struct strbuf;

struct chosen_file {
	uint32_t path;        /* in the recording's strings */
	uint64_t self, total; /* weights of its code, including what is inlined into it */
};

/*
 * Sets *LIST, which the caller frees, to the files of REC's names that one of FILES matches: by
 * their path, or by the end of it after a slash. The hottest files come first. Returns their
 * number, which is at most TOP unless TOP is 0. One that matches nothing is noted in NOTES, with
 * similar names, and makes *MISSING true.
 */
size_t file_choice_make(const struct recording *rec, const struct recording_view *view,
	struct function_match_list *files, unsigned top, struct chosen_file **list, bool *missing,
	struct strbuf *notes);

#endif
