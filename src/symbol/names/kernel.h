/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's and its modules' build-ids and addresses, to find their debug files later. */
#ifndef SYMBOL_NAMES_KERNEL_H
#define SYMBOL_NAMES_KERNEL_H

struct recording;

/*
 * Adds to REC the kernel's release and build-id, and the build-id and text address of each module
 * that has frames in REC. SYS is the mount point of sysfs; what cannot be read is left out.
 */
void kernel_describe(struct recording *rec, const char *sys);

#endif
