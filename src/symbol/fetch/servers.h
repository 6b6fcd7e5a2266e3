/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The debuginfod servers: the URLs of $DEBUGINFOD_URLS, separated by blanks. Their names are for
 * messages: without user, password and query, with control characters escaped.
 */
#ifndef SYMBOL_FETCH_SERVERS_H
#define SYMBOL_FETCH_SERVERS_H

#include <stdbool.h>

struct strbuf;

enum { SERVERS_REST_S = 600 }; /* servers that did not respond are not contacted that long */

/*
 * Sets $DEBUGINFOD_URLS if it is not set: under sudo from the environment of sudo's caller,
 * together with that user's cache ($DEBUGINFOD_CACHE_PATH, $XDG_CACHE_HOME); else from
 * /etc/debuginfod. False: there is no server.
 */
bool servers_find(void);

/* The content of the .urls files in FOLDER on one line; the caller frees it. */
char *servers_of_folder(const char *folder);

void servers_add_name(struct strbuf *out, const char *url); /* of the one at the start of URL */
void servers_add_names(struct strbuf *out);                 /* the first one, how many more */

/* Seconds since the servers last did not respond to this user, -1: not within SERVERS_REST_S. */
int servers_silent_s(void);
void servers_set_silent(bool silent);

#endif
