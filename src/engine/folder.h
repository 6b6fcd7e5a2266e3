/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the engine keeps what outlives a process of ours. Both belong to the user that we are. */
#ifndef FOLDER_H
#define FOLDER_H

/* Kept from run to run: $XDG_CACHE_HOME/flametap or ~/.cache/flametap. Made; the caller frees it.
 */
char *folder_cache(void);

/* Of this boot: /run/flametap for root, else $XDG_RUNTIME_DIR/flametap, else in the cache. */
char *folder_run(void);

#endif
