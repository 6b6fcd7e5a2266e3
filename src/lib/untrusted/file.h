/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens files whose path comes from a recording, a target or another file. */
#ifndef LIB_UNTRUSTED_FILE_H
#define LIB_UNTRUSTED_FILE_H

/*
 * Opens the regular file PATH for reading. Nothing else is ever opened, because that alone can
 * have effects: /dev/ptmx makes a terminal, a FIFO wakes its writer, a tape rewinds. -1 and errno,
 * ENXIO: it is not a regular file.
 */
int file_open(const char *path);

/* The same relative to directory DIR; FLAGS: 0 or O_NOFOLLOW. */
int file_open_at(int dir, const char *path, int flags);

/* The same for a file open with O_PATH; takes ownership of PATH_FD. */
int file_reopen(int path_fd);

#endif
