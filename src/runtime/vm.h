/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interpreters whose stacks can be recorded. Each has a folder and a row of VM_LIST. */
#ifndef RUNTIME_VM_H
#define RUNTIME_VM_H

#include "model/recording.h"
#include "splice.h"
#include "vm_layout.h"

struct definitions;
struct memory;
struct strbuf;
struct target;
struct vm_values;

/* Buffer, options and result of a walk. */
struct vm_stack {
	struct vm_frame *frames; /* innermost first */
	size_t max;
	bool mixed;     /* for splicing, with entries that only mark a possible run loop */
	bool with_op;   /* op is wanted */
	size_t nr;      /* valid also if the walk failed */
	uint16_t op;    /* as in struct vm_walk */
	uint32_t state; /* likewise */
};

/* Where a frame of a stack was executed. */
struct vm_place {
	uint64_t what;    /* as in struct vm_frame, without the address */
	const char *file; /* "" if it is not known */
	uint32_t line;    /* or 0 if it is not known */
};

/* A frame as a script has printed it. */
struct vm_printed {
	uint64_t what;           /* as in struct vm_frame */
	const char *name, *file; /* "" if the script does not know them */
};

/* The label of the operators that an interpreter executes. */
#define VM_OP_LABEL "op"

/* The label of the interpreter's state. */
#define VM_STATE_LABEL "vmstate"

/* An interpreter. Its members are needed unless they say what NULL or 0 means. */
struct vm {
	const struct language *language;
	enum vm_kind kind;
	unsigned code;     /* type of frames that are functions in C at their address, or 0 */
	bool by_native;    /* walks begin where the native stack has the interpreter */
	uint64_t compiled; /* flag in `what` of frames that are machine code, or 0 */
	/*
	 * Names of the interpreter's states, from index 1 to the first NULL, or NULL if not known.
	 */
	const char *const *states;

