/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which packages files belong to, as this machine's package manager tells, and which ones have
 * their debug files, as its distribution names them.
 */
#ifndef SYMBOL_FETCH_PACKAGE_H
#define SYMBOL_FETCH_PACKAGE_H

#include <stddef.h>

enum package_family {
	PACKAGES_OTHER, /* nothing can be told */
	PACKAGES_DEBIAN,
	PACKAGES_UBUNTU,
	PACKAGES_DNF,
	PACKAGES_ZYPPER,
};

struct packages {
	enum package_family family;
	const char *server; /* of debuginfod, with this distribution's files */
};

/* Of the distribution that the os-release(5) file PATH names; NULL: this machine's. */
struct packages packages_of(const char *path);

/*
 * OWNERS[i] becomes the name of the package that the file PATHS[i] belongs to, the caller's to
 * free; NULL: none, or it did not come out within 10 seconds. Runs dpkg-query or rpm, found by
 * $PATH.
 */
void packages_find(const struct packages *p, const char *const *paths, size_t n, char **owners);

/*
 * The command that installs the debug files of the package OWNER, the caller's to free; NULL:
 * nothing is known of this distribution. Debian's names: those of libc6, perl, python3.N and
 * kernels, for others OWNER-dbgsym.
 */
char *packages_command(const struct packages *p, const char *owner);

#endif
