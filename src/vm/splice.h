/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Splices the native stack and the VM stack of a thread, taken at the same time, into one: the VM
 * frames are placed on top of the run loop that executes them.
 *
 * Outermost first, the run loops in the native stack correspond to what begins run loops in the VM
 * stack (beginners). As one may lack its partner, both lists are aligned at the least cost; the
 * native function that begins a loop determines its possible kinds. Stacks that cannot be aligned
 * are inconsistent; nothing is guessed. The rules of a VM are its struct splice_rules.
 */
#ifndef VM_SPLICE_H
#define VM_SPLICE_H

#include "vm_frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elffile;
struct splice;

/* The role of a native frame's function; those from SPLICE_OWN on are defined by the VM. */
enum splice_role {
	SPLICE_ELSEWHERE, /* in a file without the interpreter */
	SPLICE_INSIDE,    /* in the interpreter's file, and none of the following */
	SPLICE_LOOP,      /* a run loop */
	SPLICE_OWN,
	SPLICE_ROLES = 8,
};

/* The functions with a role in a file, by link address. */
struct splice_code {
	struct splice_range {
		uint64_t start, end;
		unsigned role;
	} ranges[8];
	size_t nr;
};

/* Adds the function NAME of ELF; false: not found. */
bool splice_code_add(
	struct splice_code *code, const struct elffile *elf, const char *name, unsigned role);

/* The role of ADDRESS in the file of CODE: of the leaf, or of the call (return address minus 1). */
unsigned splice_code_role(const struct splice_code *code, uint64_t address);

/* What begins a run loop in the VM stack. */
struct splice_beginner {
	unsigned kind; /* in costs */
	size_t frame;  /* in splice->frames; nr_frames: the stack is cut there */
	bool has_more; /* the next frame is its own: so it has a loop, if that is one of its own */
	/*
	 * its frames may continue on inner loops without beginner, left behind by calls that have
	 * ended
	 */
	bool goes_on;
	bool needs_loop; /* without a loop its frames are omitted */
	bool with_next;  /* without a loop it uses that of the next beginner */
	int loop;        /* SPLICE_NO_LOOP: none; set by splice_stacks() */
};

enum { SPLICE_NO_LOOP = -1 };

#define SPLICE_NEVER (1u << 28) /* more than any sum of costs */

struct splice_rules {
	/*
	 * All VM frames are in place of a run loop: it is omitted. The frames that struct walk_vm
	 * counts are run loops, too.
	 */
	bool in_place;
	/* Finds the functions with roles in ELF; none if it does not contain the interpreter. */
	void (*find_code)(struct splice_code *code, const struct elffile *elf);
	/* False for entries that only mark a possible run loop. */
	bool (*is_frame)(uint64_t what);
	/*
	 * Lists the beginners in S, outermost first; returns their number, at most nr_frames + 1.
	 */
	size_t (*find_beginners)(const struct splice *s, struct splice_beginner *list);
	/*
	 * Costs of a beginner by kind: with a loop that a function of that role began, and without
	 * loop.
	 */
	const struct splice_cost {
		unsigned with[SPLICE_ROLES], without;
	} * costs;
	unsigned extra[SPLICE_ROLES]; /* of a loop without beginner, where none was left behind */
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
		uint32_t id;   /* not used if is_frame returns false */
	} * frames;            /* VM frames, leaf first, of a walk with mixed set */
	size_t nr_frames;
	enum vm_end end;
	uint32_t inconsistent; /* id of the frame that marks an inconsistent stack */
};

/*
 * Writes the ids of the merged stack, leaf first, to MERGED, which has room for nr_native +
 * nr_frames + 1; returns their number. It has all native frames; but if these are incomplete, those
 * of the run loops and below are omitted, and all VM frames are at the root. *CONSISTENT is false
 * if the stacks cannot be aligned or the VM walk failed: then it has the native frames with
 * s->inconsistent on top of the outermost run loop, or at the root if there is none.
 */
size_t splice_stacks(const struct splice *s, uint32_t *merged, bool *consistent);

#endif
