/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LIB_USER_H
#define LIB_USER_H

#include <stdbool.h>
#include <sys/types.h>

struct strbuf;

/*
 * Under sudo: become the user who called it, for good, with the groups and HOME of that user. As
 * another user than root: give up all capabilities. Nothing happens to root that was not called
 * through sudo. -1 and ERR when it fails: then the program must not go on.
 */
int user_drop_privileges(struct strbuf *err);

/*
 * For a process that reads what may hold anything, for good: root becomes the caller of sudo, or
 * nobody; others give up their capabilities; none can gain rights any more. False: some are left.
 */
bool user_become_nobody(void);

/* We are root, but for another user who called sudo. */
bool user_is_sudo(void);

/* The capabilities alone, also those that programs started from here would have; -1 and errno. */
int user_drop_capabilities(void);

#endif
