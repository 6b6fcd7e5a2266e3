/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef USER_H
#define USER_H

#include <sys/types.h>

struct strbuf;

/*
 * Under sudo: become the user who called it, for good, with the groups and HOME of that user.
 * Nothing happens when we do not run as root or were not called through sudo. -1 and ERR when it
 * fails: then the program must not go on as root.
 */
int user_drop_privileges(struct strbuf *err);

#endif
