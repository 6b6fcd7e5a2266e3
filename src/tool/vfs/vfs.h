/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Input and output of files, as shared by the BPF programs and user space. */
#ifndef TOOL_VFS_VFS_H
#define TOOL_VFS_VFS_H

#include "engine/bpf/kern/shared.h"

/* Indexes of the options in the script's header; the limits are in us. */
enum { VFS_OPTION_OP, VFS_OPTION_MIN, VFS_OPTION_MAX };

/* What a call does with a file; the bits of the option. */
enum vfs_op { VFS_READ, VFS_WRITE, VFS_SYNC, VFS_OPEN, VFS_LIST, VFS_OPS };

enum {
	VFS_NUMBERS = 512,           /* of system calls; the ones of 32-bit code follow */
	VFS_URING = 2 * VFS_NUMBERS, /* the first operation of io_uring, which follow them */
	VFS_CALLS = VFS_URING + 256, /* all of these */
	VFS_IO_MAX = 1 << 16,        /* calls, and requests to io_uring, at a time */
};

/*
 * A system call, by its number, or an operation of io_uring. The file of an operation is FROM or TO
 * if these are 0.
 */
struct vfs_call {
	bool is_recorded;
	uint8_t index; /* in the table of vfs.c */
	uint8_t op;    /* enum vfs_op, of the file FROM, or of TO if there is no FROM */
	/* Arguments that are descriptors of the file that is read, and written; or -1. */
	int8_t from, to;
	int8_t path; /* argument that is the path of a file to open, or -1 */
	uint8_t pad[2];
};

/*
 * What a row counts: bits for the index of the call, its error, the number of the file, or 0 if it
 * is not known, and whether the file is the one that is written.
 */
enum {
	IO_CALL_BITS = 6,
	IO_TO = 1 << IO_CALL_BITS,
	IO_ERROR_SHIFT = IO_CALL_BITS + 1,
	IO_ERROR_MAX = 255, /* stands for all larger ones, too */
	IO_FILE_SHIFT = IO_ERROR_SHIFT + 8,
};

enum { SPAN_IO_CALL, SPAN_IO_FROM, SPAN_IO_TO }; /* the words of a span */

#endif
