/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The debuginfod servers that are asked: the URLs of $DEBUGINFOD_URLS, divided by blanks. Their
 * names are for people: without user, password and query, control characters escaped.
 */
#ifndef SYMBOL_FETCH_SERVERS_H
#define SYMBOL_FETCH_SERVERS_H

#include <stdbool.h>

struct strbuf;

enum { SERVERS_REST_S = 600 }; /* so long are servers left alone that did not answer */

/*
 * Sets $DEBUGINFOD_URLS when it is not set: under sudo as sudo's caller had it, with where that
 * user keeps the cache ($DEBUGINFOD_CACHE_PATH, $XDG_CACHE_HOME); else from /etc/debuginfod. False:
 * there is no server.
 */
bool servers_find(void);

/* What the .urls files in FOLDER hold, on one line; the caller's to free. */
char *servers_of_folder(const char *folder);

void servers_add_name(struct strbuf *out, const char *url); /* of the one at the start of URL */
void servers_add_names(struct strbuf *out);                 /* the first one, how many more */

/* The seconds since they were silent, -1: not within SERVERS_REST_S. Of this user, these servers.
 */
int servers_silent_s(void);
void servers_set_silent(bool silent);

#endif
