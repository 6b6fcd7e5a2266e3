/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The packages that files belong to, from dpkg's lists, info/PACKAGE[:ARCH].list in its folder:
 * each has the paths of a package, one per line. dpkg-query -S, which reads all of dpkg's data
 * first, takes six times as long.
 */
#ifndef SYMBOL_FETCH_DPKG_H
#define SYMBOL_FETCH_DPKG_H

#include <stddef.h>
#include <stdint.h>

/*
 * Sets OWNERS[i], which is NULL, to the name of the first package by name that has the file
 * PATHS[i], also by its other name where /bin, /lib and /sbin are links into /usr. The caller frees
 * the names. Ends at the DEADLINE (monotonic, ns). The folder is $DPKG_ADMINDIR or /var/lib/dpkg.
 */
void dpkg_find(const char *const *paths, size_t n, int64_t deadline, char **owners);

#endif
