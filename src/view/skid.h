/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Skid of timer ticks: a tick that comes while the kernel has interrupts off is taken where it
 * enables them again. The time of what ran meanwhile is then that of the function that enables
 * them, such as _raw_spin_unlock_irqrestore(), and belongs to its callers.
 */
#ifndef VIEW_SKID_H
#define VIEW_SKID_H

#include "model/profile.h"

struct strbuf;

/*
 * Appends a line that tells how much of P, which is finished, stands in such functions, if that is
 * one per cent or more. Nothing for events that are no timer ticks.
 */
void skid_line(const struct profile *p, struct strbuf *out);

/*
 * Gives the self weight of these functions to their callers, for filter_apply: afterwards nodes may
 * be without weight and have a new parent, so the tree has to be built again from their parents.
 */
void skid_to_callers(struct profile *p);

#endif
