/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts of all files of a process at once, as each further question may start a child process. */
#ifndef RUNTIME_TARGET_FACTS_H
#define RUNTIME_TARGET_FACTS_H

#include "process/target.h"

/*
 * Asks all files of T for the variables NAMES, which end in NULL, and for the place of the variable
 * PER_THREAD in its module's thread-local block, unless that is NULL. elffacts.h has the answers.
 */
void target_facts_ask(const struct target *t, const char *const *names, const char *per_thread);

#endif
