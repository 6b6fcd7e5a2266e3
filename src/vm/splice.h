/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes one stack of two: the native frames of a thread, and those of the interpreter that it runs,
 * taken at the same moment. The interpreter's frames are placed on top of the run loop that
 * executes them.
 *
 * Outermost first, the run loops in the native stack and what begins run loops in the interpreter's
 * stack correspond. But not each has its partner at each moment, so both lists are aligned at the
 * least cost; the native function that begins a loop determines which kind it may be. What does not
 * fit at all is inconsistent and never guessed. The interpreter's part are its struct splice_rules.
 */
#ifndef VM_SPLICE_H
#define VM_SPLICE_H

#include "vm_frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elffile;
struct splice;

/* What the function of a native frame is; from SPLICE_OWN on they are the interpreter's own. */
enum splice_role {
	SPLICE_ELSEWHERE, /* in a file without the interpreter */
	SPLICE_INSIDE,    /* in the interpreter's file, and none of the following */
	SPLICE_LOOP,      /* a run loop */
	SPLICE_OWN,
	SPLICE_ROLES = 8,
};

/* Where functions with a role are in a file; addresses are those of its own headers. */
struct splice_code {
	struct splice_range {
		uint64_t start, end;
		unsigned role;
	} ranges[8];
	size_t nr;
};

/* Adds the function NAME of ELF; false: there is none. */
bool splice_code_add(
	struct splice_code *code, const struct elffile *elf, const char *name, unsigned role);

/* The role of ADDRESS in the file of CODE: of the leaf, or of the call (return address less one).
 */
unsigned splice_code_role(const struct splice_code *code, uint64_t address);

/* What begins a run loop in the interpreter's stack. */
struct splice_beginner {
	unsigned kind; /* in costs */
	size_t frame;  /* in splice->frames; nr_frames: the stack is cut there */
	bool has_more; /* the next frame is its own: so it has a loop, if that is one of its own */
	/* its frames may go on on inner loops that nothing began, left behind by what is over */
	bool goes_on;
	bool needs_loop; /* without a loop its frames are left out */
	bool with_next;  /* without a loop it is on that of the next beginner */
	int loop;        /* SPLICE_NO_LOOP: none; set by splice_stacks() */
};

enum { SPLICE_NO_LOOP = -1 };

#define SPLICE_NEVER (1u << 28) /* more than any sum of costs */

struct splice_rules {
	/* Finds the functions with roles in ELF; none: the interpreter is not in it. */
	void (*find_code)(struct splice_code *code, const struct elffile *elf);
	/* False for what is no frame of its own, but may begin a run loop. */
	bool (*is_frame)(uint64_t what);
	/* Lists what begins run loops in S, outermost first, at most nr_frames + 1; how many. */
	size_t (*find_beginners)(const struct splice *s, struct splice_beginner *list);
	/* By kind: of a beginner with a loop that a function of that role began, and without. */
	const struct splice_cost {
		unsigned with[SPLICE_ROLES], without;
	} * costs;
	unsigned extra[SPLICE_ROLES]; /* of a loop that nothing began, where none was left behind */
};

struct splice {
	const struct splice_rules *rules;
	const struct splice_native {
		uint32_t id;
		unsigned role;
	} * native; /* leaf first */
	size_t nr_native;
	bool whole; /* the native frames reach the thread's first function */
	const struct splice_frame {
		uint64_t what; /* as in struct vm_frame; the address does not matter */
		uint32_t id;   /* not used for what is no frame */
	} * frames;            /* the interpreter's, leaf first, of a walk with mixed set */
	size_t nr_frames;
	enum vm_end end;
	uint32_t inconsistent; /* id of a frame that says so */
};

/*
 * Writes the ids of the merged stack, leaf first, to MERGED, which has room for nr_native +
 * nr_frames + 1; returns their number. Every native frame is in it; but when they are not whole,
 * those of the run loops and below are left out, and all of the interpreter's are at the root.
 * *CONSISTENT is false when the two do not fit or the interpreter's walk did not end well: then it
 * has the native frames with s->inconsistent on top of the outermost run loop, or at the root when
 * there is none.
 */
size_t splice_stacks(const struct splice *s, uint32_t *merged, bool *consistent);

#endif
