/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "package.h"
#include "dpkg.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	ALL_S = 10,           /* time to look up all files */
	OUTPUT_MAX = 1 << 20, /* bytes a package manager may print */
	PATHS_MAX = 512,      /* number of files to look up, the heaviest first */
	OS_RELEASE = 1 << 16  /* largest os-release file, in bytes */
};

/* ---- the distribution ---- */

static const struct {
	const char *id;
	enum package_family family;
	const char *server;
} distributions[] = {
	{"ubuntu", PACKAGES_UBUNTU, "https://debuginfod.ubuntu.com"},
	{"debian", PACKAGES_DEBIAN, "https://debuginfod.debian.net"},
	{"rhel", PACKAGES_DNF, "https://debuginfod.elfutils.org"},
	{"centos", PACKAGES_DNF, "https://debuginfod.centos.org"},
	{"fedora", PACKAGES_DNF, "https://debuginfod.fedoraproject.org"},
	{"suse", PACKAGES_ZYPPER, "https://debuginfod.opensuse.org"},
	{"opensuse", PACKAGES_ZYPPER, "https://debuginfod.opensuse.org"},
	{"arch", PACKAGES_OTHER, "https://debuginfod.archlinux.org"},
};

/* Returns the value of KEY, which ends in "=", without quotes, or "" if TEXT does not have it. */
static char *value_of(const char *text, const char *key)
{
	size_t n = strlen(key);

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		if (!strncmp(text, key, n)) {
			text += n;
			if (*text == '"' || *text == '\'')
				return xstrndup(text + 1, strcspn(text + 1, "\"'\n"));
			return xstrndup(text, strcspn(text, "\n"));
		}
	return xstrdup("");
}

static bool has_word(const char *list, const char *word)
{
	for (size_t len = strlen(word), n; *list; list += n + (list[n] == ' ')) {
		n = strcspn(list, " ");
		if (n == len && !memcmp(list, word, n))
			return true;
	}
	return false;
}

/* Sets P to the distribution in LIST that is the first one in the table. */
static bool find_distribution(const char *list, struct packages *p)
{
	for (size_t i = 0; i < ARRAY_LEN(distributions); i++)
		if (has_word(list, distributions[i].id)) {
			p->family = distributions[i].family;
			p->server = distributions[i].server;
			return true;
		}
	return false;
}

struct packages packages_of(const char *path)
{
	struct packages p = {.server = "https://debuginfod.elfutils.org"};
	FILE *f = fopen(path ? path : "/etc/os-release", "re");
	char text[OS_RELEASE];
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = '\0';

	char *id = value_of(text, "ID="), *like = value_of(text, "ID_LIKE=");

	if (!find_distribution(id, &p))
		find_distribution(like, &p);
	free(id);
	free(like);
	return p;
}

/* ---- running the package manager ---- */

