/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "shared_memory.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KNOWN_NS = 1000000000 }; /* so long the mappings of a process are not read again */

void shared_memory_init(struct shared_memory *m)
{
	*m = (struct shared_memory){0};
	table_init(&m->by_pid);
}

static void forget(struct shared_process *p)
{
	for (size_t i = 0; i < p->nr; i++)
		free(p->list[i].name);
	p->nr = 0;
}

void shared_memory_release(struct shared_memory *m)
{
	for (size_t i = 0; i < m->nr; i++) {
		forget(&m->processes[i]);
		free(m->processes[i].list);
	}
	free(m->processes);
	table_release(&m->by_pid);
	*m = (struct shared_memory){0};
}

/* Memory without a name has a deleted file of the kernel's own. */
static char *name_of(const char *path, uint64_t inode)
{
	static const char deleted[] = " (deleted)";
	size_t len = strcspn(path, "\n");
	char *whole, *name;

	if (!len || begins_with(path, len, "/dev/zero") || begins_with(path, len, "/SYSV"))
		return xasprintf("[shared %" PRIu64 "]", inode);
	whole = xstrndup(path, len);
	if (ends_with(whole, deleted))
		whole[len - strlen(deleted)] = '\0';
	name = xstrdup(file_name(whole));
	free(whole);
	return name;
}

/* Adds the mapping of a line of /proc/PID/maps, if it is shared. */
static void add_line(struct shared_process *p, const char *line)
{
	struct shared_area area;
	uint64_t inode;
	char access[5];
	int path = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*x:%*x %" SCNu64 " %n",
		    &area.start, &area.end, access, &area.offset, &inode, &path) < 5 ||
		access[3] != 's')
		return;
	area.name = name_of(line + path, inode);
	ALLOC_GROW(p->list, p->nr, p->alloc);
	p->list[p->nr++] = area;
}

static void read_mappings(struct shared_process *p, uint32_t pid)
{
	char *path = xasprintf("/proc/%" PRIu32 "/maps", pid), *line = NULL;
	FILE *in = fopen(path, "re");
	size_t size = 0;

	free(path);
	p->read_ns = monotonic_ns();
	if (!in)
		return;
	forget(p);
	while (getline(&line, &size, in) > 0)
		add_line(p, line);
	free(line);
	fclose(in);
}

static struct shared_process *process_of(struct shared_memory *m, uint32_t pid)
{
	bool is_new;
	uint32_t *index = table_put(&m->by_pid, pid, 0, &is_new);

	if (is_new) {
		ALLOC_GROW(m->processes, m->nr, m->alloc);
		m->processes[m->nr] = (struct shared_process){0};
		*index = (uint32_t)m->nr++;
	}
	struct shared_process *p = &m->processes[*index];

	if (is_new || monotonic_ns() - p->read_ns > KNOWN_NS)
		read_mappings(p, pid);
	return p;
}

char *shared_memory_place(struct shared_memory *m, uint32_t pid, uint64_t address)
{
	const struct shared_process *p = process_of(m, pid);

	for (size_t i = 0; i < p->nr; i++) {
		const struct shared_area *a = &p->list[i];

		if (a->start <= address && address < a->end)
			return xasprintf("%s+0x%" PRIx64, a->name, a->offset + address - a->start);
	}
	return NULL;
}
