/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files and programs below an alternative root directory. ROOT is its path without a trailing
 * slash, or "" for the real root. Symlinks are resolved inside of it. Its content is untrusted:
 * sizes and times are bounded.
 */
#ifndef LIB_ROOT_H
#define LIB_ROOT_H

#include <stdbool.h>
#include <sys/stat.h>

struct strbuf;

enum {
	ROOT_READ_MAX = 1 << 24,   /* bytes read of a file */
	ROOT_OUTPUT_MAX = 1 << 14, /* bytes read of a program's output */
	ROOT_RUN_SECONDS = 10,     /* limit of a program's run time */
};

/*
 * Works like open(2) with O_CLOEXEC. Kernels before 5.6 have no openat2(2): on these a symlink with
 * an absolute target leaves ROOT.
 */
int root_open(const char *root, const char *path, int flags);

bool root_stat(const char *root, const char *path, struct stat *st);
bool root_exists(const char *root, const char *path);

/*
 * Appends the first ROOT_READ_MAX bytes of the regular file PATH, uncompressed if it is in gzip
 * format. Returns -1 if reading failed; the bytes that were read before are kept.
 */
int root_read(const char *root, const char *path, struct strbuf *content);

/*
 * Returns the path below ROOT of an executable PROGRAM in $PATH, which the caller frees, or NULL.
 */
char *root_find(const char *root, const char *program);

/*
 * Runs PROGRAM, a path below ROOT, with OPTION in the C locale, and appends its stdout to OUTPUT.
 * Returns -1 if it could not be run, did not end in time, or failed.
 */
int root_run(const char *root, const char *program, const char *option, struct strbuf *output);

#endif
