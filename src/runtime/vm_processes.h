/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interpreters in the recorded processes, at most one in each: its layout, and the names of its
 * frames that the BPF programs send. If a process has several when it is first looked at, it is the
 * one that its executable contains, or else needs as a library, or else the first one of VM_LIST.
 */
#ifndef RUNTIME_VM_PROCESSES_H
#define RUNTIME_VM_PROCESSES_H

#include "lib/table.h"
#include "process/facet.h"
#include "vm.h"
#include "vm_sources.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;
struct vm_values;

/* The name of a frame; frames with equal names are the same. */
struct vm_name {
	const char *function, *file; /* or NULL if it could not be read */
	const char *blob;            /* ID of the file (lib/blob_id.h), or NULL if not known */
	bool late;                   /* the file was changed after the process began */
	uint32_t line;               /* or 0 if it is not known */
	uint32_t first_line;         /* as vm->first_line */
	uint64_t what;               /* as in struct vm_frame, but without the address */
};

/* Stores names and returns their numbers. Equal names have the same number. */
struct vm_names {
	uint32_t (*add)(void *context, const struct vm_name *name);
	/* Returns a number for the function in C at ADDRESS in PID, of more than 32 bits. */
	uint64_t (*code)(void *context, uint32_t pid, uint64_t address);
	void *context;
};

struct vm_processes {
	struct facet facet;
	uint32_t kinds; /* of the interpreters that are recorded, as bits VM_BIT(), or 0 for none */
	uint32_t found; /* the ones that were found in a process */
	bool any;       /* kinds are those to look for; that some do not run is no news */
	struct vm_names names;
	/*
	 * A program with its names. A process begins another image when it executes a program.
	 * Numbered from 1; unused images have the PID 0.
	 */
	struct vm_image {
		uint32_t pid;
		uint32_t before; /* the image of its parent, or 0 if it is not known */
		uint32_t older;  /* the previous image with its PID, or 0 if there is none */
		struct vm_layout layout; /* of kind VM_NONE until an interpreter was found */
		uint64_t object;         /* ID of the file that the layout was found in, or 0 */
		uint16_t generation; /* as in struct vm_layout; a forked child has its parent's */
		bool has_names;
	} * images;
	size_t nr_images, images_alloc;
	uint32_t *unused; /* numbers of unused images */
	size_t nr_unused, unused_alloc;
	struct vm_sources sources;
	struct table by_pid;    /* pid -> its newest image */
	struct table by_frame;  /* image and frame -> twice its name's number, + 1 if it is whole */
	struct table by_object; /* object and its id -> an image whose interpreter is in it */
	uint64_t nr_objects;    /* ps->nr_objects_added when the objects were looked at */
	bool with_operators;    /* the names of operators are wanted */
	bool fetch;             /* debug files may be downloaded, before the start */
	bool names_dropped;     /* by a sweep; the programs have to send names again */
	struct vm_two {
		uint32_t pid;                   /* the first such process, or 0 */
		uint32_t others;                /* how many others there are */
		const struct vm *taken, *other; /* what the first one runs */
	} two;                                  /* processes that run two interpreters */
};

/*
 * Initialises VP for the interpreters KINDS. NAMES has no functions if no frame is to be named.
 */
void vm_processes_init(struct vm_processes *vp, uint32_t kinds, struct processes *ps,
	const struct vm_names *names);
void vm_processes_release(struct vm_processes *vp);

/*
 * Returns the interpreter of process PID, or if none was found in it the one of the program that it
 * executed before, or else the first one that is recorded.
 */
const struct vm *vm_processes_vm(const struct vm_processes *vp, uint32_t pid);

/*
 * Adds all layouts that the script walks to VALUES. Returns the number of processes for which there
 * is no room.
 */
size_t vm_processes_add_values(const struct vm_processes *vp, struct vm_values *values);

/*
 * Calls vm->unfit_for_script for process PID. Returns NULL if the interpreter was not found in it.
 */
const char *vm_processes_unfit(const struct vm_processes *vp, uint32_t pid);

/* Calls vm->code_name for process PID. Returns NULL if the interpreter was not found in it. */
const char *vm_processes_code_name(const struct vm_processes *vp, uint32_t pid, uint64_t address);

/* Calls vm->name_by_script for process PID. */
bool vm_processes_name_by_script(const struct vm_processes *vp, uint32_t pid,
	const struct vm_printed *frame, struct strbuf *out);

/* Stores a frame sent by the programs. */
void vm_processes_take_frame(struct vm_processes *vp, const struct vm_new_frame *frame);

/*
 * Returns the number of the name of a frame of VM in this GENERATION of process PID. The name is
 * empty if the frame was not sent.
 */
uint64_t vm_processes_name(struct vm_processes *vp, const struct vm *vm, uint32_t pid,
	uint32_t generation, const struct vm_words *words);

/* Returns the name of the operator OP, a VM_OP(), in process PID, or NULL if it is not known. */
const char *vm_processes_operator(const struct vm_processes *vp, uint32_t pid, uint16_t op);

/*
 * Walks the stack of a waiting thread in its memory, like vm->walk, and writes the numbers of its
 * frames' names, innermost first, to NAMES, which has room for VM_DEPTH. MIXED is as in struct
 * vm_stack.
 */
enum vm_end vm_processes_walk(struct vm_processes *vp, uint32_t pid, uint64_t thread, uint64_t sp,
	bool mixed, uint64_t *names, uint32_t *nr);

#endif
