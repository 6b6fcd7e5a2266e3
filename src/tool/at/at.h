/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the BPF programs of at and user space. */
#ifndef TOOL_AT_AT_H
#define TOOL_AT_AT_H

/* Probe points at a time. Each has a state of rows. */
enum { AT_MAX = 15 };

#endif
