/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds nginx in a process by the modules that it exports, and the layout of its data: the arrays
 * of connections and events by how they refer to one another, and requests by the one word with
 * which a main request points to itself. If there is no request, version and signature tell where
 * that word would be.
 */
#ifndef LABEL_NGINX_NGINX_FIND_H
#define LABEL_NGINX_NGINX_FIND_H

#include "nginx_layout.h"
#include "process/target.h"

struct strbuf;

/* A symbol that every file with nginx defines. */
#define nginx_symbol "ngx_http_core_module"

/* Returns the file that contains nginx's HTTP server, or NULL if there is none. */
const struct target_file *nginx_file(const struct target *t);

/*
 * Finds nginx in T. Returns 0 if it was found, even if its state is that it serves no requests.
 * Returns 1 if there is none, and -1 with ERR if there is one but its requests cannot be located or
 * its memory cannot be read.
 */
int nginx_find(const struct target *t, struct nginx_layout *layout, struct strbuf *err);

/* Appends, for --check, version and file of nginx in process PID and how its layout is known. */
void nginx_describe(
	const struct nginx_layout *layout, const char *path, uint32_t pid, struct strbuf *out);

#endif
