/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the recorder needs of ELF files beyond their heads. The files are hostile, and may be
 * truncated while they are read, so a child without privileges reads them, see lib/worker.h. What
 * it finds is kept with the file. A file that crashes or delays it has no facts from then on; nor
 * have any, once such files have taken too long together. Root's files have a child of their own:
 * one that a hostile file has taken over cannot lie about them.
 */
#ifndef SYMBOL_ELF_ELFFACTS_H
#define SYMBOL_ELF_ELFFACTS_H

#include "debugfile.h"
#include "elfdata.h"
#include "elffile.h"

#include <stddef.h>

enum elf_fact {
	FACT_VARIABLE,     /* as elfdata_variable(name) */
	FACT_THREAD_PLACE, /* as elfdata_thread_place(name) */
	FACT_SECTION,      /* as elfdata_section(name) */
	FACT_RULES,        /* of call frame information for the byte at this place in the file */
	FACT_MAIN,         /* as symtab_is_main(place) */
	FACT_NAMES,        /* as debugfile_names_known(), of the file opened as name, and paths */
	FACT_HIDDEN_EH_FRAME, /* as elffile_hidden_eh_frame() */
	FACT_LARGE_CALLEE,    /* as large_callee_find(name) */
};

struct elf_question {
	const struct elffile *elf;
	enum elf_fact fact;
	const char *name;
	uint64_t place;
	const struct debug_paths *paths;
};

/*
 * Finds what is not known yet of all NR questions, in two children if no file ends them. Nothing
 * has to be asked before it is used below, but each would start a child then.
 */
void elffacts_ask(const struct elf_question *list, size_t nr);

/* As the functions above; what is not known is 0, false or NOWHERE. */
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
bool elffacts_large_callee(
	const struct elffile *elf, const char *name, struct elf_variable *function);

#endif
