/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Splices the native stack and the VM stack of a thread, taken at the same time, into one: the VM
 * frames are placed on top of the run loop that executes them.
 *
 * Outermost first, the run loops in the native stack correspond to the frames that begin run loops
 * in the VM stack (beginners). As either may lack its partner, both lists are aligned at the least
 * cost. The native function that begins a loop determines the possible kinds of its beginner.
 * Stacks that cannot be aligned are inconsistent; nothing is guessed. The rules of a VM are its
 * struct splice_rules.
 */
#ifndef RUNTIME_SPLICE_H
#define RUNTIME_SPLICE_H

#include "vm_frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elffile;
struct splice;

/* The role of a native frame's function. The VM defines the roles from SPLICE_OWN on. */
enum splice_role {
	SPLICE_ELSEWHERE, /* in a file without the interpreter */
	SPLICE_INSIDE,    /* in the interpreter's file, without one of the following roles */
	SPLICE_LOOP,      /* a run loop */
	SPLICE_OWN,
	SPLICE_ROLES = 8,
};

/* The functions with a role in a file, by link address. */
struct splice_code {
	struct splice_range {
		uint64_t start, end;
		unsigned role;
	} ranges[10];
	size_t nr;
};

/*
 * Adds the function NAME of ELF; of a loop, also the part that the compiler has moved elsewhere,
 * which may be the larger one. Returns false if the function is not found.
 */
bool splice_code_add(
	struct splice_code *code, const struct elffile *elf, const char *name, unsigned role);

/*
 * Returns the role of ADDRESS in the file of CODE. ADDRESS is in the leaf, or in a call (return
 * address minus 1).
 */
unsigned splice_code_role(const struct splice_code *code, uint64_t address);

/* A frame that begins a run loop in the VM stack. */
struct splice_beginner {
	unsigned kind; /* index in costs */
	size_t frame;  /* in splice->frames, or nr_frames if the stack is cut there */
	bool has_more; /* the next frame belongs to it, too, so it must have a loop */
	/*
	 * Its frames may continue on inner loops without a beginner, which were left behind by
	 * calls that have ended.
	 */
	bool goes_on;
	bool needs_loop; /* without a loop its frames are omitted */
	bool with_next;  /* without a loop it uses the loop of the next beginner */
	int loop;        /* or SPLICE_NO_LOOP; set by splice_stacks() */
};

enum { SPLICE_NO_LOOP = -1 };

#define SPLICE_NEVER (1u << 28) /* more than any sum of costs */

struct splice_rules {
	/*
	 * The VM frames replace the run loop, which is omitted. The frames that struct walk_vm
	 * counts are run loops, too.
	 */
	bool in_place;
	/* Finds the functions with roles in ELF; none if it does not contain the interpreter. */
	void (*find_code)(struct splice_code *code, const struct elffile *elf);
	/* Returns false for entries that only mark a possible run loop. */
	bool (*is_frame)(uint64_t what);
	/*
	 * Lists the beginners in S, outermost first, and returns their number, at most nr_frames +
	 * 1.
	 */
	size_t (*find_beginners)(const struct splice *s, struct splice_beginner *list);
	/*
	 * Costs of a beginner by kind: with a loop that a function of the given role began, and
	 * without a loop.
	 */
	const struct splice_cost {
		unsigned with[SPLICE_ROLES], without;
	} * costs;
	unsigned extra[SPLICE_ROLES]; /* of a loop without a beginner that was not left behind */
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
 * nr_frames + 1, and returns their number. The merged stack has all native frames. If the native
 * stack is incomplete, its frames from the innermost run loop on are omitted, and all VM frames are
 * at the root. *CONSISTENT is false if the stacks cannot be aligned or the VM walk failed. The
 * merged stack then has the native frames, with s->inconsistent on top of the outermost run loop,
 * or at the root if there is none.
 */
size_t splice_stacks(const struct splice *s, uint32_t *merged, bool *consistent);

#endif
