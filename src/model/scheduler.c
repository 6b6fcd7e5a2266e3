/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scheduler.h"
#include "lib/pattern.h"
#include "lib/util.h"

static const char *const functions[] = {
	/* kernel/sched/core.c, and where other files call it */
	"schedule",
	"__schedule",
	"__schedule_loop",
	"schedule_*",
	"io_schedule*",
	"preempt_schedule*",
	"__traceiter_sched_switch",
	"__cond_resched*",
	"finish_task_switch*",
	"yield",
	"yield_to",
	/* functions that wait for any reason that their callers have */
	"bit_wait*",
	"__wait_on_bit*",
	"out_of_line_wait_on_bit*",
	"wait_for_completion*",
	"__wait_for_common",
	"do_nanosleep",
	"usleep_range_state",
	/* the return from an interrupt or from a system call */
	"entry_SYSCALL_64*",
	"do_syscall_64",
	"syscall_exit_to_user_mode*",
	"exit_to_user_mode_loop",
	"exit_to_user_mode_prepare",
	"irqentry_exit*",
	"raw_irqentry_exit_cond_resched",
	"prepare_exit_to_usermode",
	"retint_user",
	"sysvec_*",
	"asm_sysvec_*",
	"asm_common_interrupt",
};

bool scheduler_has(const char *function, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(functions); i++)
		if (pattern_or_name_matches(functions[i], function, len))
			return true;
	return false;
}
