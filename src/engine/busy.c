/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "busy.h"
#include "lib/table.h"
#include "lib/util.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct usage {
	uint32_t pid;
	uint64_t ticks; /* user and kernel time */
};

struct usages {
	struct usage *list;
	size_t nr, alloc;
};

/* utime + stime of PID; false when it is gone or has no program (a kernel thread). */
static bool cpu_ticks(const char *pid, uint64_t *ticks)
{
	char path[64], text[1024];
	unsigned long long user, kernel;

	snprintf(path, sizeof(path), "/proc/%.20s/exe", pid);
	if (readlink(path, text, sizeof(text)) <= 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof(text) - 1);

	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	const char *s = strrchr(text, ')');

	if (!s || sscanf(s + 1, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu", &user,
			  &kernel) != 2)
		return false;
	*ticks = user + kernel;
	return true;
}

static void look(struct usages *u)
{
	DIR *dir = opendir("/proc");

	for (struct dirent *e; dir && (e = readdir(dir));) {
		uint64_t pid, ticks;

		if (!parse_u64(e->d_name, strlen(e->d_name), 10, &pid) ||
			pid == (uint64_t)getpid() || !cpu_ticks(e->d_name, &ticks))
			continue;
		ALLOC_GROW(u->list, u->nr, u->alloc);
		u->list[u->nr++] = (struct usage){(uint32_t)pid, ticks};
	}
	if (dir)
		closedir(dir);
}

static int compare_usage(const void *va, const void *vb)
{
	const struct usage *a = va, *b = vb;

	if (a->ticks != b->ticks)
		return a->ticks < b->ticks ? 1 : -1;
	return (a->pid > b->pid) - (a->pid < b->pid);
}

size_t busy_processes(uint32_t *pids, size_t max)
{
	struct usages before = {0}, now = {0};
	struct table at;
	bool is_new;
	size_t nr = 0;

	table_init(&at);
	look(&before);
	for (size_t i = 0; i < before.nr; i++)
		*table_put(&at, before.list[i].pid, 0, &is_new) = (uint32_t)i;
	usleep(250000);
	look(&now);
	for (size_t i = 0; i < now.nr; i++) {
		const uint32_t *old = table_get(&at, now.list[i].pid, 0);

		if (old && before.list[*old].ticks <= now.list[i].ticks)
			now.list[i].ticks -= before.list[*old].ticks;
	}
	if (now.nr)
		qsort(now.list, now.nr, sizeof(*now.list), compare_usage);
	while (nr < max && nr < now.nr && now.list[nr].ticks) {
		pids[nr] = now.list[nr].pid;
		nr++;
	}
	table_release(&at);
	free(before.list);
	free(now.list);
	return nr;
}
