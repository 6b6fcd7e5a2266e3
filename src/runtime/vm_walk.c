/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vm_walk.h"

enum vm_end vm_walk_run(
	struct vm_walk *w, int end, vm_step *step, const void *layout, struct vm_stack *stack)
{
	stack->nr = 0;
	for (int steps = 0; steps < VM_STEPS_MAX; steps++) {
		stack->op = w->op;
		stack->state = w->state;
		if (w->found && stack->nr == stack->max)
			return VM_CUT;
		if (w->found)
			stack->frames[stack->nr++] = w->frame;
		if (end != VM_ON)
			return (enum vm_end)end;
		end = step(w, layout);
	}
	return VM_CUT;
}
