/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Go's row in the table of sources of labels. */
#include "label/label.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/target.h"
#include "runtime/thread_variable.h"
#include "symbol/elf/elffacts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets the labels of the goroutine. Programs without labels do not have it. */
static const char setter[] = "runtime/pprof.runtime_setProfLabel";

enum {
	VERSION_FIRST = 18, /* of 1.18, from which on files tell the version */
	VERSION_SLICE = 24, /* from which on labels are a slice */
	VERSION_LAST = 27,
	CODE_SIZE = 96, /* bytes of a function that are searched */
};

static const struct label_key keys[] = {
	[GO_LABELS_INSTANCE] = {"instance", false, false},
	[GO_LABELS_ALL] = {"labels", true, true},
	[GO_LABELS_KEYS] = {NULL, false, false},
};

static const char *const places[] = {[GO_LABELS_NONE] = "none", NULL};

/* Asks for the setter in all files at once, as each further question may start a child process. */
static void ask_files(const struct target *t)
{
	struct elf_question *list = xcalloc(t->nr_files, sizeof(*list));

	for (size_t i = 0; i < t->nr_files; i++)
		list[i] = (struct elf_question){t->files[i].elf, FACT_GO_FUNCTION, setter, 0, NULL};
	elffacts_ask(list, t->nr_files);
	free(list);
}

static const struct target_file *go_file(const struct target *t)
{
	struct elf_variable unused;

	ask_files(t);
	for (size_t i = 0; i < t->nr_files; i++)
		if (elffacts_go_function(t->files[i].elf, setter, &unused))
			return &t->files[i];
	return NULL;
}

/*
 * Returns the second number of the version of Go that has made FILE, 19 for 1.19, or 0 if it is not
 * known. It is in the section with facts about the build, see debug/buildinfo.
 */
static unsigned version_of(const struct target *t, const struct target_file *file)
{
	static const char magic[] = "\xff Go buildinf:";
	enum { FLAGS = 15, IS_TEXT = 2, TEXT = 33 };
	uint64_t address, size;
	char info[64] = "";
	unsigned version;

	if (!elffacts_section(file->elf, ".go.buildinfo", &address, &size) ||
		!memory_read(&t->memory, address + file->bias, info, sizeof(info) - 1) ||
		memcmp(info, magic, sizeof(magic) - 1) || !(info[FLAGS] & IS_TEXT) ||
		sscanf(info + TEXT, "go1.%3u", &version) != 1)
		return 0;
	return version;
}

/* Reads CODE of the function NAME. */
static bool read_code(const struct target *t, const struct target_file *file, const char *name,
	unsigned char code[CODE_SIZE])
{
	struct elf_variable function;

	return elffacts_go_function(file->elf, name, &function) &&
	       memory_read(&t->memory, function.address + file->bias, code, CODE_SIZE);
}

static bool is_offset(int32_t value)
{
	return value > 0 && value < 4096;
}

/*
 * Finds the offset of the labels in the goroutine in the code of the setter, which has the
 * goroutine in r14: it stores the labels there or, for the collector of garbage, first loads the
 * old ones.
 */
static bool offset_of_labels(const unsigned char code[CODE_SIZE], uint64_t *offset)
{
	int32_t found = 0;

	for (size_t i = 0; i + 7 <= CODE_SIZE && !found; i++) {
		const unsigned char *c = code + i;
		bool is_move = c[0] == 0x49 && (c[1] == 0x89 || c[1] == 0x8b);

		if (is_move && (c[2] & 0xc7) == 0x86) /* mov with OFFSET(%r14) */
			memcpy(&found, c + 3, sizeof(found));
	}
	*offset = (uint64_t)found;
	return is_offset(found);
}

/*
 * Finds the offsets of the thread in the goroutine, and of its current goroutine in the thread, in
 * the code of gopark: mov THREAD(%r14),%REG; ...; mov CURRENT(%REG),%...
 */
