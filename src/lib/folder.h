/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The directories for our persistent files, which belong to the current user. */
#ifndef LIB_FOLDER_H
#define LIB_FOLDER_H

struct strbuf;

/* Makes the missing parent directories of PATH, mode 0700. Returns -1 and sets ERR on failure. */
int folder_make_above(const char *path, struct strbuf *err);

/*
 * Returns $HOME. For root it is always root's own home directory, from the password file: sudo may
 * keep the caller's $HOME, and root must neither write to files there nor trust them.
 */
const char *folder_home(void);

/*
 * Returns where programs keep caches: $XDG_CACHE_HOME, except for root, or ~/.cache. The caller
 * frees it.
 */
char *folder_caches(void);

/*
 * Returns where programs have their configuration: $XDG_CONFIG_HOME, except for root, or ~/.config.
 * The caller frees it.
 */
char *folder_config(void);

/*
 * Returns our cache, flametap/ in folder_caches(), which is created. In a service of systemd, which
 * may not write there, it is $CACHE_DIRECTORY, if that is a folder of this user to which no other
 * may write. The caller frees the path.
 */
char *folder_cache(void);

/*
 * Returns the directory for files that are valid until reboot: /run/flametap for root, otherwise
 * $XDG_RUNTIME_DIR/flametap or, if that is not set, run/ in the cache.
 */
char *folder_run(void);

#endif
