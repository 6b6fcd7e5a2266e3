/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks as bcc's tools print them (profile, offcputime, offwaketime, wakeuptime), in Python or C:
 *
 *	    NAME, or ADDRESS NAME             leaf first; the kernel's with _[k] or not
 *	    --                                between the kernel's frames and the user's
 *	    -                COMM (PID)       the task
 *	        VALUE
 *
 * Without "--" the kernel's frames are those with such addresses, or up to where it is entered.
 * A stack that woke another stands before "-                -" (FRAME_WAKER), the tasks are then
 * "waker:           COMM" and "target:          COMM".
 */
#ifndef INPUT_BCC_H
#define INPUT_BCC_H

#include "model/profile.h"

#include <stdbool.h>

struct lines;
struct strbuf;

/*
 * Adds the stacks to P, which was just initialised; its unit is us where the heading says so.
 * THREADS: a task is COMM/PID. *SEVERAL: there are several tasks. What is left out is said in
 * NOTES, one message a line; stacks are counted in P->account.lost[LOST_UNREADABLE]. 0: all of it
 * was read, 1: a part, -1: reading failed.
 */
int bcc_read(
	struct profile *p, struct lines *lines, bool threads, bool *several, struct strbuf *notes);

/* Whether a line speaks for this form: that of a task. */
bool bcc_is_line(const char *line, size_t len);

#endif
