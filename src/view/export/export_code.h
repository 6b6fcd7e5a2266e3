/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of one file of a recording, with its samples and branches, for programs that optimise
 * the file by its profile.
 */
#ifndef VIEW_EXPORT_EXPORT_CODE_H
#define VIEW_EXPORT_EXPORT_CODE_H

#include "symbol/code/code_files.h"
#include "symbol/opener.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct function_match_list;
struct strbuf;

struct export_code_options {
	const struct recording_view *view;
	const struct symbol_options *symbol;
	struct function_match_list *modules; /* files to choose from, or empty for all */
};

struct export_code {
	const struct recording *rec;
	const struct recording_view *view;
	struct opener opener;
	struct code_files files; /* has only the chosen file */
	const struct code *code; /* its code */
	bool has_branches;       /* the recording has branches, which tell more than samples */
};

/*
 * Chooses the file of REC with most samples and reads its code. NOTES then say which file it is.
 * Returns -1 with the reason in NOTES if there is none or its code cannot be read.
 */
int export_code_init(struct export_code *c, const struct recording *rec,
	const struct export_code_options *options, struct strbuf *notes);
void export_code_release(struct export_code *c);

/* Returns the number of the instruction in the code that FRAME is at, or NO_CODE. */
uint32_t export_code_insn(const struct export_code *c, uint32_t frame);

/* Returns the function of an instruction. */
const struct code_function *export_code_function(const struct export_code *c, uint32_t insn);

/* Whether a branch is one of those that the view shows. */
bool export_code_shows(const struct export_code *c, const struct rec_branch *branch);

/*
 * Finds the instructions that have run after a branch. Returns false if they are not known: the
 * first and the last one are not in one function.
 */
struct insn_run {
	uint32_t first, last;
};
bool export_code_run(
	const struct export_code *c, const struct rec_branch *branch, struct insn_run *run);

/* Returns how many samples each instruction has. The caller frees the array. */
uint64_t *export_code_samples(const struct export_code *c);

/*
 * Write profiles of the file: the text of create_llvm_prof, which clang reads, and the
 * pre-aggregated profile, which perf2bolt reads. Return 1 if they are empty. NOTES say what is
 * missing.
 */
typedef int export_of_code(const struct export_code *c, FILE *out, struct strbuf *notes);
export_of_code export_autofdo, export_bolt;

#endif
