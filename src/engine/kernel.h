/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What somebody who looks for the running kernel's debug files later has to know. */
#ifndef ENGINE_KERNEL_H
#define ENGINE_KERNEL_H

struct recording;

/*
 * Tells REC the kernel's release and build-id, and of each module in which frames lie the build-id
 * and the address of its code. SYS is where sysfs is mounted; what cannot be read there is left
 * out.
 */
void kernel_describe(struct recording *rec, const char *sys);

#endif
