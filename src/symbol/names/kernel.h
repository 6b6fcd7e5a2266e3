/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The build-ids and addresses of the kernel and its modules, for finding their debug files later.
 */
#ifndef SYMBOL_NAMES_KERNEL_H
#define SYMBOL_NAMES_KERNEL_H

struct recording;
struct strbuf;

/* Appends the build-id of the running kernel to HEX. SYS is the mount point of sysfs. */
void kernel_build_id(struct strbuf *hex, const char *sys);

/*
 * Adds to REC the kernel's release and build-id, and the build-id and text address of each module
 * that has frames in REC. SYS is the mount point of sysfs. Values that cannot be read are left out.
 */
void kernel_describe(struct recording *rec, const char *sys);

#endif
