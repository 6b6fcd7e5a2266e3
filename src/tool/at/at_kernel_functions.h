/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of the kernel that can be probed. */
#ifndef TOOL_AT_AT_KERNEL_FUNCTIONS_H
#define TOOL_AT_AT_KERNEL_FUNCTIONS_H

struct at_sites;
struct probe;
struct strbuf;

/*
 * Adds the functions of the kernel that match the pattern of PROBE, a PROBE_KERNEL. Returns -1 with
 * ERR if there are none.
 */
int at_kernel_functions_find(struct at_sites *sites, const struct probe *probe, struct strbuf *err);

#endif
