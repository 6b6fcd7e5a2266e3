/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The packages that files belong to, according to this machine's package manager, and the packages
 * with their debug files, according to the naming rules of the distribution.
 */
#ifndef SYMBOL_FETCH_PACKAGE_H
#define SYMBOL_FETCH_PACKAGE_H

#include <stddef.h>

enum package_family {
	PACKAGES_OTHER, /* not known */
	PACKAGES_DEBIAN,
	PACKAGES_UBUNTU,
	PACKAGES_DNF,
	PACKAGES_ZYPPER,
};

struct packages {
	enum package_family family;
	const char *server; /* debuginfod server with this distribution's files */
};

/*
 * Returns the properties of the distribution in the os-release(5) file PATH, or of this machine's
 * if PATH is NULL.
 */
struct packages packages_of(const char *path);

/*
 * Sets OWNERS[i] to the name of the package that the file PATHS[i] belongs to, or to NULL if there
 * is none or it was not found within 10 seconds. The caller frees the names. Reads dpkg's lists, or
 * runs rpm from $PATH.
 */
void packages_find(const struct packages *p, const char *const *paths, size_t n, char **owners);

/*
 * Returns the command that installs the debug files of the package OWNER, or NULL if the
 * distribution is not known. The caller frees it. On Debian the debug packages of libc6, perl,
 * python3.N and kernels have names of their own; all other ones are called OWNER-dbgsym.
 */
char *packages_command(const struct packages *p, const char *owner);

#endif
