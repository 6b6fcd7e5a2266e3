/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef USER_H
#define USER_H

#include <sys/types.h>

struct strbuf;

/*
 * Under sudo: become the user who called it, for good, with the groups and HOME of that user. As
 * another user than root: give up all capabilities. Nothing happens to root that was not called
 * through sudo. -1 and ERR when it fails: then the program must not go on.
 */
int user_drop_privileges(struct strbuf *err);

/* The capabilities alone, also those that programs started from here would have; -1 and errno. */
int user_drop_capabilities(void);

#endif
