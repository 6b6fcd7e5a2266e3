/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which packages files belong to, from this machine's package manager, and which packages have
 * their debug files, by the naming rules of the distribution.
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

/* For the distribution in the os-release(5) file PATH; NULL: this machine's. */
struct packages packages_of(const char *path);

/*
 * Sets OWNERS[i] to the name of the package that the file PATHS[i] belongs to, which the caller
 * frees; NULL: none, or not found within 10 seconds. Runs dpkg-query or rpm from $PATH.
 */
void packages_find(const struct packages *p, const char *const *paths, size_t n, char **owners);

/*
 * The command that installs the debug files of the package OWNER, which the caller frees; NULL: the
 * distribution is not known. On Debian: the packages for libc6, perl, python3.N and kernels have
 * names of their own, all others are OWNER-dbgsym.
 */
char *packages_command(const struct packages *p, const char *owner);

#endif