	const char *symbol; /* defined by every file that may have the interpreter */
	/*
	 * Finds the interpreter in T. LIKE is a layout found earlier in the same file, or NULL; it
	 * saves reading debug information again. Returns 0 if there is an interpreter, 1 if there
	 * is none, or -1 with ERR if there is one that cannot be walked.
	 */
	int (*find)(const struct target *t, const struct vm_layout *like, struct vm_layout *layout,
		struct strbuf *err);
	/* Appends version, file and how the layout is known, in the process PID, for --check. */
	void (*describe)(const struct vm_layout *layout, uint32_t pid, struct strbuf *out);
	/*
	 * Adds the layout in PID to the values for a stap script. Returns false if there is no
	 * room. The member is NULL if only the built-in engine walks these stacks.
	 */
	bool (*add_values)(struct vm_values *values, uint32_t pid, const struct vm_layout *layout);
	/*
	 * Returns a noun for the interpreter of a layout whose stacks the script does not walk, or
	 * NULL if it walks them. The member is NULL if it walks the stacks of all layouts.
	 */
	const char *(*unfit_for_script)(const struct vm_layout *layout);
	/* The script does not walk its stacks together with user stacks. */
	bool alone_in_script;
	/*
	 * Appends the name of a frame that the script has printed. Returns false if the printed
	 * name is its name. The member is NULL if it always is.
	 */
	bool (*name_by_script)(
		const struct vm_layout *layout, const struct vm_printed *frame, struct strbuf *out);
	/*
	 * Walks the stack of the thread with the thread pointer THREAD and the stack pointer SP.
	 * The thread must not run.
	 */
	enum vm_end (*walk)(const struct vm_layout *layout, const struct memory *memory,
		uint64_t thread, uint64_t sp, struct vm_stack *stack);
	/*
	 * Reads the texts of FRAME, which must still be in memory. BELOW is the next outer frame,
	 * of type 0 if there is none.
	 */
	void (*read_texts)(const struct vm_layout *layout, const struct memory *memory,
		const struct vm_frame *frame, const struct vm_frame *below, union vm_texts *texts);
	/*
	 * Reads the names of the operators in T, where the interpreter was found. To be called once
	 * if operators are recorded. The member is NULL if their names are known.
	 */
	void (*find_operators)(const struct target *t, struct vm_layout *layout);
	/*
	 * Returns the name of the operator with this number, or NULL if it is not known. The member
	 * is NULL if the interpreter's operators are not recorded.
	 */
	const char *(*operator_name)(const struct vm_layout *layout, uint32_t number);
	/*
	 * Appends the name of a frame in the language's syntax. Returns false if it could not be
	 * read.
	 */
	bool (*add_name)(const struct vm_layout *layout, const union vm_texts *texts, uint64_t what,
		struct strbuf *name);
	/*
	 * Appends the file, and sets *LINE, to 0 if it is not known. Returns false if they could
	 * not be read.
	 */
	bool (*add_place)(const union vm_texts *texts, struct strbuf *file, uint32_t *line);
	/*
	 * Appends a name that tells what CALLER has begun with FRAME, from where both were
	 * executed. Returns false if the frame's own name stays. The member is NULL if all stay.
	 */
	bool (*name_in_stack)(
		const struct vm_place *frame, const struct vm_place *caller, struct strbuf *name);
	/*
	 * Returns the line at which a function begins, if other functions in its file may have its
	 * name, or else 0. The member is NULL if that is never so.
	 */
	uint32_t (*first_line)(const union vm_texts *texts);
	/* How source files tell the names of functions, or NULL if the interpreter knows them. */
	const struct vm_source {
		/* Appends the path of the function's source file. Returns false if it has none. */
		bool (*add_path)(const union vm_texts *texts, struct strbuf *path);
		/* Lists the functions in a file, whose TEXT is untrusted. */
		void (*list)(const char *text, size_t len, struct definitions *list);
		/* Gives the function its name in LIST, which is of its file. */
		void (*define)(const struct definitions *list, union vm_texts *texts);
	} * source;
	/*
	 * Returns the name in the language of the function in C at ADDRESS, or NULL if it has none.
	 * The member is NULL if no function has one.
	 */
	const char *(*code_name)(const struct vm_layout *layout, uint64_t address);
	const struct splice_rules
		*splice; /* which entries are frames; with --mixed, where they go */
	/* Maps that only its BPF part uses, with their entries per CPU. */
	struct vm_map {
		const char *name; /* or NULL at the end of the list */
		uint32_t entries;
	} maps[4];
};

#define VM_DECLARE(KIND, name) extern const struct vm name##_vm;
VM_LIST(VM_DECLARE)
#undef VM_DECLARE

enum { NR_VMS = VM_KINDS - 1 };

extern const struct vm *const vms[NR_VMS];

/* Returns the interpreter named NAME, of LEN bytes, or NULL. */
const struct vm *vm_named(const char *name, size_t len);

/* Returns the interpreter of this kind, or NULL for VM_NONE. */
const struct vm *vm_of_kind(enum vm_kind kind);

/*
 * Functions over a set of kinds, as bits VM_BIT(). Interpreters come in the order of VM_LIST.
 */

/* Returns the first interpreter of KINDS, or NULL if there is none. */
const struct vm *vm_first(uint32_t kinds);
/* Returns the interpreter of KINDS, or NULL if that has none or several. */
const struct vm *vm_only(uint32_t kinds);
/* Returns the kinds of KINDS whose walks begin where the native stack has the interpreter. */
uint32_t vm_by_native(uint32_t kinds);
/* Returns whether SystemTap cannot record the stacks of KINDS, or not all of them. */
bool vm_needs_bpf(uint32_t kinds);
/* Returns whether operators of one of KINDS are recorded. */
bool vm_have_operators(uint32_t kinds);
/* Appends the languages of KINDS, as in "Perl, Lua or Python". */
void vm_add_titles(uint32_t kinds, struct strbuf *out);

/* Returns the interpreter with this letter, or NULL. */
const struct vm *vm_of_letter(char letter);

/* Returns the interpreter whose stacks are of this kind, or NULL if they belong to none. */
const struct vm *vm_of_stack(enum stack_kind kind);

#endif
