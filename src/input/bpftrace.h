/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps as bpftrace(8) prints them, of which the key has stacks and the value is a number:
 *
 *	@NAME[KEY, KEY,
 *	    NAME+OFF             a stack, leaf first; OFF is decimal; or an address
 *		ADDRESS NAME+OFF (MODULE)    the same in mode perf
 *	, KEY]: VALUE
 *
 * Of two stacks in a key the first is the kernel's, as in @[kstack, ustack], unless the second ends
 * where the kernel is entered; one alone is the kernel's if it does that. The other keys, as they
 * are printed, are the root frame (FRAME_TASK). Values that are no unsigned integer, histograms
 * with stacks as keys among them, are left out; so are maps without stacks, and what scripts print.
 */
#ifndef INPUT_BPFTRACE_H
#define INPUT_BPFTRACE_H

#include "model/profile.h"

#include <stdbool.h>

struct lines;
struct strbuf;

/*
 * Adds the stacks of one map to P, which was just initialised: of the map NAME ("@st"), NULL: the
 * first that has stacks. *SEVERAL: their other keys differ. What is left out is said in NOTES, one
 * message a line; entries with stacks are counted in P->account.lost[LOST_UNREADABLE]. 0: all of it
 * was read, 1: a part, -1: reading failed, or there is no such map.
 */
int bpftrace_read(struct profile *p, struct lines *lines, const char *name, bool *several,
	struct strbuf *notes);

/* Whether a line speaks for this form: "@NAME[" or "…]: 12". */
bool bpftrace_is_line(const char *line, size_t len);

#endif
