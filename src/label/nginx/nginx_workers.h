/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The running processes of nginx that serve requests, for programs that look at them. */
#ifndef LABEL_NGINX_NGINX_WORKERS_H
#define LABEL_NGINX_NGINX_WORKERS_H

#include "nginx_layout.h"
#include "process/process.h"
#include "process/target.h"

#include <stddef.h>

struct strbuf;

struct nginx_workers {
	uint32_t pid;       /* that they were found by */
	uint32_t *children; /* the processes that descended from that */
	size_t nr_children;
	struct processes ps;
	struct nginx_worker {
		uint32_t pid;
		uint64_t started; /* as task_start() */
		struct target target;
		struct nginx_layout layout;
	} * list;
	size_t nr;
	bool is_settled; /* false: there is one more, which is being set up */
};

/*
 * Finds the workers of the master PID, or the one that it is, and asks their file for what it
 * exports as the NR names of NAMES, for target_symbol(). -1 and ERR, in words for its user: there
 * are none, or they cannot be read. To be closed in any case; must not be moved until then.
 */
int nginx_workers_open(struct nginx_workers *w, uint32_t pid, const char *const *names, size_t nr,
	struct strbuf *err);
void nginx_workers_close(struct nginx_workers *w);

/*
 * False: processes have been started or have ended meanwhile, or were not set up yet, so that they
 * are to be opened again.
 */
bool nginx_workers_are_current(const struct nginx_workers *w);

/* The first one, or one of the same file whose layout was verified by a request. */
const struct nginx_worker *nginx_workers_verified(const struct nginx_workers *w);

/* The word that is exported as NAME; OTHERWISE if there is none. */
uint64_t nginx_worker_word(const struct nginx_worker *w, const char *name, uint64_t otherwise);

#endif
