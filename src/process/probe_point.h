/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds where a uprobe in a function costs least. */
#ifndef PROCESS_PROBE_POINT_H
#define PROCESS_PROBE_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory;
struct process;
struct processes;

/* What the probe reads. */
enum probe_value {
	PROBE_ARGUMENTS, /* the first two arguments */
	PROBE_RESULT,    /* what it has allocated and will return, or NULL */
};

struct probe_point {
	/* In /proc/PID/map_files: valid while the process lives, even if the file was replaced. */
	char path[64];
	size_t object;   /* number of the file in struct processes */
	uint64_t offset; /* in the file */
};

/*
 * Finds the place for VALUE in the function at address FUNCTION of P, whose memory is M. Returns
 * false if FUNCTION is 0 or in no mapping, or if its result is not known at any place.
 */
bool probe_point_find(const struct processes *ps, const struct process *p, const struct memory *m,
	uint64_t function, enum probe_value value, struct probe_point *point);

#endif
