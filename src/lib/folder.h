/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where is kept what outlives a process of ours; it belongs to the user that we are. */
#ifndef LIB_FOLDER_H
#define LIB_FOLDER_H

struct strbuf;

/* Makes the folders above PATH that are not there, for us alone. -1 and ERR when one cannot be. */
int folder_make_above(const char *path, struct strbuf *err);

/*
 * Kept from run to run: $XDG_CACHE_HOME/flametap or ~/.cache/flametap; root's is always in its own
 * home. Made; the caller frees it.
 */
char *folder_cache(void);

/* Of this boot: /run/flametap for root, else $XDG_RUNTIME_DIR/flametap, else in the cache. */
char *folder_run(void);

#endif
