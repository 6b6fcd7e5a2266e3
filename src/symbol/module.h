/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames that lie in one file of a recording, and how they get their names: in a process of its
 * own (module_work), which opens the file and its debug file and reads them.
 */
#ifndef SYMBOL_MODULE_H
#define SYMBOL_MODULE_H

#include "symbol/elf/symstore.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elffile;
struct strbuf;
struct symbol_options;

/* A place in the file that wants names. */
struct module_place {
	uint64_t offset; /* of the byte that is looked up: in the file, or from the kernel's text */
	uint64_t link;   /* its link address, as it was recorded */
	bool has_link;
};

struct module {
	const char *path, *build_id; /* as recorded; "[kernel]" and its modules are no files */
	const char *release;         /* of the kernel */
	struct module_place *places;
	size_t nr_places;
	struct elffile *open; /* the file, when it is open already */
	/* from servers: a debug file, and what dwz moved out of one; NULL: none */
	const char *fetched, *fetched_alt;
	const struct symbol_options *options;
	/* while it is worked on */
	int fd, error; /* the file at its path; -1 and errno */
	int alt_fd;    /* what was fetched of it; -1: nothing */
	int debug_fd;  /* what was fetched, or is installed for its build-id; -1: none */
	struct symstore store;
};

/* The three of struct worker; ARG is a struct module. The answer is a struct answer. */
void module_prepare(void *arg);
void module_work(void *arg, struct strbuf *answer);
void module_finish(void *arg, bool done);

#endif
