/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells the BPF programs which files a process has mapped where. */
#ifndef ENGINE_BPF_SPACES_H
#define ENGINE_BPF_SPACES_H

#include "loader.h"
#include "pool.h"
#include "process/process.h"

struct spaces {
	struct processes *ps;
	struct pool *pool;
	struct loader *loader;
	int map; /* fd of pid -> struct space */
	struct spaces_pushed {
		uint32_t block, nr; /* in the pool */
		unsigned changes;   /* of the process, when it was told */
		bool told, unchecked;
	} * pushed; /* by the process's place in ps->list */
	size_t nr;
	uint32_t versions; /* of lists that were told */
};

void spaces_init(struct spaces *s, struct processes *ps, struct pool *pool, struct loader *loader,
	int map_fd);
void spaces_release(struct spaces *s);

/* Tells what is mapped now, if it has changed since. */
void spaces_push(struct spaces *s, struct process *p);
/*
 * A program found that the process has EXEC_PAGES pages of code: when that is not what it was told,
 * looks at it and tells anew.
 */
void spaces_mend(struct spaces *s, struct process *p, uint64_t exec_pages);
/* The process is gone. */
void spaces_drop(struct spaces *s, struct process *p);

#endif
