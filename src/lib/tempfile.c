/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tempfile.h"
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const int fatal[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/* Modified only while the signals are blocked. */
static struct tempfile *begun;

void tempfile_unlink_all(void)
{
	for (const struct tempfile *t = begun; t; t = t->next)
		unlink(t->temporary);
}

/* Raises the signal again: it is blocked here, and will find the default handler. */
static void on_fatal(int sig)
{
	int error = errno;

	tempfile_unlink_all();
	raise(sig);
	errno = error;
}

static void watch(void)
{
	static bool watching;
	struct sigaction ours = {.sa_handler = on_fatal, .sa_flags = SA_RESETHAND}, old;

	for (size_t i = 0; i < ARRAY_LEN(fatal); i++)
		if (!sigaction(fatal[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(fatal[i], &ours, NULL);
	if (!watching)
		atexit(tempfile_unlink_all);
	watching = true;
}

static void block(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(fatal); i++)
		sigaddset(&set, fatal[i]);
	sigprocmask(SIG_BLOCK, &set, old);
}

static void unblock(const sigset_t *old)
{
	sigprocmask(SIG_SETMASK, old, NULL);
}

static void begin(struct tempfile *t, const char *path, FILE *out)
{
	t->path = xstrdup(path);
	t->out = out;
	t->next = begun;
	begun = t;
}

int tempfile_open(struct tempfile *t, const char *path)
{
	sigset_t old;

	*t = (struct tempfile){.temporary = xasprintf("%s.XXXXXX", path)};
	watch();
	block(&old);
	int fd = mkostemp(t->temporary, O_CLOEXEC);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	int error = errno;

	if (out) {
		begin(t, path, out);
	} else {
		if (fd >= 0) {
			unlink(t->temporary);
			close(fd);
		}
		free(t->temporary);
	}
	unblock(&old);
	errno = error;
	return out ? 0 : -1;
}

static void forget(struct tempfile *t)
{
	struct tempfile **at = &begun;

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	free(t->path);
	free(t->temporary);
	*t = (struct tempfile){0};
}

static int end(struct tempfile *t, bool keep)
{
	sigset_t old;

	block(&old);
	int ret = keep ? rename(t->temporary, t->path) : -1;
	int error = errno;

	if (ret)
		unlink(t->temporary);
	forget(t);
	unblock(&old);
	errno = error;
	return ret;
}

int tempfile_commit(struct tempfile *t)
{
	bool whole = !close_whole(t->out);

	return end(t, whole);
}

void tempfile_drop(struct tempfile *t)
{
	fclose(t->out);
	end(t, false);
}

/*
 * In a sticky directory such as /tmp, only the owners of a file and of the directory may replace
 * the file.
 */
static bool is_protected(const char *path)
{
	char *copy = xstrdup(path);
	struct stat folder, file;
	bool is = !lstat(path, &file) && !stat(dirname(copy), &folder) &&
		  folder.st_mode & S_ISVTX && geteuid() && file.st_uid != geteuid() &&
		  folder.st_uid != geteuid();

	free(copy);
	return is;
}

int tempfile_check(const char *path)
{
	struct tempfile t;
	struct stat st;

	if (tempfile_open(&t, path))
		return -1;
	tempfile_drop(&t);
	errno = !stat(path, &st) && S_ISDIR(st.st_mode) ? EISDIR : is_protected(path) ? EPERM : 0;
	return errno ? -1 : 0;
}
