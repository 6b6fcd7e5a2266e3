/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The debuginfod servers, which $DEBUGINFOD_URLS lists as URLs separated by blanks. Their names in
 * messages have no user, password or query, and control characters in them are escaped.
 */
#ifndef SYMBOL_FETCH_SERVERS_H
#define SYMBOL_FETCH_SERVERS_H

#include <stdbool.h>

struct strbuf;

enum { SERVERS_REST_S = 600 }; /* how long servers that did not respond are not contacted */

/*
 * Sets $DEBUGINFOD_URLS if it is not set. Under sudo it is taken from the environment of sudo's
 * caller, together with that user's cache ($DEBUGINFOD_CACHE_PATH, $XDG_CACHE_HOME), otherwise from
 * /etc/debuginfod. Returns false if there is no server.
 */
bool servers_find(void);

/* Returns the content of the .urls files in FOLDER on one line. The caller frees it. */
char *servers_of_folder(const char *folder);
/* Adds the name of the server whose URL is at the start of URL. */

void servers_add_name(struct strbuf *out, const char *url);
/* Adds the name of the first server, and how many more there are. */
void servers_add_names(struct strbuf *out);

/*
 * Returns how many seconds ago the servers last did not respond to this user, or -1 if that is more
 * than SERVERS_REST_S ago or never happened.
 */
int servers_silent_s(void);
void servers_set_silent(bool silent);

#endif
