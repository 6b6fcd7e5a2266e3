/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata_ends.h"
#include "lib/strbuf.h"
#include "lib/table.h"
#include "lib/untrusted/file.h"
#include "lib/util.h"
#include "model/recording.h"
#include "perfdata_files.h"
#include "symbol/elf/elffacts.h"
#include "symbol/names/kallsyms.h"
#include "symbol/names/kernel.h"
#include "symbol/names/perfmap.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- ends ---- */

static bool is_unjudged(const struct rec_stack *stack)
{
	return stack->kind == STACK_USER && stack->end == END_BROKEN && !stack->cut_by && stack->nr;
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
		for (uint32_t k = 0; k < 2 && is_unjudged(&rec->stacks[i]); k++) {
			ALLOC_GROW(list, nr, alloc);
			list[nr] = ask(rec, files, &rec->stacks[i], k);
			nr += list[nr].elf != NULL;
		}
	elffacts_ask(list, nr);
	free(list);
	for (size_t i = 0; i < rec->nr_stacks; i++)
		if (is_unjudged(&rec->stacks[i]))
			set_end(rec, files, &rec->stacks[i]);
}

/* ---- names ---- */

void perfdata_kernel_add(struct perfdata_kernel *k, uint64_t address, uint64_t size, uint32_t name)
{
	ALLOC_GROW(k->list, k->nr, k->alloc);
	k->list[k->nr++] = (struct perfdata_ksymbol){address, size, name};
}

static int compare_ksymbols(const void *a, const void *b)
{
	const struct perfdata_ksymbol *x = a, *y = b;

	return compare_u64(x->address, y->address);
}

static const struct perfdata_ksymbol *find_ksymbol(
	const struct perfdata_kernel *k, uint64_t address)
{
	size_t low = 0, high = k->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (k->list[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low && address - k->list[low - 1].address < k->list[low - 1].size ? &k->list[low - 1]
										 : NULL;
}

/*
 * Whether the running kernel is the recorded one. Without a build-id, as in pipes and compressed
 * files, it is if the machine and the release have the same names, and the address is the same.
 */
static bool is_running(const struct recording *rec, const struct perfdata_kernel *k)
{
	const char *host = recording_meta(rec, "host");
	struct recording running;
	struct utsname uts;
	bool same;

	if (!rec->kernel_build_id)
		return host && !uname(&uts) && !strcmp(host, uts.nodename) &&
		       !strcmp(recording_get(rec, rec->kernel_release), uts.release) && k->text;
	recording_init(&running);
	kernel_describe(&running, "/sys");
	same = !strcmp(recording_get(&running, running.kernel_build_id),
		recording_get(rec, rec->kernel_build_id));
	recording_release(&running);
	return same;
}

/* Returns the symbols that perf has kept in its cache of files, or NULL. */
static struct kallsyms *cached_symbols(const struct recording *rec)
{
	const char *build_id = recording_get(rec, rec->kernel_build_id), *home = getenv("HOME");
	struct kallsyms *ks;
	char *path;

	if (!home || !*build_id)
		return NULL;
	path = xasprintf("%s/.debug/[kernel.kallsyms]/%s/kallsyms", home, build_id);
	ks = kallsyms_read(path, NULL);
	free(path);
	return ks;
}

/*
 * Returns the symbols of the recorded kernel, or NULL. *SHIFT is what is added to the addresses of
 * the recorded kernel to find its functions there.
 */
static struct kallsyms *symbols_of(
	const struct recording *rec, const struct perfdata_kernel *k, uint64_t *shift, bool *same)
{
	struct kallsyms *ks = is_running(rec, k) ? kallsyms_new(NULL) : NULL;

	*same = ks;
	if (!ks)
		ks = cached_symbols(rec);
	*shift = ks ? kallsyms_text(ks) - k->text : 0;
	if (!rec->kernel_build_id && *shift) { /* it was another boot, perhaps of another build */
		kallsyms_free(ks);
		return NULL;
	}
	return ks;
}

static void name_kernel_frame(struct recording *rec, uint32_t frame,
	const struct perfdata_kernel *k, const struct kallsyms *ks, uint64_t shift)
{
	uint64_t at = rec->frames[frame].addr - rec->frames[frame].call;
	const struct perfdata_ksymbol *own = find_ksymbol(k, at);
	const char *name, *module;
	struct rec_name n = {0};

	if (own) {
		n.function = own->name;
		n.module = recording_string(rec, "[bpf]");
		n.offset = at - own->address;
	} else if (ks && kallsyms_find(ks, at + shift, &name, &module, &n.offset)) {
		n.function = recording_string(rec, name);
		n.module = recording_string(rec, module);
	} else {
		return;
	}
	n.offset += rec->frames[frame].call;
	recording_name_frame(rec, frame, &n, 1);
}

static void name_kernel(struct recording *rec, struct perfdata_kernel *k, struct strbuf *notes)
{
	bool any = false, same;
	struct kallsyms *ks;
	uint64_t shift = 0;

	for (size_t i = 0; i < rec->nr_frames && !any; i++)
		any = rec->frames[i].kind == FRAME_KERNEL && rec->frames[i].place == AT_ADDRESS;
	if (!any)
		return;
	ks = k->text ? symbols_of(rec, k, &shift, &same) : NULL;
	if (!ks)
		strbuf_adds(notes, "the kernel's functions have no names: view it on the machine "
				   "that recorded, as root, or bring perf's ~/.debug from there\n");
	else if (same)
		rec->kernel_text = kallsyms_text(ks);
	if (k->nr)
		qsort(k->list, k->nr, sizeof(*k->list), compare_ksymbols);
	for (size_t i = 0; i < rec->nr_frames; i++)
		if (rec->frames[i].kind == FRAME_KERNEL && rec->frames[i].place == AT_ADDRESS)
			name_kernel_frame(rec, (uint32_t)i, k, ks, shift);
	kallsyms_free(ks);
}

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

static void name_memory(struct recording *rec)
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

void perfdata_name(struct recording *rec, struct perfdata_kernel *k, struct strbuf *notes)
{
	name_kernel(rec, k, notes);
	name_memory(rec);
}
