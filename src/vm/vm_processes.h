/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An interpreter in the recorded processes: its layout in each, and the names of its frames that
 * the BPF programs send.
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

/* The name of a frame; frames with equal names are the same. */
struct vm_name {
	const char *function, *file; /* NULL: could not be read */
	uint32_t line;               /* 0: not known */
	uint32_t first_line;         /* as vm->first_line */
	uint64_t what;               /* as in struct vm_frame, but without the address */
};

/* Stores names: returns the number of a name, the same for equal ones. */
struct vm_names {
	uint32_t (*add)(void *context, const struct vm_name *name);
	/* The number of the function in C at ADDRESS in PID: more than 32 bits. */
	uint64_t (*code)(void *context, uint32_t pid, uint64_t address);
	void *context;
};

struct vm_processes {
	const struct vm *vm; /* NULL: none is recorded, all functions do nothing */
	struct processes *ps;
	struct vm_names names;
	int map; /* fd of the programs' map of layouts, -1: none yet */
	struct vm_image {
		uint32_t pid;
		uint32_t before;  /* the image of its parent, 0: not known */
		uint32_t older;   /* the previous image with its PID: another program, or a process
				     that has ended; 0: none */
		unsigned changes; /* of its mappings, when last searched */
		int64_t began_ns, looked_ns;
		enum { IMAGE_NEW, IMAGE_NONE, IMAGE_FOUND, IMAGE_REFUSED } state;
		struct vm_layout layout;
		uint64_t object; /* ID of the one that the layout was found in */
		bool has_names;
	} * images; /* from 1; unused ones: PID 0 */
	size_t nr_images, images_alloc;
	uint32_t *unused; /* numbers of images */
	size_t nr_unused, unused_alloc;
	bool any;               /* the interpreter was found in a process */
	struct table by_pid;    /* pid -> its newest image */
	struct table by_frame;  /* image and frame -> twice its name's number, + 1 if it is whole */
	struct table by_object; /* object and its id -> an image whose interpreter is in it */
	uint64_t nr_objects;    /* ps->nr_objects_added when these were looked at */
	bool young;
	bool fetch;              /* debug files may be downloaded, before the start */
	struct strbuf *refusals; /* why it cannot be walked in a process, one per line */
};

/* NAMES (without functions if no frame is to be named) and REFUSALS belong to the caller. */
void vm_processes_init(struct vm_processes *vp, const struct vm *vm, struct processes *ps,
	const struct vm_names *names, struct strbuf *refusals);
void vm_processes_release(struct vm_processes *vp);

/* As vm->find: 1: there is none in P; -1 and ERR: it cannot be walked. */
int vm_processes_look(struct vm_processes *vp, const struct process *p, struct strbuf *err);

/* Writes the layouts to the programs' MAP from now on. */
void vm_processes_start(struct vm_processes *vp, int map);

/*
 * Searches processes that are new or whose mappings have changed. True: some have just started, so
 * it should be called again soon.
 */
bool vm_processes_update(struct vm_processes *vp);

/*
 * Process events: a child inherits the interpreter of its parent, an executed program has its own.
 */
void vm_processes_forked(struct vm_processes *vp, uint32_t parent, uint32_t child);
void vm_processes_executed(struct vm_processes *vp, uint32_t pid);
void vm_processes_ended(struct vm_processes *vp, uint32_t pid);

/*
 * Forgets processes that have ended and have no children, when all rows of theirs have been read.
 * True: also names of frames, which have to be sent again if their PIDs are reused, see
 * vm_processes_has().
 */
bool vm_processes_sweep(struct vm_processes *vp);
bool vm_processes_has(const struct vm_processes *vp, uint32_t pid);

/* True if the interpreter was found in process PID. */
bool vm_processes_found(const struct vm_processes *vp, uint32_t pid);

/* True if the interpreter was found in any process. */
bool vm_processes_any(const struct vm_processes *vp);

/*
 * Adds all layouts that the script walks to VALUES; returns the number of processes for which there
 * is no room.
 */
size_t vm_processes_add_values(const struct vm_processes *vp, struct vm_values *values);

/* As vm->unfit_for_script, in process PID; NULL also if the interpreter was not found in it. */
const char *vm_processes_unfit(const struct vm_processes *vp, uint32_t pid);

/* As vm->code_name, in process PID; NULL also if the interpreter was not found in it. */
const char *vm_processes_code_name(const struct vm_processes *vp, uint32_t pid, uint64_t address);

/* As vm->name_by_script, in process PID. */
bool vm_processes_name_by_script(const struct vm_processes *vp, uint32_t pid, uint64_t what,
	const char *name, struct strbuf *out);

/* Stores a frame sent by the programs. */
void vm_processes_take_frame(struct vm_processes *vp, const struct vm_new_frame *frame);

/* The number of the name of a frame in process PID; without name if the frame was not sent. */
uint64_t vm_processes_name(struct vm_processes *vp, uint32_t pid, const struct vm_words *words);

/*
 * Walks the stack of a waiting thread, as vm->walk, in its memory and writes the numbers of its
 * frames' names, innermost first, to NAMES, which has room for VM_DEPTH. MIXED as in struct
 * vm_stack.
 */
enum vm_end vm_processes_walk(struct vm_processes *vp, uint32_t pid, uint64_t thread, uint64_t sp,
	bool mixed, uint64_t *names, uint32_t *nr);

#endif
