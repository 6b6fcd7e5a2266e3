/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "refusal.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const struct {
	int error;
	const char *remedy;
} remedies[] = {
	{EMFILE, "raise the limit of open files (ulimit -n)"},
	{ENFILE, "raise the system's limit of open files (sysctl fs.file-max)"},
	{ENOMEM, "free some memory, or raise its limit (ulimit -v, the cgroup)"},
	{EPERM, "record as root, or with CAP_BPF and CAP_PERFMON; in a container, its seccomp "
		"profile has to allow bpf and perf_event_open"},
	{EACCES, "record as root, or with CAP_BPF and CAP_PERFMON; if it is root, SELinux or "
		 "another security module forbids it, see its log"},
	{ENOSYS, "the kernel has no such system call, or a seccomp profile forbids it"},
	{EAGAIN, "it was interrupted: try again"},
	{EINTR, "it was interrupted: try again"},
};

const char *refusal_remedy(int error)
{
	for (size_t i = 0; i < ARRAY_LEN(remedies); i++)
		if (remedies[i].error == error)
			return remedies[i].remedy;
	return NULL;
}

/* Duplicates a file to the number of the last one, as new files get the lowest free numbers. */
bool refusal_has_files(unsigned nr)
{
	int fd = open("/", O_PATH | O_CLOEXEC), last;

	if (fd < 0)
		return errno != EMFILE;
	last = nr ? fcntl(fd, F_DUPFD_CLOEXEC, fd + (int)nr) : -1;
	close(fd);
	if (last >= 0)
		close(last);
	return !nr || last >= 0;
}

int refusal_cause(int error)
{
	return refusal_has_files(0) ? error : EMFILE;
}

const char *refusal_remedy_or(int error, const char *otherwise)
{
	const char *remedy = refusal_remedy(refusal_cause(error));

	return remedy ? remedy : otherwise;
}

int refusal_add(struct strbuf *err, int error)
{
	int cause = refusal_cause(error);
	const char *remedy = refusal_remedy(cause);

	return fail(err, ": %s%s%s", strerror(cause), remedy ? "; " : "", remedy ? remedy : "");
}
