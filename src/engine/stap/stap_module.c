/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stap_module.h"
#include "lib/folder.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

/* The start of the first line that the scripts print, which is a string constant of the module. */
static const char header[] = "flametap-script ";
static const char signature[] = "~Module signature appended~\n"; /* linux/module_signature.h */

enum { MODULE_MAX = 256 << 20 }; /* bytes */

static int read_file(struct stap_module *m, struct strbuf *err)
{
	int fd = open(m->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return fail(err, "cannot open '%s': %s\n", m->path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > MODULE_MAX) {
		close(fd);
		return fail(err, "'%s' is not a kernel module\n", m->path);
	}
	m->bytes = xmalloc((size_t)st.st_size + 1);
	while (m->size < (size_t)st.st_size) {
		ssize_t n = read(fd, m->bytes + m->size, (size_t)st.st_size - m->size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		m->size += (size_t)n;
	}
	bool whole = m->size == (size_t)st.st_size;

	m->bytes[m->size] = '\0';
	close(fd);
	return whole ? 0 : fail(err, "cannot read all of '%s'\n", m->path);
}

/*
 * Returns the rest of the string constant that begins with KEY, up to a character of STOP, or NULL
 * if there is none.
 */
static char *text_after(const struct stap_module *m, const char *key, const char *stop)
{
	size_t len = strlen(key);
	const unsigned char *at = m->bytes, *end = m->bytes + m->size;

	while ((at = memmem(at, (size_t)(end - at), key, len))) {
		const char *text = (const char *)at + len;

		if (at == m->bytes || !at[-1])
			return xstrndup(text, strcspn(text, stop));
		at++;
	}
	return NULL;
}

static bool is_plain(const char *name)
{
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_')
			return false;
	return true;
}

/* Parses "on-cpu u some 997 65536" or "off-cpu u some 0 65536 15 nginx". */
static int parse_header(struct stap_module *m, const char *text)
{
	char script[32], stacks[4], scope[8];
	int len = 0;

	if (sscanf(text, "%31[a-z-] %3[a-z] %7[a-z] %u %zu%n", script, stacks, scope, &m->hz,
		    &m->max_stacks, &len) < 5)
		return -1;
	text += len;
	for (size_t i = 0; *text == ' ' && i < TOOL_OPTIONS_MAX; i++) {
		size_t n = strcspn(++text, " ");

		if (!text[n] && n && !isdigit((unsigned char)*text))
			m->label = xstrdup(text);
		else if (!parse_u64(text, n, 10, &m->compiled.list[i]))
			return -1;
		text += n;
	}
	m->script = xstrdup(script);
	m->stacks = xstrdup(stacks);
	m->scope = xstrdup(scope);
	return 0;
}

int stap_module_open(struct stap_module *m, const char *path, struct strbuf *err)
{
	size_t tail = sizeof(signature) - 1;

	*m = (struct stap_module){.path = xstrdup(path)};
	if (read_file(m, err))
		return -1;
	char *text = text_after(m, header, "\n");

	m->name = text_after(m, "name=", "");
	m->release = text_after(m, "vermagic=", " ");
	m->is_signed = m->size > tail && !memcmp(m->bytes + m->size - tail, signature, tail);
	int ret = text && m->name && m->release && *m->name && is_plain(m->name)
			  ? parse_header(m, text)
			  : -1;

	free(text);
	return ret ? fail(err, "'%s' was not built by sample-bt --compile-only\n", path) : 0;
}

void stap_module_release(struct stap_module *m)
{
	free(m->path);
	free(m->name);
	free(m->release);
	free(m->script);
	free(m->stacks);
	free(m->scope);
	free(m->label);
	free(m->bytes);
	*m = (struct stap_module){0};
}

bool stap_module_fits_kernel(const struct stap_module *m, struct strbuf *err)
{
	struct utsname uts;

	if (uname(&uts) || !strcmp(m->release, uts.release))
		return true;
	fail(err,
		"'%s' was built for kernel %s, this one is %s: build it with --compile-only -r "
		"%s\n",
		m->path, m->release, uts.release, uts.release);
	return false;
}

bool stap_module_has_rules(const struct stap_module *m, const char *build_id)
{
	unsigned char bytes[64];
	size_t n = strlen(build_id) / 2;

	if (n < 8 || n > sizeof(bytes))
		return false;
	for (size_t i = 0; i < n; i++) {
		uint64_t byte;

		if (!parse_u64(build_id + 2 * i, 2, 16, &byte))
			return false;
		bytes[i] = (unsigned char)byte;
	}
	return memmem(m->bytes, m->size, bytes, n) != NULL;
}

/* Creates a link to PATH in the cache, atomically since another recording may be using the link. */
static char *link_in_cache(const char *path, const char *file, struct strbuf *err)
{
	char *cache = folder_cache(), *link = xasprintf("%s/%s", cache, file);
	char *new = xasprintf("%s.%d", link, (int)getpid());

	unlink(new);
	if (symlink(path, new) || rename(new, link)) {
		fail(err, "cannot link '%s': %s\n", link, strerror(errno));
		free(link);
		link = NULL;
	}
	free(new);
	free(cache);
	return link;
}

char *stap_module_staprun_path(const struct stap_module *m, struct strbuf *err)
{
	char *file = xasprintf("%s.ko", m->name);
	char *path = realpath(m->path, NULL);

	if (!path)
		fail(err, "cannot find '%s': %s\n", m->path, strerror(errno));
	if (path && strcmp(file_name(path), file)) {
		char *link = link_in_cache(path, file, err);

		free(path);
		path = link;
	}
	free(file);
	return path;
}

/* Returns whether LOADED is NAME as staprun renames it: of equal length, with "_PID" at its end. */
static bool is_renamed(const char *loaded, const char *name, const char *suffix)
{
	size_t len = strlen(name), n = strlen(suffix);

	return strlen(loaded) == len && n < len && !memcmp(loaded, name, len - n) &&
	       !strcmp(loaded + len - n, suffix);
}

char *stap_module_loaded_as(const struct stap_module *m, pid_t loader)
{
	char *suffix = xasprintf("_%d", (int)loader);
	DIR *dir = opendir("/sys/module");
	char *found = NULL;

	for (struct dirent *e; dir && !m->is_signed && !found && (e = readdir(dir));)
		if (is_renamed(e->d_name, m->name, suffix))
			found = xstrdup(e->d_name);
	if (dir)
		closedir(dir);
	free(suffix);
	return !m->is_signed ? found : stap_module_is_loaded(m->name) ? xstrdup(m->name) : NULL;
}

bool stap_module_is_loaded(const char *name)
{
	char *path = xasprintf("/sys/module/%s", name);
	bool there = !access(path, F_OK);

	free(path);
	return there;
}

void stap_module_unload(const char *name)
{
	pid_t pid = fork();

	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		if (null >= 0) {
			dup2(null, 1);
			dup2(null, 2);
		}
		execlp("staprun", "staprun", "-d", name, NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}
