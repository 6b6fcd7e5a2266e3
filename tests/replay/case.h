/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cases: the data that walks read from a process at some moments, as text, and the stacks that they
 * must give. tests/replay/README describes both files. */
#ifndef TESTS_REPLAY_CASE_H
#define TESTS_REPLAY_CASE_H

#include "lib/table.h"
#include "process/target.h"
#include "symbol/elf/elfdata.h"
#include "runtime/vm.h"

#include <stdio.h>

struct strbuf;

enum { CASE_WORD = 8 }; /* memory is kept in words of this many bytes */

/* A word of memory. An unreadable word has the value 0. */
struct case_word {
	uint64_t address, value;
	bool readable;
	bool outdated; /* the process had another value there when the case went on */
	/* Used by take only. */
	bool read; /* at this moment */
	struct {
		uint64_t value;
		bool readable, known;
	} told; /* by the case so far */
};

/* A symbol or section of an ELF file, or, with file -1, the fact that no file has it. */
struct case_fact {
	enum { CASE_VARIABLE, CASE_THREAD, CASE_SECTION } kind;
	int file;
	char *name;
	struct elf_variable variable; /* also for a section */
	enum elf_thread_place place;
	uint64_t value;
};

struct case_file {
	char *path; /* without folders */
	uint64_t bias;
};

/* The memory and the files of a process. */
struct case_state {
	struct table at; /* address -> place in words */
	struct case_word *words;
	size_t nr_words, alloc_words;
	struct memory_area *zeros; /* areas whose words are 0, unless they are in words */
	size_t nr_zeros, alloc_zeros;
	struct memory_area *areas; /* as memory_areas() */
	size_t nr_areas, alloc_areas;
	struct case_file *files;
	size_t nr_files, alloc_files;
	struct case_fact *facts;
	size_t nr_facts, alloc_facts;
};

void case_init(struct case_state *s);
void case_release(struct case_state *s);

/* Returns the word at ADDRESS, a multiple of CASE_WORD; it is valid until the next call. Sets
 * *IS_NEW if the word was added. */
struct case_word *case_put(struct case_state *s, uint64_t address, bool *is_new);
/* Returns the word at ADDRESS, or NULL if it is not known. */
const struct case_word *case_get(const struct case_state *s, uint64_t address);
bool case_is_zero(const struct case_state *s, uint64_t address);

/* Applies a line that changes S. Returns false for any other line. */
bool case_line(struct case_state *s, const char *line);

/* Returns the fact, or NULL if it is not known. */
const struct case_fact *case_fact(const struct case_state *s, int kind, int file, const char *name);

/* A walk of a thread. */
struct case_walk {
	const struct vm *vm;
	const struct vm_layout *layout;
	const struct memory *memory;
	uint64_t thread, sp;            /* thread pointer, stack pointer */
	bool with_op;                   /* the operator that is executed is wanted, too */
	bool with_state;                /* the interpreter's state is wanted, too */
	const struct vm_native *native; /* for walks that find the stack through the native stack */
};

/* Appends the stack as lines: a tab, the name of a frame, a blank, its place; innermost first; then
 * how the walk ended, if it is not whole. The operator and the state come first, if they are
 * wanted. MIXED is as in struct vm_stack; marks are left out. */
enum vm_end case_walk(const struct case_walk *w, bool mixed, struct strbuf *out);

/*
 * Reads "FRAME PC FP BX SP DX REG… THREAD… FLAGS", all hexadecimal: the facts from a native stack.
 */
bool case_read_native(const char *line, struct vm_native *native);
void case_write_native(const struct vm_native *native, FILE *out);

/* Appends LEN bytes of TEXT; writes bytes up to blank, backslash and DEL as \xHH. */
void case_escape(const char *text, size_t len, struct strbuf *out);

#endif
