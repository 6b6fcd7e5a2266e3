/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "servers.h"
#include "lib/folder.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"

#include <elfutils/debuginfod.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static const char blanks[] = " \t\r\n";

enum { FILE_MAX = 4 << 20 }; /* most bytes to read of a .urls file or an environment */

static void add_file(struct strbuf *out, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char buf[4096];
	ssize_t n;

	for (size_t all = 0; fd >= 0 && all < FILE_MAX; all += (size_t)n) {
		n = read(fd, buf, sizeof(buf));
		if (n <= 0)
			break;
		strbuf_add(out, buf, (size_t)n);
	}
	if (fd >= 0)
		close(fd);
}

char *servers_of_folder(const char *folder)
{
	char *pattern = xasprintf("%s/*.urls", folder);
	struct strbuf urls = STRBUF_INIT;
	glob_t files;

	if (!glob(pattern, 0, NULL, &files)) {
		for (size_t i = 0; i < files.gl_pathc; i++) {
			add_file(&urls, files.gl_pathv[i]);
			strbuf_addch(&urls, ' ');
		}
		globfree(&files);
	}
	free(pattern);
	for (size_t i = 0; i < urls.len; i++)
		if (strchr(blanks, urls.buf[i])) /* replaces NUL, too */
			urls.buf[i] = ' ';
	return strbuf_detach(&urls);
}

/* ---- sudo's caller ---- */

/* Returns the parent of process PID if PID is a sudo process, else 0. */
static pid_t above_sudo(pid_t pid)
{
	char *path = xasprintf("/proc/%d/status", (int)pid);
	struct strbuf status = STRBUF_INIT;
	pid_t parent = 0;

	add_file(&status, path);
	const char *line = strstr(status.buf, "\nPPid:");

	if (line && !strncmp(status.buf, "Name:\tsudo\n", 11))
		parent = (pid_t)atoi(line + 6);
	strbuf_release(&status);
	free(path);
	return parent;
}

/* Sets those variables that are not set from the initial environment of process PID. */
static void take_environment(pid_t pid)
{
	static const char *const names[] = {
		DEBUGINFOD_URLS_ENV_VAR, DEBUGINFOD_CACHE_PATH_ENV_VAR, "XDG_CACHE_HOME"};
	char *path = xasprintf("/proc/%d/environ", (int)pid);
	struct strbuf all = STRBUF_INIT;

	add_file(&all, path);
	for (char *s = all.buf, *end = s + all.len; s < end; s += strlen(s) + 1)
		for (size_t i = 0; i < ARRAY_LEN(names); i++) {
			size_t n = strlen(names[i]);

			if (!strncmp(s, names[i], n) && s[n] == '=')
				setenv(names[i], s + n + 1, 0);
		}
	strbuf_release(&all);
	free(path);
}

/* Takes the environments of all sudo processes above this one. With use_pty, one sudo is two. */
static void take_sudo_environment(void)
{
	pid_t parent;

	for (pid_t pid = getppid(); (parent = above_sudo(pid)); pid = parent)
		take_environment(pid);
}

static const char *urls(void)
{
	const char *value = getenv(DEBUGINFOD_URLS_ENV_VAR);

	return value ? value : "";
}

bool servers_find(void)
{
	if (!getenv(DEBUGINFOD_URLS_ENV_VAR) && getenv("SUDO_UID"))
		take_sudo_environment();
	if (!getenv(DEBUGINFOD_URLS_ENV_VAR)) {
		char *of_system = servers_of_folder("/etc/debuginfod");

		setenv(DEBUGINFOD_URLS_ENV_VAR, of_system, 1);
		free(of_system);
	}
	return urls()[strspn(urls(), blanks)] != '\0';
}

/* ---- names ---- */

void servers_add_name(struct strbuf *out, const char *url)
{
	size_t len = strcspn(url, " \t\r\n?#");
	const char *end = url + len, *colons = memmem(url, len, "://", 3);
	const char *host = colons ? colons + 3 : url,
		   *slash = memchr(host, '/', (size_t)(end - host));
	const char *at = memrchr(host, '@', (size_t)((slash ? slash : end) - host));
	const char *file = memmem(host, (size_t)(end - host), "/buildid/", 9);

	message_add(out, url, (size_t)(host - url));
	if (at)
		host = at + 1;
	if (file)
		end = file;
	while (end > host && end[-1] == '/')
		end--;
	message_add(out, host, (size_t)(end - host));
}

void servers_add_names(struct strbuf *out)
{
	size_t nr = 0;

	for (const char *s = urls(); *(s += strspn(s, blanks)); s += strcspn(s, blanks))
		if (strncmp(s, "ima:", 4) && nr++ == 0) /* "ima:" is a verification policy */
			servers_add_name(out, s);
	if (nr > 1)
		strbuf_addf(out, " and %zu more", nr - 1);
}

/* ---- silence ---- */

/* Returns the path of an empty file whose modification time is when the servers fell silent. */
static char *stamp_path(void)
{
	char *folder = folder_cache();
	char *path = xasprintf("%s/debuginfod-silent-%016llx", folder,
		(unsigned long long)hash_bytes(urls(), strlen(urls())));

	free(folder);
	return path;
}

int servers_silent_s(void)
{
	char *path = stamp_path();
	struct stat st;
	bool there = !stat(path, &st);
	time_t now = time(NULL);

	free(path);
	return there && st.st_mtime <= now && now - st.st_mtime < SERVERS_REST_S
		       ? (int)(now - st.st_mtime)
		       : -1;
}

void servers_set_silent(bool silent)
{
	char *path = stamp_path();

	if (silent) {
		int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

		if (fd >= 0) {
			futimens(fd, NULL);
			close(fd);
		}
	} else {
		unlink(path);
	}
	free(path);
}