static pid_t start(char *const argv[], int out)
{
	char *const environment[] = {(char *)"LC_ALL=C", NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	pid_t pid;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	if (posix_spawnp(&pid, argv[0], &files, &attributes, argv, environment))
		pid = -1;
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	return pid;
}

/* Reads FD to its end. Returns false at the DEADLINE or after OUTPUT_MAX bytes. */
static bool read_output(int fd, int64_t deadline, struct strbuf *out)
{
	struct pollfd ready = {fd, POLLIN, 0};
	char buf[4096];

	while (out->len <= OUTPUT_MAX) {
		int64_t left = (deadline - monotonic_ns()) / 1000000;
		int events = left > 0 ? poll(&ready, 1, (int)left) : 0;
		ssize_t n = events > 0 ? read(fd, buf, sizeof(buf)) : -1;

		if (!events || (n < 0 && errno != EINTR))
			return false;
		if (!n)
			return true;
		if (n > 0)
			strbuf_add(out, buf, (size_t)n);
	}
	return false;
}

/* Reads the stdout of ARGV. OUT stays empty if it cannot be run, prints too much or is too slow. */
static void run(char *const argv[], int64_t deadline, struct strbuf *out)
{
	int ends[2];

	if (monotonic_ns() >= deadline || pipe2(ends, O_CLOEXEC))
		return;
	pid_t pid = start(argv, ends[1]);

	close(ends[1]);
	if (pid > 0 && !read_output(ends[0], deadline, out)) {
		strbuf_reset(out);
		kill(-pid, SIGKILL);
	}
	close(ends[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* ---- rpm: one run for each file, because the output does not contain the path ---- */

static bool is_package(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr("+-._", name[i]) && !(name[i] >= '0' && name[i] <= '9') &&
			!(name[i] >= 'a' && name[i] <= 'z') && !(name[i] >= 'A' && name[i] <= 'Z'))
			return false;
	return len > 0;
}

/* Returns the package of PATH. rpm prints "file /x is not owned by any package" on stdout, too. */
static char *query_rpm(const char *path, int64_t deadline)
{
	char *const argv[] = {(char *)"rpm", (char *)"-qf", (char *)"--queryformat",
		(char *)"%{NAME}\\n", (char *)"--", (char *)path, NULL};
	struct strbuf output = STRBUF_INIT;
	char *owner = NULL;

	run(argv, deadline, &output);
	size_t len = strcspn(output.buf, "\n");

	if (is_package(output.buf, len))
		owner = xstrndup(output.buf, len);
	strbuf_release(&output);
	return owner;
}

void packages_find(const struct packages *p, const char *const *paths, size_t n, char **owners)
{
	int64_t deadline = monotonic_ns() + ALL_S * 1000000000ll;

	for (size_t i = 0; i < n; i++)
		owners[i] = NULL;
	if (n > PATHS_MAX)
		n = PATHS_MAX;
	if (p->family == PACKAGES_DEBIAN || p->family == PACKAGES_UBUNTU)
		dpkg_find(paths, n, deadline, owners);
	else if (p->family != PACKAGES_OTHER)
		for (size_t i = 0; i < n; i++)
			owners[i] = paths[i][0] == '/' ? query_rpm(paths[i], deadline) : NULL;
}

/* ---- packages with debug files ---- */

static bool begins(const char *s, const char *beginning)
{
	return !strncmp(s, beginning, strlen(beginning));
}

/* Returns the length of "python3.11" in names such as libpython3.11-stdlib, or 0. */
static size_t python_version(const char *owner, const char **name)
{
	*name = owner + (begins(owner, "lib") ? 3 : 0);
	if (!begins(*name, "python3."))
		return 0;
	size_t n = 8 + strspn(*name + 8, "0123456789");

	return n > 8 && (!(*name)[n] || (*name)[n] == '-') ? n : 0;
}

static char *debug_package(enum package_family family, const char *owner)
{
	const char *python;
	size_t n = python_version(owner, &python);

	if (!strcmp(owner, "libc6"))
		return xstrdup("libc6-dbg");
	if (!strcmp(owner, "perl") || !strcmp(owner, "perl-base") || begins(owner, "libperl5."))
		return xstrdup("perl-debug");
	if (n)
		return xasprintf("%.*s-dbg", (int)n, python);
	if (begins(owner, "linux-image-") && family == PACKAGES_DEBIAN) {
		n = strlen(owner) - (ends_with(owner, "-unsigned") ? 9 : 0);
		return xasprintf("%.*s-dbg", (int)n, owner);
	}
	return xasprintf("%s-dbgsym", owner);
}

char *packages_command(const struct packages *p, const char *owner)
{
	char *debug, *command;

	switch (p->family) {
	case PACKAGES_DEBIAN:
	case PACKAGES_UBUNTU:
		debug = debug_package(p->family, owner);
		command = xasprintf("apt install %s", debug);
		free(debug);
		return command;
	case PACKAGES_DNF:
		return xasprintf("dnf debuginfo-install %s", owner);
	case PACKAGES_ZYPPER:
		return xasprintf("zypper install %s-debuginfo", owner);
	default:
		return NULL;
	}
}
