/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An interpreter in the processes that are recorded: where it is in each, and the names of its
 * frames that the BPF programs hand up.
 */
#ifndef VM_VM_PROCESSES_H
#define VM_VM_PROCESSES_H

#include "lib/table.h"
#include "process/process.h"
#include "vm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;
struct vm_values;

/* The name of a frame; two with equal ones are one. */
struct vm_name {
	const char *function, *file; /* NULL: could not be read */
	uint32_t line;               /* 0: not known */
	uint64_t what;               /* as in struct vm_frame, but without the address */
};

/* Who keeps names: gives the number of one, which is the same for equal ones. */
struct vm_names {
	uint32_t (*add)(void *context, const struct vm_name *name);
	void *context;
};

struct vm_processes {
	const struct vm *vm; /* NULL: none is recorded, all of this does nothing */
	struct processes *ps;
	struct vm_names names;
	int map; /* fd of the programs' map of layouts, -1: it is not there yet */
	struct vm_image {
		uint32_t pid;
		uint32_t before;  /* the image of its parent, 0: not known */
		uint32_t older;   /* the image that had its number before: another program, or a
				     process that has ended; 0: none */
		unsigned changes; /* of its mappings, when they were looked at last */
		int64_t began_ns, looked_ns;
		enum { IMAGE_NEW, IMAGE_NONE, IMAGE_FOUND, IMAGE_REFUSED } state;
		struct vm_layout layout;
	} * images; /* from 1 */
	size_t nr_images, images_alloc;
	struct table by_pid;    /* pid -> its newest image */
	struct table by_frame;  /* image and frame -> twice its name's number, + 1 if it has one */
	struct table by_object; /* object -> an image whose interpreter is in it */
	size_t nr_objects;      /* those of ps that were looked at */
	bool young;
	bool fetch;              /* debug files may be fetched from servers, before it is started */
	struct strbuf *refusals; /* why it cannot be walked in a process, one a line */
};

/* NAMES (which may have no functions when no frame is to be named) and REFUSALS are the caller's.
 */
void vm_processes_init(struct vm_processes *vp, const struct vm *vm, struct processes *ps,
	const struct vm_names *names, struct strbuf *refusals);
void vm_processes_release(struct vm_processes *vp);

/* As vm->find: 1: there is none in P; -1 and ERR: it cannot be walked. */
int vm_processes_look(struct vm_processes *vp, const struct process *p, struct strbuf *err);

/* From here on the programs' MAP has the layouts. */
void vm_processes_start(struct vm_processes *vp, int map);

/*
 * Looks at all whose mappings have changed, or which have just begun. True: some are so young that
 * it should be called again soon.
 */
bool vm_processes_update(struct vm_processes *vp);

/* Events of processes: a child has the interpreter of its parent, a program its own. */
void vm_processes_forked(struct vm_processes *vp, uint32_t parent, uint32_t child);
void vm_processes_executed(struct vm_processes *vp, uint32_t pid);
void vm_processes_ended(struct vm_processes *vp, uint32_t pid);

/* Whether the interpreter was found in any process. */
bool vm_processes_any(const struct vm_processes *vp);

/* Adds all that were found to VALUES; for how many there is no room. */
size_t vm_processes_add_values(const struct vm_processes *vp, struct vm_values *values);

/* Takes in a frame that the programs handed up. */
void vm_processes_take_frame(struct vm_processes *vp, const struct vm_new_frame *frame);

/* The number of the name of a frame in process PID; one that was not handed up has none. */
uint32_t vm_processes_name(struct vm_processes *vp, uint32_t pid, const struct vm_words *words);

/*
 * Walks the stack of a thread that waits, by its memory as it is now, and puts the numbers of its
 * frames' names, innermost first, into NAMES, which has room for VM_DEPTH. MIXED as in struct
 * vm_stack.
 */
enum vm_end vm_processes_walk(struct vm_processes *vp, uint32_t pid, uint64_t thread, bool mixed,
	uint64_t *names, uint32_t *nr);

#endif
