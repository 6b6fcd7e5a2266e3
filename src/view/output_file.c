/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output_file.h"
#include "browser.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool output_file_ends(const struct output_file *f, const char *ending)
{
	return f->path && ends_with(f->path, ending);
}

bool output_file_is_stdout(const struct output_file *f)
{
	return f->path ? !strcmp(f->path, "-") : !f->open;
}

/*
 * Returns stdout or stderr if it leads to this file, which must not be replaced then. Otherwise
 * returns -1.
 */
static int descriptor_of(const struct stat *st)
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		struct stat own;

		if (!fstat(fd, &own) && own.st_dev == st->st_dev && own.st_ino == st->st_ino)
			return fd;
	}
	return -1;
}

/* True if PATH exists and cannot be replaced by a file. */
static bool is_direct(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISDIR(st.st_mode) &&
	       (!S_ISREG(st.st_mode) || descriptor_of(&st) >= 0);
}

static int cannot_write(const char *path)
{
	program_say("cannot write '%s': %s", path, strerror(errno));
	return -1;
}

/*
 * Whether another user made this FIFO or device. Such a user could make us wait, and could read the
 * output.
 */
static bool is_foreign(const struct stat *st)
{
	return st->st_uid && st->st_uid != geteuid() && descriptor_of(st) < 0;
}

static int check_direct(const char *path)
{
	struct stat st;

	if (stat(path, &st) || !is_foreign(&st))
		return 0;
	program_say(
		"cannot write '%s': it is another user's, and not a file; give another path", path);
	return -1;
}

int output_file_check(const struct output_file *f)
{
	struct strbuf err = STRBUF_INIT;
	int ret = 0;

	if (f->path && !output_file_is_stdout(f))
		ret = is_direct(f->path) ? check_direct(f->path) : output_check(f->path, &err);
	program_say_rest(&err);
	return ret;
}

/*
 * Opens the file that PATH_FD refers to, even if its name leads to another file by then. Returns -1
 * and sets errno on failure.
 */
static int open_again(int path_fd)
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
	return open(link, O_WRONLY | O_NOCTTY | O_CLOEXEC);
}

static FILE *open_known(int path_fd, const struct stat *st)
{
	int own = descriptor_of(st), fd = -1;

	if (own == STDOUT_FILENO) /* stdout is guarded if it is a terminal */
		return stdout;
	if (own >= 0)
		fd = fcntl(own, F_DUPFD_CLOEXEC, 0);
	else if (!is_foreign(st))
		fd = open_again(path_fd);
	else
		errno = EPERM; /* it was replaced after the check */
	return fd < 0 ? NULL : fdopen(fd, "w");
}

static FILE *open_direct(const char *path)
{
	int path_fd = open(path, O_PATH | O_CLOEXEC);
	struct stat st;

	if (path_fd < 0)
		return NULL;
	FILE *out = fstat(path_fd, &st) ? NULL : open_known(path_fd, &st);
	int error = errno;

	close(path_fd);
	errno = error;
	return out;
}

/* Returns the name of a new, empty file. Returns NULL and prints a message on failure. */
static char *make_path(const char *ending)
{
	const char *folder = getenv("TMPDIR");
	char *path = xasprintf("%s/flametap-XXXXXX%s", folder && *folder ? folder : "/tmp", ending);
	int fd = mkostemps(path, (int)strlen(ending), O_CLOEXEC);

	if (fd >= 0) {
		close(fd);
		return path;
	}
	cannot_write(path);
	free(path);
	return NULL;
}

static void drop_made(struct output_file *f)
{
	if (f->made)
		unlink(f->made);
	free(f->made);
	f->made = NULL;
}

FILE *output_file_begin(struct output_file *f)
{
	if (output_file_is_stdout(f))
		return f->out = stdout;
	if (!f->path && !(f->path = f->made = make_path(f->ending)))
		return NULL;
	if (is_direct(f->path))
		f->out = open_direct(f->path);
	else if (!tempfile_open(&f->temporary, f->path))
		f->out = f->temporary.out;
	if (f->out)
		return f->out;
	cannot_write(f->path);
	drop_made(f);
	return NULL;
}

static int end_direct(const struct output_file *f)
{
	return program_close(f->out, output_file_is_stdout(f) ? "stdout" : f->path);
}

static int end_file(struct output_file *f, bool keep)
{
	if (!keep) {
		tempfile_drop(&f->temporary);
		return -1;
	}
	if (tempfile_commit(&f->temporary))
		return cannot_write(f->path);
	program_say("wrote '%s'", f->path);
	if (f->open)
		browser_show(f->path);
	return 0;
}

int output_file_end(struct output_file *f, bool keep)
{
	int ret = f->temporary.out ? end_file(f, keep) : end_direct(f);

	f->out = NULL;
	if (ret)
		drop_made(f);
	free(f->made);
	f->made = NULL;
	return keep ? ret : -1;
}
