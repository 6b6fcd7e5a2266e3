/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LIB_USER_H
#define LIB_USER_H

#include <stdbool.h>
#include <sys/types.h>

struct strbuf;

/*
 * Under sudo: becomes the user who called it, permanently, with the groups and HOME of that user.
 * As a user other than root: drops all capabilities. As root without sudo: does nothing. -1 and ERR
 * on failure: then the program must not go on.
 */
int user_drop_privileges(struct strbuf *err);

/*
 * For a process that reads untrusted files, permanently: root becomes the caller of sudo, or a user
 * that no other process has, as processes of the same user may stop, kill and slow down each other
 * (kill(2), setpriority(2)); its group is such a one in both cases. Other users drop their
 * capabilities. no_new_privs is set. False: some privileges are left.
 */
bool user_become_unprivileged(void);

/*
 * For a process of root: becomes the user UID with the group GID and no other ones, permanently and
 * without capabilities; no_new_privs is set. False: it failed.
 */
bool user_become(uid_t uid, gid_t gid);

/*
 * Calls CHECK as the user whom user_drop_privileges() will make us: under sudo in a child. CHECK
 * returns -1, and may add to ERR, on failure; so does this.
 */
int user_check(
	int (*check)(const void *arg, struct strbuf *err), const void *arg, struct strbuf *err);

/* True if we are root on behalf of another user who called sudo. */
bool user_is_sudo(void);

/* Drops all capabilities, also for programs that we execute. -1 and errno on failure. */
int user_drop_capabilities(void);

/*
 * For a program with file capabilities: what it opens because its user says so, it must open with
 * the rights of that user. They are used from then on, or not, until the next call. Not for root.
 */
void user_use_capabilities(bool use);

#endif