static bool offsets_of_thread(
	const unsigned char code[CODE_SIZE], uint64_t *thread, uint64_t *current)
{
	unsigned reg = 0;
	int32_t found = 0;

	*thread = 0;
	for (size_t i = 0; i + 7 <= CODE_SIZE && !found; i++) {
		const unsigned char *c = code + i;

		if (!*thread && c[0] == 0x49 && c[1] == 0x8b && (c[2] & 0xc7) == 0x46) {
			reg = c[2] >> 3 & 7;
			*thread = c[3];
		} else if (*thread && (c[0] == 0x48 || c[0] == 0x4c) && c[1] == 0x8b &&
			   (c[2] & 0xc7) == (0x80 | reg)) {
			memcpy(&found, c + 3, sizeof(found));
		}
	}
	*current = (uint64_t)found;
	return is_offset(found);
}

/*
 * Finds the path to the current goroutine, from a variable that points to the goroutine that runs,
 * which may be one of the scheduler. Without the C library, and with no other thread-local
 * variables, it is below the thread pointer.
 */
static bool find_layout(
	const struct target *t, const struct target_file *file, struct go_labels_layout *l)
{
	struct pointer_path *path = &l->goroutine;
	unsigned char code[CODE_SIZE];

	if (!thread_variable_path(t, file, "runtime.tlsg", path))
		*path = (struct pointer_path){true, 1, {(uint64_t)-8}};
	path->nr = PATH_STEPS;
	return read_code(t, file, "runtime.gopark", code) &&
	       offsets_of_thread(code, &path->step[1], &path->step[2]) &&
	       read_code(t, file, setter, code) && offset_of_labels(code, &l->labels);
}

static int find(const struct target *t, struct label_layout *layout, struct strbuf *err)
{
	struct go_labels_layout *l = &layout->go_labels;
	const struct target_file *file = go_file(t);

	*layout = (struct label_layout){.kind = LABEL_GO_LABELS};
	if (!file)
		return 1;
	unsigned version = version_of(t, file);

	if (version < VERSION_FIRST || version > VERSION_LAST)
		return fail(err, "'%s' was not made by a known version of Go, 1.%d to 1.%d",
			file->path, VERSION_FIRST, VERSION_LAST);
	if (!find_layout(t, file, l))
		return fail(err, "cannot find out where goroutines have their labels in '%s'",
			file->path);
	l->is_map = version < VERSION_SLICE;
	return 0;
}

static void describe(
	const struct target *t, const struct label_layout *layout, uint32_t pid, struct strbuf *out)
{
	const struct target_file *file = go_file(t);

	(void)layout;
	strbuf_addf(out, "Go 1.%u in '%s' of process %" PRIu32 ", known by its version and code",
		file ? version_of(t, file) : 0, file ? file->path : "?", pid);
}

static int compare_names(const void *a, const void *b)
{
	const struct go_label *const *x = a, *const *y = b;

	return strncmp((*x)->name, (*y)->name, GO_NAME_MAX);
}

/* The order of a map is by chance. */
static void take(const void *names, const struct label_new_set *set, uint32_t bits,
	const struct label_taker *taker)
{
	const struct go_label *list[GO_LABELS_MAX];
	size_t nr = 0;

	(void)names;
	for (size_t i = 0; i < GO_LABELS_MAX && bits >> GO_LABELS_ALL & 1; i++)
		if (*set->texts.go_labels.list[i].name)
			list[nr++] = &set->texts.go_labels.list[i];
	if (nr)
		qsort(list, nr, sizeof(list[0]), compare_names);
	for (size_t i = 0; i < nr; i++)
		label_take_chosen(taker, "go.", list[i]->name, strnlen(list[i]->name, GO_NAME_MAX),
			list[i]->value, strnlen(list[i]->value, GO_VALUE_MAX));
}

const struct label_source go_labels_labels = {
	.name = "go-labels",
	.title = "Go with labels",
	.owner = "the labels that a Go program has set for the goroutine (runtime/pprof)",
	.advice = "give the number of a Go program that sets labels of goroutines",
	.kind = LABEL_GO_LABELS,
	.keys = keys,
	.dotted = GO_LABELS_ALL,
	.process = GO_LABELS_INSTANCE,
	.place = "goroutine",
	.places = places,
	.find = find,
	.describe = describe,
	.file = go_file,
	.take = take,
};
