/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts that the recorder needs about ELF files beyond their heads. The files may be hostile, or
 * truncated while they are read, so a child without privileges reads them, see lib/worker.h. The
 * facts are kept with the file. A file that crashes or delays its child has no facts from then on.
 * If such files take too long together, no file has new facts from then on. Root's files have a
 * child of their own, so that a child which a hostile file has taken over cannot lie about them.
 */
#ifndef SYMBOL_ELF_ELFFACTS_H
#define SYMBOL_ELF_ELFFACTS_H

#include "debugfile.h"
#include "elfdata.h"
#include "elffile.h"

#include <stddef.h>

enum elf_fact {
	FACT_VARIABLE,        /* result of elfdata_variable(name) */
	FACT_THREAD_PLACE,    /* result of elfdata_thread_place(name) */
	FACT_SECTION,         /* result of elfdata_section(name) */
	FACT_RULES,           /* call frame information for the byte at file offset place */
	FACT_MAIN,            /* result of symtab_is_main(place) */
	FACT_NAMES,           /* result of debugfile_names_known(name, paths) */
	FACT_HIDDEN_EH_FRAME, /* result of elffile_hidden_eh_frame() */
	FACT_LARGE_CALLEE,    /* result of large_callee_find(name) */
	FACT_DATA,            /* range of elfdata_at(place) */
	FACT_NEEDS,           /* result of elfdata_needs(name) */
	FACT_GO_FUNCTION,     /* result of pclntab_find(name) */
	FACT_COLD_PART,       /* result of cold_part_find(name) */
};

struct elf_question {
	const struct elffile *elf;
	enum elf_fact fact;
	const char *name;
	uint64_t place;
	const struct debug_paths *paths;
};

/*
 * Finds all facts of the NR questions that are not known yet, in two children if no file ends them.
 * The functions below ask for missing facts themselves, but each call would start a child then.
 */
void elffacts_ask(const struct elf_question *list, size_t nr);

/* The results that enum elf_fact lists. Facts that are not known are 0, false or NOWHERE. */
bool elffacts_variable(const struct elffile *elf, const char *name, struct elf_variable *variable);
enum elf_thread_place elffacts_thread_place(
	const struct elffile *elf, const char *name, uint64_t *value);
bool elffacts_section(
	const struct elffile *elf, const char *name, uint64_t *address, uint64_t *size);
enum elf_rules elffacts_rules(const struct elffile *elf, uint64_t file_offset);
bool elffacts_is_main(const struct elffile *elf, uint64_t address);
bool elffacts_names_known(
	const struct elffile *elf, const char *path, const struct debug_paths *paths);
uint64_t elffacts_hidden_eh_frame(const struct elffile *elf);
bool elffacts_needs(const struct elffile *elf, const char *library);
/* The range is no data if the file has no answer, or has answered too often. */
void elffacts_data_at(const struct elffile *elf, uint64_t address, struct elf_data_range *range);
bool elffacts_large_callee(
	const struct elffile *elf, const char *name, struct elf_variable *function);
bool elffacts_go_function(
	const struct elffile *elf, const char *name, struct elf_variable *function);
bool elffacts_cold_part(const struct elffile *elf, const char *name, struct elf_variable *part);

#endif
