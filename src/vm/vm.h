/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interpreters whose stacks can be recorded: one folder and one row of VM_LIST each. */
#ifndef VM_VM_H
#define VM_VM_H

#include "model/recording.h"
#include "splice.h"
#include "vm_layout.h"

struct memory;
struct strbuf;
struct target;
struct vm_values;

/* Buffer, options and result of a walk. */
struct vm_stack {
	struct vm_frame *frames; /* innermost first */
	size_t max;
	bool mixed; /* for splicing: also entries that only mark a possible run loop */
	size_t nr;  /* valid also if the walk failed */
};

struct vm {
	const struct language *language;
	enum vm_kind kind;
	unsigned code;     /* type of frames that are functions in C at their address; 0: none */
	bool by_native;    /* walks begin where the native stack has the interpreter */
	uint64_t compiled; /* flag in what of frames that are machine code; 0: none are */
	/* Names of the interpreter's states, from index 1 to the first NULL; NULL: not known. */
	const char *const *states;

	const char *symbol; /* defined by every file that may have the interpreter */
	/*
	 * Finds the interpreter in T. LIKE is a layout found earlier in the same file, or NULL: it
	 * saves reading debug information again. 1: there is none; -1 and ERR: there is one, but it
	 * cannot be walked.
	 */
	int (*find)(const struct target *t, const struct vm_layout *like, struct vm_layout *layout,
		struct strbuf *err);
	/* Appends version, file and how the layout is known, in the process PID, for --check. */
	void (*describe)(const struct vm_layout *layout, uint32_t pid, struct strbuf *out);
	/*
	 * Adds the layout in PID to the values for a stap script. False: there is no room. NULL:
	 * only the built-in engine walks its stacks.
	 */
	bool (*add_values)(struct vm_values *values, uint32_t pid, const struct vm_layout *layout);
	/*
	 * The interpreter of a layout whose stacks the script does not walk, as a noun; NULL: it
	 * does. NULL: it walks those of all layouts.
	 */
	const char *(*unfit_for_script)(const struct vm_layout *layout);
	/* The script does not walk its stacks together with those of user space. */
	bool alone_in_script;
	/*
	 * Appends the name of a frame that the script calls NAME ("": it does not know); false: as
	 * that. NULL: always so.
	 */
	bool (*name_by_script)(const struct vm_layout *layout, uint64_t what, const char *name,
		struct strbuf *out);
	/*
	 * Walks the stack of the thread with the thread pointer THREAD, which must not run; SP: its
	 * stack pointer.
	 */
	enum vm_end (*walk)(const struct vm_layout *layout, const struct memory *memory,
		uint64_t thread, uint64_t sp, struct vm_stack *stack);
	/*
	 * Reads the texts of FRAME, which must still be in memory; BELOW: the next outer frame, of
	 * type 0 if there is none.
	 */
	void (*read_texts)(const struct vm_layout *layout, const struct memory *memory,
		const struct vm_frame *frame, const struct vm_frame *below, union vm_texts *texts);
	/* Appends the name of a frame in the language's syntax. False: it could not be read. */
	bool (*add_name)(const struct vm_layout *layout, const union vm_texts *texts, uint64_t what,
		struct strbuf *name);
	/* Appends the file and gives the line, 0: not known. False: they could not be read. */
	bool (*add_place)(const union vm_texts *texts, struct strbuf *file, uint32_t *line);
	/*
	 * The line that a function begins at, if others in its file may have its name; 0: none has.
	 * NULL: never.
	 */
	uint32_t (*first_line)(const union vm_texts *texts);
	/*
	 * The name in the language of the function in C at ADDRESS; NULL: it has none. NULL: no
	 * function has.
	 */
	const char *(*code_name)(const struct vm_layout *layout, uint64_t address);
	const struct splice_rules *splice;
	/* Maps that only its BPF part uses, with their entries per CPU. */
	struct vm_map {
		const char *name; /* NULL: end of the list */
		uint32_t entries;
	} maps[4];
};

#define VM_DECLARE(KIND, name) extern const struct vm name##_vm;
VM_LIST(VM_DECLARE)
#undef VM_DECLARE

enum { NR_VMS = VM_KINDS - 1 };

extern const struct vm *const vms[NR_VMS];

/* NULL: there is none of that name, of LEN bytes. */
const struct vm *vm_named(const char *name, size_t len);

/* NULL: there is none with that letter. */
const struct vm *vm_of_letter(char letter);

/* The one whose stacks are of this kind; NULL: they are of no interpreter. */
const struct vm *vm_of_stack(enum stack_kind kind);

#endif
