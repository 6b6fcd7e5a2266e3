/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where uprobes on functions of nginx are put, so that they cost least. */
#ifndef LABEL_NGINX_NGINX_PROBES_H
#define LABEL_NGINX_NGINX_PROBES_H

#include "nginx_workers.h"

struct nginx_probe {
	uint64_t start, end; /* of the mapping of nginx's file in which it is */
	uint64_t offset;     /* in the file */
};

/*
 * Finds the place in FUNCTION, which nginx exports and nginx_workers_open() was told of, in the
 * first worker: its two first arguments are in rdi and rsi there. False: there is none.
 */
bool nginx_probe_find(struct nginx_workers *w, const char *function, struct nginx_probe *probe);

#endif
