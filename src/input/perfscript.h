/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What perf script(1) prints of samples, with any of its fields:
 *
 *	COMM PID/TID [CPU] TIME: PERIOD EVENT: …      of which each may be missing
 *		ADDRESS NAME+0xOFF (MODULE)           frames, leaf first; without module or offset
 *		ADDRESS NAME+0xOFF (inlined)
 *	  FILE:LINE                                   of the frame above, with " (inlined)" or not
 *
 * and a blank line; or COMM … EVENT: ADDRESS NAME+0xOFF (MODULE) for a sample of one frame. Lines
 * that begin with "#" are comments; registers, branches and lines of source are passed over. Names
 * are taken as they are, without offset. A frame is FRAME_KERNEL by its module ([…], vmlinux, *.ko,
 * bpf_prog_*), or by its address where modules are not printed; FRAME_JIT when that is
 * perf-PID.map or jitted-*.so; FRAME_INLINE has the module of the function at the same address. A
 * sample without frames is [no stack]; its task is the root frame (FRAME_TASK).
 */
#ifndef INPUT_PERFSCRIPT_H
#define INPUT_PERFSCRIPT_H

#include "model/profile.h"

#include <stdbool.h>

struct lines;
struct strbuf;

struct perfscript_options {
	bool sources;      /* frames are told apart by their FILE:LINE, without its folder */
	bool threads;      /* the task is COMM/TID */
	bool samples;      /* each sample counts 1, whatever its period */
	const char *event; /* with or without modifiers; NULL: that of the first sample */
};

/*
 * Adds the samples of one event to P, which was just initialised, and sets its unit: a sample
 * counts its period, where that is printed, in ns or what the event's name says; else 1. *SEVERAL:
 * they are of several processes. What was left out is said in NOTES, one message a line: other
 * events; what cannot be read, counted in P->account.lost[LOST_UNREADABLE]; what perf lost, in
 * LOST_TRANSPORT. 0: all of it was read, 1: a part, -1: reading failed, or there is no such event.
 */
int perfscript_read(struct profile *p, struct lines *lines,
	const struct perfscript_options *options, bool *several, struct strbuf *notes);

/* Whether a line speaks for this form: a header with its time or event, or a frame. */
bool perfscript_is_line(const char *line, size_t len);

#endif
