/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "refusal.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
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

/* Opens as many files: inherited ones have any numbers, so the highest number says nothing. */
bool refusal_has_files(unsigned nr)
{
	int *fds = xcalloc(nr, sizeof(*fds));
	unsigned opened = 0;
	bool limited = false;

	for (; opened < nr && !limited; opened++) {
		fds[opened] = open("/", O_PATH | O_CLOEXEC);
		limited = fds[opened] < 0 && errno == EMFILE;
	}
	while (opened--)
		if (fds[opened] >= 0)
			close(fds[opened]);
	free(fds);
	return !limited;
}

int refusal_cause(int error)
{
	return refusal_has_files(1) ? error : EMFILE;
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
