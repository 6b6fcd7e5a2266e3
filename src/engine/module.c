/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "module.h"
#include "folder.h"
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
#include <sys/wait.h>
#include <unistd.h>

/* What the scripts print first; as one string it stands in the module. */
static const char about[] = "flametap-script ";
static const char signature[] = "~Module signature appended~\n"; /* linux/module_signature.h */

enum { SIZE_MAX_BYTES = 256 << 20 };

static int read_file(struct module *m, struct strbuf *err)
{
	int fd = open(m->path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return fail(err, "cannot open '%s': %s\n", m->path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > SIZE_MAX_BYTES) {
		close(fd);
		return fail(err, "'%s' is no kernel module\n", m->path);
	}
	m->bytes = xmalloc((size_t)st.st_size + 1);
	while (m->size < (size_t)st.st_size) {
		ssize_t n = read(fd, m->bytes + m->size, (size_t)st.st_size - m->size);

		if (n <= 0)
			break;
		m->size += (size_t)n;
	}
	m->bytes[m->size] = '\0';
	close(fd);
	return 0;
}

/* The text behind KEY, which begins a string, up to its end or a character of STOP; NULL: none. */
static char *text_behind(const struct module *m, const char *key, const char *stop)
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

/* "on-cpu u some 997" */
static int take_about(struct module *m, const char *text)
{
	char script[32], stacks[4], whose[8];

	if (sscanf(text, "%31[a-z-] %3[uk] %7[a-z] %u", script, stacks, whose, &m->hz) != 4)
		return -1;
	m->script = xstrdup(script);
	m->stacks = xstrdup(stacks);
	m->whose = xstrdup(whose);
	return 0;
}

int module_open(struct module *m, const char *path, struct strbuf *err)
{
	size_t tail = sizeof(signature) - 1;

	*m = (struct module){.path = xstrdup(path)};
	if (read_file(m, err))
		return -1;
	char *text = text_behind(m, about, "\n");

	m->name = text_behind(m, "name=", "");
	m->release = text_behind(m, "vermagic=", " ");
	m->is_signed = m->size > tail && !memcmp(m->bytes + m->size - tail, signature, tail);
	int ret = text && m->name && m->release && *m->name && is_plain(m->name)
			  ? take_about(m, text)
			  : -1;

	free(text);
	return ret ? fail(err, "'%s' is no module of sample-bt --compile-only\n", path) : 0;
}

void module_release(struct module *m)
{
	free(m->path);
	free(m->name);
	free(m->release);
	free(m->script);
	free(m->stacks);
	free(m->whose);
	free(m->bytes);
	*m = (struct module){0};
}

bool module_knows(const struct module *m, const char *build_id)
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

char *module_runnable(const struct module *m, struct strbuf *err)
{
	char *file = xasprintf("%s.ko", m->name);
	char *path = realpath(m->path, NULL);

	if (path && strcmp(file_name(path), file)) {
		char *cache = folder_cache(), *link = xasprintf("%s/%s", cache, file);

		unlink(link);
		if (symlink(path, link)) {
			fail(err, "cannot link '%s': %s\n", link, strerror(errno));
			free(link);
			link = NULL;
		}
		free(cache);
		free(path);
		path = link;
	}
	free(file);
	return path;
}

/* staprun's rule: as long as before, "_PID" at the end. */
static bool is_renamed(const char *loaded, const char *name, const char *suffix)
{
	size_t len = strlen(name), n = strlen(suffix);

	return strlen(loaded) == len && n < len && !memcmp(loaded, name, len - n) &&
	       !strcmp(loaded + len - n, suffix);
}

char *module_loaded_as(const char *name, pid_t loader)
{
	char *suffix = xasprintf("_%d", (int)loader);
	DIR *dir = opendir("/sys/module");
	char *found = NULL;

	for (struct dirent *e; dir && !found && (e = readdir(dir));)
		if (is_renamed(e->d_name, name, suffix))
			found = xstrdup(e->d_name);
	if (dir)
		closedir(dir);
	free(suffix);
	return found || !module_is_loaded(name) ? found : xstrdup(name);
}

bool module_is_loaded(const char *name)
{
	char *path = xasprintf("/sys/module/%s", name);
	bool there = !access(path, F_OK);

	free(path);
	return there;
}

void module_unload(const char *name)
{
	pid_t pid = fork();

	if (!pid) {
		execlp("staprun", "staprun", "-d", name, NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}
