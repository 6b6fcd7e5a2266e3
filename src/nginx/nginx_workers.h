/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the running processes of nginx that serve requests, for programs that examine them. */
#ifndef NGINX_NGINX_WORKERS_H
#define NGINX_NGINX_WORKERS_H

#include "label/nginx/nginx_layout.h"
#include "process/process.h"
#include "process/target.h"

#include <stddef.h>

struct strbuf;

struct nginx_workers {
	uint32_t pid;       /* the process that was given */
	uint32_t *children; /* its descendants */
	size_t nr_children;
	struct processes ps;
	struct nginx_worker {
		uint32_t pid;
		uint64_t started; /* as task_start() */
		struct target target;
		struct nginx_layout layout;
	} * list;
	size_t nr;
	bool is_settled; /* false if one more worker is still being set up */
};

/*
 * Finds the workers of the master PID, or the worker PID itself, and looks up the NR symbols NAMES
 * in their file, for target_symbol(). Returns -1 with a message for the user in ERR if there are
 * none or they cannot be read. The caller closes W in any case, and must not move it until then.
 */
int nginx_workers_open(struct nginx_workers *w, uint32_t pid, const char *const *names, size_t nr,
	struct strbuf *err);
void nginx_workers_close(struct nginx_workers *w);

/*
 * Returns false if processes have started or ended since, or were not set up yet. Then the workers
 * have to be opened again.
 */
bool nginx_workers_are_current(const struct nginx_workers *w);

/*
 * Returns a worker whose layout was verified by a request and that runs the file of the first
 * worker, or the first worker if there is none.
 */
const struct nginx_worker *nginx_workers_verified(const struct nginx_workers *w);

/* Returns the word that is exported as NAME, or OTHERWISE if there is none. */
uint64_t nginx_worker_word(const struct nginx_worker *w, const char *name, uint64_t otherwise);

#endif
