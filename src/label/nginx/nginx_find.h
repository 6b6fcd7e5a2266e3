/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds nginx in a process, by the modules that it exports, and the layout of what it has in
 * memory: the arrays of connections and events by how they refer to one another, requests by the
 * one word of a main request that points to itself. Where there is no request, version and
 * signature tell where that word would be.
 */
#ifndef LABEL_NGINX_NGINX_FIND_H
#define LABEL_NGINX_NGINX_FIND_H

#include "nginx_layout.h"
#include "process/target.h"

struct strbuf;

/* What every file with nginx defines. */
#define nginx_symbol "ngx_http_core_module"

/* The file that has nginx's HTTP server; NULL: none. */
const struct target_file *nginx_file(const struct target *t);

/*
 * 0: found; its state may still be that it serves no requests. 1: there is none; -1 and ERR: there
 * is one, but where its requests are is not known, or its memory cannot be read.
 */
int nginx_find(const struct target *t, struct nginx_layout *layout, struct strbuf *err);

/* Appends version, file and how the layout is known, in process PID, for --check. */
void nginx_describe(
	const struct nginx_layout *layout, const char *path, uint32_t pid, struct strbuf *out);

#endif
