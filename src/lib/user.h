/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LIB_USER_H
#define LIB_USER_H

#include <stdbool.h>
#include <sys/types.h>

struct strbuf;

/*
 * Under sudo, becomes the user who called it, permanently, with the groups and HOME of that user.
 * As a user other than root, drops all capabilities. As root without sudo, does nothing. Returns -1
 * and sets ERR on failure; the program must not go on then.
 */
int user_drop_privileges(struct strbuf *err);

/*
 * Gives up the privileges of a process that reads untrusted files, permanently. Root becomes the
 * caller of sudo, or a user that no other process has, as processes of the same user may stop, kill
 * and slow down each other (kill(2), setpriority(2)). Its group is in both cases one that no other
 * process has. Other users drop their capabilities. no_new_privs is set. Returns false if some
 * privileges are left.
 */
bool user_become_unprivileged(void);

/*
 * Makes a process of root the user UID with the group GID and no other groups, permanently and
 * without capabilities, and sets no_new_privs. Returns false on failure.
 */
bool user_become(uid_t uid, gid_t gid);

/*
 * Calls CHECK as the user that user_drop_privileges() will make us; under sudo, in a child. CHECK
 * returns -1 on failure, and may add to ERR. user_check() does the same.
 */
int user_check(
	int (*check)(const void *arg, struct strbuf *err), const void *arg, struct strbuf *err);

/* Returns true if we are root on behalf of another user who called sudo. */
bool user_is_sudo(void);

/* Drops all capabilities, also for programs that we execute. Returns -1 with errno on failure. */
int user_drop_capabilities(void);

/*
 * Uses the capabilities or not, until the next call. A program with file capabilities must open the
 * files that its user names with the rights of that user. Does nothing for root.
 */
void user_use_capabilities(bool use);

#endif
