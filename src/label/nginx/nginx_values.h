/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layouts of nginx in workers as variables of a stap script, in the format that
 * tapsets/nginx/nginx_values.stp describes.
 */
#ifndef LABEL_NGINX_NGINX_VALUES_H
#define LABEL_NGINX_NGINX_VALUES_H

#include "lib/argv.h"
#include "lib/strbuf.h"
#include "nginx_layout.h"
#include "process/target.h"

#include <stddef.h>

/* X(member): the numbers of a layout, in the order of tapsets/nginx/nginx.stpm. */
#define NGINX_NUMBERS(X)                                                                           \
	X(loop)                                                                                    \
	X(loop_end)                                                                                \
	X(core)                                                                                    \
	X(connection_size)                                                                         \
	X(event_size)                                                                              \
	X(at.upstream)                                                                             \
	X(at.pool)                                                                                 \
	X(at.server)                                                                               \
	X(at.status)                                                                               \
	X(at.uri)                                                                                  \
	X(at.args)                                                                                 \
	X(at.method)                                                                               \
	X(at.main)                                                                                 \
	X(at.phase)                                                                                \
	X(at.server_name)                                                                          \
	X(at.upstream_conf)                                                                        \
	X(at.upstream_host)                                                                        \
	X(at.number)

struct nginx_values {
	/* The different programs. A program is a set of files at the same addresses. */
	struct nginx_values_program {
		char *numbers, *phases, *handlers, *code;
		char *files; /* with a # in place of the program's number */
	} * list;
	size_t nr, alloc;
	char **names; /* of modules, as the tapset has them */
	size_t nr_names, alloc_names;
	struct strbuf programs, phases, files, processes;
};

#define NGINX_VALUES_INIT                                                                          \
	{                                                                                          \
		.programs = STRBUF_INIT, .phases = STRBUF_INIT, .files = STRBUF_INIT,              \
		.processes = STRBUF_INIT                                                           \
	}

void nginx_values_release(struct nginx_values *v);

/*
 * Adds process PID, which is T. This reads its unwind rules once, so that their pages are in its
 * memory: probes read them, and cannot wait for pages. Returns -1 with ERR if they cannot be read
 * or there is no room.
 */
int nginx_values_add(struct nginx_values *v, uint32_t pid, const struct target *t,
	const struct nginx_layout *l, struct strbuf *err);

/* Adds the variables to ARGV as "NAME=VALUE", each after OPTION, which is "-G" or "" for none. */
void nginx_values_give(const struct nginx_values *v, const char *option, struct argv *argv);

/* Returns the length of the longest of these variables. */
size_t nginx_values_longest(const struct nginx_values *v);

/*
 * Adds the variables for nginx_handler.stp in the same way. All are "-" if one of them would be
 * longer than LONGEST, and each is "-" if it is not known.
 */
void nginx_values_give_handlers(
	const struct nginx_values *v, const char *option, size_t longest, struct argv *argv);

#endif
