/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens files whose path comes from a recording, a target or another file. */
#ifndef LIB_UNTRUSTED_FILE_H
#define LIB_UNTRUSTED_FILE_H

/*
 * Opens the regular file PATH for reading. Other kinds of files are never opened, because opening
 * alone can have effects: /dev/ptmx makes a terminal, a FIFO wakes its writer, a tape rewinds.
 * Returns -1 with errno, which is ENXIO if it is not a regular file.
 */
int file_open(const char *path);

/* Works like file_open(), relative to directory DIR. FLAGS is 0 or O_NOFOLLOW. */
int file_open_at(int dir, const char *path, int flags);

/* Works like file_open(), for a file that is open with O_PATH. Takes ownership of PATH_FD. */
int file_reopen(int path_fd);

#endif
