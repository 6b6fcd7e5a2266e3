/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata_ends.h"
#include "lib/table.h"
#include "lib/untrusted/file.h"
#include "lib/util.h"
#include "model/recording.h"
#include "perfdata_files.h"
#include "symbol/elf/elffacts.h"
#include "symbol/names/perfmap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- ends ---- */

static bool is_unjudged(const struct recording *rec, const struct rec_stack *stack)
{
	const char *by = recording_get(rec, stack->cut_by);

	return stack->kind == STACK_USER && stack->end == END_BROKEN && stack->nr &&
	       (!*by || !strcmp(by, cut_word(BROKEN_CHAIN)));
}

/* Returns the frame that is NUMBER frames from the root of STACK. */
static const struct rec_frame *frame_at(
	const struct recording *rec, const struct rec_stack *stack, uint32_t number)
{
	return &rec->frames[rec->frame_refs[stack->first + stack->nr - 1 - number]];
}

/* Returns the file of F, opened, or NULL if it is in none. */
static const struct perfdata_file *file_of(
	const struct recording *rec, struct perfdata_files *files, const struct rec_frame *f)
{
	const struct rec_map *map = f->place == AT_MAP ? &rec->maps[f->map] : NULL;
	const uint32_t *at =
		map ? table_get(&files->by_name, (uint64_t)map->path << 32, map->build_id) : NULL;

	return at ? perfdata_files_open(files, *at) : NULL;
}

/*
 * Asks for the unwind rules of F, or with IN_MAIN whether it is in main. The question has no file
 * if that cannot be told.
 */
static struct elf_question question_of(const struct recording *rec, struct perfdata_files *files,
	const struct rec_frame *f, bool in_main)
{
	const struct perfdata_file *file = file_of(rec, files, f);
	struct elf_question q = {.elf = file ? file->elf : NULL, .fact = FACT_RULES};
	const struct rec_map *map = q.elf ? &rec->maps[f->map] : NULL;
	uint64_t link;

	if (!q.elf)
		return q;
	q.place = f->addr - f->call + map->offset;
	if (!in_main)
		return q;
	q.fact = FACT_MAIN;
	if (!elffile_mapped(q.elf, map->offset, map->end - map->start, &link))
		q.elf = NULL;
	q.place = link + f->addr - f->call;
	return q;
}

/* Returns the question that NUMBER of STACK's last two frames answers. */
static struct elf_question ask(const struct recording *rec, struct perfdata_files *files,
	const struct rec_stack *stack, uint32_t number)
{
	return number < stack->nr ? question_of(rec, files, frame_at(rec, stack, number), number)
				  : (struct elf_question){0};
}

static void set_end(struct recording *rec, struct perfdata_files *files, struct rec_stack *stack)
{
	struct elf_question rules = ask(rec, files, stack, 0), in_main = ask(rec, files, stack, 1);
	enum elf_rules known = rules.elf ? elffacts_rules(rules.elf, rules.place) : RULES_NONE;
	const struct rec_frame *last = frame_at(rec, stack, 0);
	const struct perfdata_file *file = file_of(rec, files, last);

	if (known == RULES_ROOT || (in_main.elf && elffacts_is_main(in_main.elf, in_main.place))) {
		stack->end = END_ROOT;
		stack->cut_by = 0;
	} else if (last->place == AT_MAP && known == RULES_NONE) {
		char *text = file ? cut_text(file->gap, recording_get(rec, file->path))
				  : xstrdup("[anonymous]");

		stack->end = END_CUT;
		stack->cut_by = recording_string(rec, text);
		free(text);
	}
}

void perfdata_judge(struct recording *rec, struct perfdata_files *files)
{
	struct elf_question *list = NULL;
	size_t nr = 0, alloc = 0;

	for (size_t i = 0; i < rec->nr_stacks; i++)
		for (uint32_t k = 0; k < 2 && is_unjudged(rec, &rec->stacks[i]); k++) {
			ALLOC_GROW(list, nr, alloc);
			list[nr] = ask(rec, files, &rec->stacks[i], k);
			nr += list[nr].elf != NULL;
		}
	elffacts_ask(list, nr);
	free(list);
	for (size_t i = 0; i < rec->nr_stacks; i++)
		if (is_unjudged(rec, &rec->stacks[i]))
			set_end(rec, files, &rec->stacks[i]);
}

/* ---- names ---- */

/* Opens the perf map of PID if its owner is trusted with it. */
static int open_perfmap(uint32_t pid)
{
	char *path = xasprintf("/tmp/perf-%u.map", pid);
	int fd = file_open(path);
	struct stat st;

	free(path);
	if (fd >= 0 && !fstat(fd, &st) && (!st.st_uid || st.st_uid == geteuid()))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* A frame in memory. */
struct memory_frame {
	uint32_t pid, frame;
	uint64_t address;
};

static int compare_memory(const void *a, const void *b)
{
	const struct memory_frame *x = a, *y = b;

	return x->pid == y->pid ? compare_u64(x->address, y->address) : compare_u64(x->pid, y->pid);
}

static void name_process(struct recording *rec, const struct memory_frame *list, size_t nr, int fd)
{
	uint64_t *addresses = xcalloc(nr, sizeof(*addresses));

	for (size_t i = 0; i < nr; i++)
		addresses[i] = list[i].address;
	struct perfmap *map = perfmap_read(fd, addresses, nr);

	for (size_t i = 0; i < nr; i++) {
		struct rec_name n = {.module = recording_string(rec, "[jit]")};
		const char *function;

		if (!perfmap_find(map, i, &function, &n.offset))
			continue;
		n.function = recording_string(rec, function);
		n.offset += rec->frames[list[i].frame].call;
		rec->frames[list[i].frame].kind = FRAME_JIT;
		recording_name_frame(rec, list[i].frame, &n, 1);
	}
	perfmap_free(map);
	free(addresses);
}

void perfdata_name_memory(struct recording *rec)
{
	struct memory_frame *list = xcalloc(rec->nr_frames + 1, sizeof(*list));
	size_t nr = 0, end;

	for (size_t i = 0; i < rec->nr_frames; i++) {
		const struct rec_frame *f = &rec->frames[i];
		const struct rec_map *map = f->place == AT_MAP ? &rec->maps[f->map] : NULL;

		if (map && !f->nr_names && recording_is_memory(recording_get(rec, map->path)) &&
			!map->build_id)
			list[nr++] = (struct memory_frame){
				map->pid, (uint32_t)i, map->start + f->addr - f->call};
	}
	qsort(list, nr, sizeof(*list), compare_memory);
	for (size_t i = 0; i < nr; i = end) {
		int fd = open_perfmap(list[i].pid);

		for (end = i + 1; end < nr && list[end].pid == list[i].pid; end++)
			;
		if (fd < 0)
			continue;
		name_process(rec, list + i, end - i, fd);
		close(fd);
	}
	free(list);
}
