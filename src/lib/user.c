/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "user.h"
#include "strbuf.h"
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * IDs that no account has; the first range that the user namespace maps is used. The first range is
 * above the ranges of containers and below the IDs that systemd reserves (its UIDS-GIDS), and has
 * as many IDs as there can be processes. The second one has systemd's dynamic users, for containers
 * with 65536 IDs. The last one is nobody.
 */
static const struct id_range {
	uint32_t first, nr;
} unused_ids[] = {{0x70000000, 1 << 22}, {61184, 4336}, {65534, 1}};

static bool id_from_env(const char *name, uint32_t *id)
{
	const char *text = getenv(name);
	uint64_t value;

	if (!text || !parse_u64(text, strlen(text), 10, &value) || value >= UINT32_MAX)
		return false;
	*id = (uint32_t)value;
	return true;
}

int user_drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};

	/* kernels before 4.3 have no ambient capabilities */
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) && errno != EINVAL)
		return -1;
	return syscall(SYS_capset, &header, none) ? -1 : 0;
}

void user_use_capabilities(bool use)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	if (!geteuid() || syscall(SYS_capget, &header, sets))
		return;
	for (size_t i = 0; i < ARRAY_LEN(sets); i++)
		sets[i].effective = use ? sets[i].permitted : 0;
	syscall(SYS_capset, &header, sets); /* a subset of permitted, so it cannot fail */
}

bool user_is_sudo(void)
{
	uint32_t uid;

	return !geteuid() && id_from_env("SUDO_UID", &uid) && uid;
}

/* Calls SET, setresuid() or setresgid(), with an ID that only this process has. */
static bool become_unused(int (*set)(uint32_t, uint32_t, uint32_t))
{
	for (size_t i = 0; i < ARRAY_LEN(unused_ids); i++) {
		uint32_t id = unused_ids[i].first + (uint32_t)getpid() % unused_ids[i].nr;

		if (!set(id, id, id))
			return true;
	}
	return false;
}

static bool become_caller(void)
{
	uint32_t uid;

	return id_from_env("SUDO_UID", &uid) && uid && !setresuid(uid, uid, uid);
}

bool user_become_unprivileged(void)
{
	bool sealed = !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);

	if (geteuid())
		return !user_drop_capabilities() && sealed;
	if (!setgroups(0, NULL) && become_unused(setresgid) &&
		(become_caller() || become_unused(setresuid)))
		return sealed;
	user_drop_capabilities(); /* root in a container without other users */
	return false;
}

bool user_become(uid_t uid, gid_t gid)
{
	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !setgroups(0, NULL) &&
	       !setresgid(gid, gid, gid) && !setresuid(uid, uid, uid) && !user_drop_capabilities();
}

int user_drop_privileges(struct strbuf *err)
{
	uint32_t uid, gid;

	if (geteuid() != 0 && user_drop_capabilities())
		return fail(err, "cannot give up capabilities: %s", strerror(errno));
	if (geteuid() != 0 || !id_from_env("SUDO_UID", &uid) || !id_from_env("SUDO_GID", &gid) ||
		!uid)
		return 0;
	const struct passwd *pw = getpwuid(uid);

	if ((pw ? initgroups(pw->pw_name, gid) : setgroups(0, NULL)) || setresgid(gid, gid, gid) ||
		setresuid(uid, uid, uid))
		return fail(err, "cannot become user %u again: %s", uid, strerror(errno));
	if (setuid(0) == 0)
		return fail(err, "cannot give up root");
	if (pw)
		setenv("HOME", pw->pw_dir, 1);
	return 0;
}

/* Runs in the child: calls CHECK, and writes its message to TO. */
static __attribute__((noreturn)) void check_as_caller(
	int (*check)(const void *arg, struct strbuf *err), const void *arg, int to)
{
	struct strbuf err = STRBUF_INIT;
	int ret = user_drop_privileges(&err);

	if (!ret)
		ret = check(arg, &err);
	write_whole(to, err.buf, err.len);
	_exit(ret ? EXIT_FAILED : EXIT_OK);
}

static void read_whole(int from, struct strbuf *text)
{
	char buf[4096];
	ssize_t n;

	while ((n = read(from, buf, sizeof(buf))) > 0 || (n < 0 && errno == EINTR))
		strbuf_add(text, buf, n > 0 ? (size_t)n : 0);
}

int user_check(
	int (*check)(const void *arg, struct strbuf *err), const void *arg, struct strbuf *err)
{
	int ends[2], status = -1;

	if (!user_is_sudo())
		return check(arg, err);
	if (pipe2(ends, O_CLOEXEC))
		return fail(err, "cannot make a pipe: %s", strerror(errno));
	pid_t pid = fork();

	if (!pid)
		check_as_caller(check, arg, ends[1]);
	close(ends[1]);
	if (pid < 0)
		fail(err, "cannot start a process: %s", strerror(errno));
	else
		read_whole(ends[0], err);
	close(ends[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status ? -1 : 0;
}
