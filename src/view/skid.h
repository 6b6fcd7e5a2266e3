/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Skid of timer ticks: a tick that comes while the kernel has interrupts disabled is taken where
 * the kernel enables them again. The time that passed meanwhile is then counted for the function
 * that enables them, such as _raw_spin_unlock_irqrestore(), but it belongs to the callers of this
 * function.
 */
#ifndef VIEW_SKID_H
#define VIEW_SKID_H

#include "model/profile.h"

struct strbuf;

/*
 * Appends a line that says how much of P, which is finished, is in such functions, if this is one
 * per cent or more. Appends nothing for events that are not timer ticks.
 */
void skid_line(const struct profile *p, struct strbuf *out);

/*
 * Gives the self weight of these functions to their callers, for filter_apply. Afterwards, nodes
 * may be without weight and have a new parent, so the tree has to be rebuilt from the parents of
 * its nodes.
 */
void skid_to_callers(struct profile *p);

#endif
