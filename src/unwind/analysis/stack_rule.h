/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes unwind rules of what the code of a function has done to the stack. */
#ifndef UNWIND_ANALYSIS_STACK_RULE_H
#define UNWIND_ANALYSIS_STACK_RULE_H

#include <stdbool.h>

struct stack_state;
struct unwind_rule;

/* Returns false if there is no rule for the state. */
bool stack_rule(const struct stack_state *s, struct unwind_rule *rule);

#endif
