/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata_jit.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "model/recording.h"
#include "symbol/opener.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void perfdata_jit_init(struct perfdata_jit *j, struct recording *rec, struct opener *opener,
	const char *root, struct strbuf *notes)
{
	*j = (struct perfdata_jit){.rec = rec, .opener = opener, .root = root, .notes = notes};
	table_init(&j->by_pid);
}

void perfdata_jit_release(struct perfdata_jit *j)
{
	for (size_t i = 0; i < j->nr; i++) {
		jitdump_free(j->dumps[i].dump);
		free(j->dumps[i].path);
	}
	free(j->dumps);
	table_release(&j->by_pid);
}

/*
 * Whether nobody else has put the file there: its owner is trusted, or it is the file that was
 * mapped.
 */
static bool is_trusted(int fd, uint64_t inode)
{
	struct stat st;

	return !fstat(fd, &st) &&
	       (!st.st_uid || st.st_uid == geteuid() || (inode && st.st_ino == inode));
}

/* Opens the dump at PATH. Returns -1 with a message in ERR. */
static int open_dump(struct perfdata_jit *j, const char *path, uint64_t inode, struct strbuf *err)
{
	struct found_file found = opener_find(j->opener, j->root, path);
	int error = found.error, fd = found_file_open(&found);

	if (fd < 0)
		return fail(err, "%s", strerror(error ? error : ENOENT));
	if (is_trusted(fd, inode))
		return fd;
	close(fd);
	return fail(err, "it belongs to another user, and is not the file that was mapped");
}

static struct jitdump *read_dump(
	struct perfdata_jit *j, const char *path, uint64_t inode, struct strbuf *err)
{
	bool has_clock = j->clock.multiplier && !j->is_monotonic;
	int fd = open_dump(j, path, inode, err);
	struct jitdump *dump = fd < 0 ? NULL : jitdump_read(fd, has_clock ? &j->clock : NULL, err);

	if (fd >= 0)
		close(fd);
	return dump;
}

static void add_dump(struct perfdata_jit *j, uint32_t pid, const char *path, struct jitdump *dump)
{
	struct perfdata_dump d = {.dump = dump, .path = xstrdup(path), .first = j->nr_functions};
	bool is_new, has_cycles = jitdump_has_cycles(dump);

	d.is_timed = has_cycles ? j->clock.multiplier && !j->is_monotonic : j->is_monotonic;
	j->nr_functions += jitdump_nr(dump);
	ALLOC_GROW(j->dumps, j->nr, j->alloc);
	j->dumps[j->nr++] = d;
	*table_put(&j->by_pid, pid, 0, &is_new) = (uint32_t)j->nr;
	if (jitdump_is_cut(dump))
		strbuf_addf(j->notes,
			"'%s' has no end: functions that are not in it have no names\n", path);
}

void perfdata_jit_map(struct perfdata_jit *j, uint32_t pid, const char *path, uint64_t inode)
{
	struct strbuf err = STRBUF_INIT;
	bool is_dump = recording_is_dump(path);
	const uint32_t *known = is_dump ? table_get(&j->by_pid, pid, 0) : NULL;
	struct jitdump *dump;

	if (!is_dump || (known && !strcmp(j->dumps[*known - 1].path, path)))
		return;
	dump = read_dump(j, path, inode, &err);
	if (dump)
		add_dump(j, pid, path, dump);
	else
		strbuf_addf(j->notes, "cannot read the functions in '%s': %s\n", path, err.buf);
	strbuf_release(&err);
}

static struct perfdata_dump *dump_of(const struct perfdata_jit *j, uint32_t pid)
{
	const uint32_t *number = j->nr ? table_get(&j->by_pid, pid, 0) : NULL;

	return number ? &j->dumps[*number - 1] : NULL;
}

uint32_t perfdata_jit_state(const struct perfdata_jit *j, uint32_t pid, uint64_t time)
{
	const struct perfdata_dump *d = dump_of(j, pid);

	return d && d->is_timed ? jitdump_passed(d->dump, time) : 0;
}

/* Returns the function at ADDRESS, the last one if times do not tell. */
static uint32_t choose(struct perfdata_dump *d, uint64_t address, uint64_t time)
{
	bool is_timed = d->is_timed && time;
	uint32_t function = jitdump_find(d->dump, address, is_timed ? time : JITDUMP_LATEST);
	uint32_t first = is_timed ? function : jitdump_find(d->dump, address, 0);

	if (first != function)
		d->is_mixed |=
			strcmp(jitdump_name(d->dump, first), jitdump_name(d->dump, function)) != 0;
	return function;
}

uint32_t perfdata_jit_name(struct perfdata_jit *j, uint32_t pid, uint64_t address, uint64_t time,
	struct rec_name *name)
{
	struct perfdata_dump *d = dump_of(j, pid);
	uint32_t function = d ? choose(d, address, time) : JITDUMP_NONE;
	const char *file;

	if (function == JITDUMP_NONE)
		return JITDUMP_NONE;
	*name = (struct rec_name){
		.function = recording_string(j->rec, jitdump_name(d->dump, function)),
		.module = recording_string(j->rec, "[jit]"),
		.offset = address - jitdump_start(d->dump, function),
		.line = jitdump_line(d->dump, function, address, &file),
	};
	if (name->line && *file)
		name->file = recording_string(j->rec, file);
	else
		name->line = 0;
	return d->first + function;
}

void perfdata_jit_note(struct perfdata_jit *j)
{
	for (size_t i = 0; i < j->nr; i++)
		if (j->dumps[i].is_mixed)
			strbuf_addf(j->notes,
				"'%s' has several functions at one address, and the last one is "
				"shown: record with perf record -k mono\n",
				j->dumps[i].path);
}
