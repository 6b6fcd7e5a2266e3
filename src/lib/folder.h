/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The directories for our persistent files; they belong to the current user. */
#ifndef LIB_FOLDER_H
#define LIB_FOLDER_H

struct strbuf;

/* Makes the missing parent directories of PATH, mode 0700. -1 and ERR on failure. */
int folder_make_above(const char *path, struct strbuf *err);

/*
 * $HOME; for root always its own home, of the password file: sudo may keep the caller's, and root
 * must neither write to nor trust files there.
 */
const char *folder_home(void);

/* Where programs keep caches: $XDG_CACHE_HOME, not for root, or ~/.cache. The caller frees it. */
char *folder_caches(void);

/* Our cache, flametap/ in there. It is created; the caller frees the path. */
char *folder_cache(void);

/* Valid until reboot: /run/flametap for root, else $XDG_RUNTIME_DIR/flametap, else the cache. */
char *folder_run(void);

#endif
