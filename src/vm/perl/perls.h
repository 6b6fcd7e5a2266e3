/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perl in the processes that the built-in engine records: where the interpreter of each is, and
 * what the frames are called that its programs tell of.
 */
#ifndef VM_PERL_PERLS_H
#define VM_PERL_PERLS_H

#include "engine/bpf/kern/shared.h"
#include "lib/strpool.h"
#include "lib/table.h"
#include "perl_frame.h"
#include "perl_layout.h"
#include "process/process.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

/* A frame with its names; two with the same ones are one. */
struct perl_named {
	uint32_t function, file; /* in strings; 0: it could not be read */
	uint32_t line;
	uint64_t what; /* as in struct vm_frame, but without the address */
};

struct perls {
	struct processes *ps;
	int map; /* fd of the programs' map of layouts, -1: it is not there yet */
	struct perl_image {
		uint32_t pid;
		uint32_t before;  /* the image of its parent, 0: not known */
		uint32_t older;   /* the image that had its number before: another program, or a
				     process that has ended; 0: none */
		unsigned changes; /* of its mappings, when they were looked at last */
		int64_t began_ns, looked_ns;
		enum { IMAGE_NEW, IMAGE_NONE, IMAGE_FOUND, IMAGE_REFUSED } state;
		struct perl_layout layout;
	} * images; /* from 1 */
	size_t nr_images, images_alloc;
	struct table by_pid; /* pid -> its newest image */
	struct strpool strings;
	struct perl_named *names; /* from 1 */
	size_t nr_names, names_alloc;
	struct table by_frame; /* image and frame -> name */
	struct table by_name;
	struct table objects;   /* object -> whether it has Perl's run loop */
	struct table by_object; /* object -> an image whose interpreter is in it */
	bool young;
	bool fetch; /* debug files from servers may be asked for, before it is started */
	struct strbuf *refusals; /* why Perl in a process cannot be walked, one a line */
};

/* REFUSALS is the caller's. */
void perls_init(struct perls *pl, struct processes *ps, struct strbuf *refusals);
void perls_release(struct perls *pl);

/* As perl_find: 1: there is no Perl in P; -1 and ERR: it cannot be walked. */
int perls_look(struct perls *pl, const struct process *p, struct strbuf *err);

/* From here on the programs are told; MAP is theirs. */
void perls_start(struct perls *pl, int map);

/*
 * Looks at all whose mappings have changed, or which have just begun. True: some are so young that
 * it should be called again soon.
 */
bool perls_update(struct perls *pl);

/* What the kernel told of processes: a child has the Perl of its parent, a program its own. */
void perls_forked(struct perls *pl, uint32_t parent, uint32_t child);
void perls_executed(struct perls *pl, uint32_t pid);
void perls_ended(struct perls *pl, uint32_t pid);

/* Whether Perl was found in any process. */
bool perls_any(const struct perls *pl);

/* Takes in what the programs told of a frame. */
void perls_told(struct perls *pl, const struct ring_perl *told);

/* The number of the name of a frame in process PID; one that was not told has none. */
uint32_t perls_name(struct perls *pl, uint32_t pid, const struct perl_words *words);

/*
 * The Perl stack of a thread that waits, from its memory as it is now: fills NAMES, which has room
 * for PERL_DEPTH, with the numbers of its frames' names, leaf first, and *NR; MIXED as in struct
 * perl_walk.
 */
enum vm_end perls_stack(
	struct perls *pl, uint32_t pid, uint64_t thread, bool mixed, uint64_t *names, uint32_t *nr);

#endif
