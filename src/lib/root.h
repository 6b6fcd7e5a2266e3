/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files and programs below a folder that stands for "/": ROOT is that folder without a slash at its
 * end, "" for the real one. Links are followed inside of it. What lies there is anyone's: sizes and
 * times are bounded.
 */
#ifndef LIB_ROOT_H
#define LIB_ROOT_H

#include <stdbool.h>
#include <sys/stat.h>

struct strbuf;

enum {
	ROOT_READ_MAX = 1 << 24,   /* bytes of a file that are read */
	ROOT_OUTPUT_MAX = 1 << 14, /* bytes of a program's output */
	ROOT_RUN_SECONDS = 10,     /* that a program may take */
};

bool root_stat(const char *root, const char *path, struct stat *st);
bool root_exists(const char *root, const char *path);

/*
 * Appends the first ROOT_READ_MAX bytes of the regular file PATH, unpacked when it is compressed by
 * gzip. -1: it cannot be read; what came before the error stays.
 */
int root_read(const char *root, const char *path, struct strbuf *content);

/* The path below ROOT of an executable PROGRAM in $PATH, the caller's to free; NULL: none. */
char *root_find(const char *root, const char *program);

/*
 * Runs PROGRAM, a path below ROOT, with OPTION in the C locale and appends what it writes to
 * stdout. -1: it could not be run, did not end in time, or failed.
 */
int root_run(const char *root, const char *program, const char *option, struct strbuf *output);

#endif
