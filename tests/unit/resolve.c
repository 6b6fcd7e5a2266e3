/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The naming of a whole recording. */
#include "symbol/elf/elffile.h"
#include "symbol_test.h"

#include <sys/auxv.h>

/* Adds the mapping of ADDRESS in this process; REPLACE_ID replaces its build-id. */
static uint32_t map_of(struct recording *rec, const void *address, const char *replace_id,
	const char *replace_path, uint64_t *inside)
{
	FILE *f = fopen("/proc/self/maps", "r");
	uint64_t start = 0, end = 0, offset = 0;
	char line[4096 + 256], path[4096] = "";
	struct elffile *elf;

	while (fgets(line, sizeof(line), f)) {
		path[0] = '\0';
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4095[^\n]", &start, &end, &offset,
			    path) < 3)
			continue;
		if ((uint64_t)address >= start && (uint64_t)address < end)
			break;
	}
	fclose(f);
	*inside = (uint64_t)address - start;
	elf = elffile_open(path, NULL);
	struct rec_map map = {
		.pid = 1,
		.start = start,
		.end = end,
		.offset = offset,
		.path = recording_string(rec, replace_path ? replace_path : path),
		.build_id = recording_string(rec, replace_id ? replace_id
						  : elf      ? elffile_build_id(elf)
							     : NULL),
	};

	elffile_close(elf);
	return recording_add_map(rec, &map);
}

static uint32_t frame_at(struct recording *rec, uint32_t map, uint64_t inside, bool call)
{
	struct rec_frame frame = {
		.kind = FRAME_USER,
		.place = AT_MAP,
		.call = call,
		.map = map,
		.addr = inside,
	};

	return recording_add_frame(rec, &frame);
}

static void expect_name(const struct recording *rec, uint32_t frame, const char *name)
{
	const struct rec_frame *f = &rec->frames[frame];

	assert_int_equal(f->nr_names, 1);
	assert_string_equal(recording_get(rec, rec->names[f->names].function), name);
}

static void expect_frame(
	const struct recording *rec, uint32_t frame, const char *name, uint64_t offset)
{
	const struct rec_frame *f = &rec->frames[frame];

	assert_int_equal(f->nr_names, name ? 1 : 0);
	if (!name)
		return;
	assert_string_equal(recording_get(rec, rec->names[f->names].function), name);
	assert_int_equal(rec->names[f->names].offset, offset);
	assert_int_equal(rec->names[f->names].module, 0);
}

static void test_resolve(void **state)
{
	struct symbol_options options = {0};
	struct strbuf notes = STRBUF_INIT;
	struct recording rec;
	uint64_t own, libc;

	(void)state;
	recording_init(&rec);
	uint32_t own_map = map_of(&rec, (void *)test_resolve, NULL, NULL, &own);
	uint32_t libc_map = map_of(&rec, (void *)strtoul, NULL, NULL, &libc);
	uint32_t wrong_map = map_of(&rec, (void *)strtoul, "0123456789", NULL, &libc);
	uint32_t no_id_map = map_of(&rec, (void *)strtoul, "", NULL, &libc);
	uint32_t deleted_map = map_of(&rec, (void *)strtoul, "", "/bin/sh (deleted)", &libc);
	uint32_t gone_map = map_of(&rec, (void *)strtoul, "", "/no/where", &libc);
	uint32_t heap_map = map_of(&rec, (void *)strtoul, "", "[heap]", &libc);
	uint32_t exact = frame_at(&rec, own_map, own, false);
	uint32_t inside = frame_at(&rec, own_map, own + 3, true);
	uint32_t before = frame_at(&rec, own_map, own, true);
	uint32_t strtoul_frame = frame_at(&rec, libc_map, libc + 1, true);
	uint32_t wrong = frame_at(&rec, wrong_map, libc, false);
	uint32_t no_id = frame_at(&rec, no_id_map, libc, false);
	uint32_t unnamed[] = {
		frame_at(&rec, deleted_map, libc, false),
		frame_at(&rec, gone_map, libc, false),
		frame_at(&rec, heap_map, libc, false),
		frame_at(&rec, libc_map, UINT64_MAX, true),
		frame_at(&rec, libc_map, 1ull << 40, true),
	};

	symbol_resolve(&rec, &options, NULL, &notes);
	expect_frame(&rec, exact, "test_resolve", 0);
	expect_frame(&rec, inside, "test_resolve", 3);
	expect_frame(&rec, strtoul_frame, "strtoul", 1);
	expect_frame(&rec, no_id, "strtoul", 0);
	expect_frame(&rec, wrong, NULL, 0);
	for (size_t i = 0; i < ARRAY_LEN(unnamed); i++)
		expect_frame(&rec, unnamed[i], NULL, 0);
	if (rec.frames[before].nr_names)
		assert_string_not_equal(
			recording_get(&rec, rec.names[rec.frames[before].names].function),
			"test_resolve");
	assert_non_null(strstr(notes.buf, "is not the file that was recorded"));
	assert_non_null(strstr(notes.buf, "'/no/where' is missing"));
	assert_null(strstr(notes.buf, "deleted"));
	assert_null(strstr(notes.buf, "heap"));
	/* all names that can be found are set: a second run adds nothing */
	size_t nr_names = rec.nr_names;

	symbol_resolve(&rec, &options, NULL, &notes);
	assert_int_equal(rec.nr_names, nr_names);
	recording_release(&rec);
	strbuf_release(&notes);
}

/* Code that a library has compiled has no name but what its caller tells. */
static void test_resolve_compiled(void **state)
{
	struct symbol_options options = {0};
	struct strbuf notes = STRBUF_INIT;
	struct recording rec;
	uint64_t inside;

	(void)state;
	recording_init(&rec);
	uint32_t memory = map_of(&rec, (void *)strtoul, "", "", &inside);
	uint32_t library = map_of(&rec, (void *)strtoul, "", "/no/libpcre2-8.so.0", &inside);
	uint32_t frames[] = {
		frame_at(&rec, memory, inside, false), frame_at(&rec, library, inside, true)};

	recording_add_stack(&rec, STACK_USER, END_ROOT, 0, frames, 2);
	symbol_resolve(&rec, &options, NULL, &notes);
	expect_name(&rec, frames[0], "[pcre jit]");
	recording_release(&rec);
	strbuf_release(&notes);
}

static void test_resolve_root(void **state)
{
	struct symbol_options options = {.root = dir};
	struct strbuf notes = STRBUF_INIT;
	struct recording rec;
	uint64_t own;
	struct elffile *elf = elffile_open(self, NULL);
	char *copy = in_dir("program");

	(void)state;
	assert_int_equal(elffile_copy(elf, copy, 0, NULL), 0);
	elffile_close(elf);
	recording_init(&rec);
	uint32_t map = map_of(&rec, (void *)test_resolve_root, NULL, "/program", &own);
	uint32_t frame = frame_at(&rec, map, own + 1, true);

	symbol_resolve(&rec, &options, NULL, &notes);
	expect_frame(&rec, frame, "test_resolve_root", 1);
	assert_string_equal(notes.buf, "");
	recording_release(&rec);
	strbuf_release(&notes);
	free(copy);
}

static void test_resolve_vdso(void **state)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)image;
	struct symbol_options options = {0};
	struct strbuf notes = STRBUF_INIT;
	struct recording rec;
	uint64_t inside;

	(void)state;
	if (!image)
		skip();
	struct elffile *elf = elffile_open_memory(
		image, ehdr->e_shoff + (size_t)ehdr->e_shnum * ehdr->e_shentsize);
	GElf_Shdr text;

	assert_non_null(elf);
	assert_non_null(elffile_section(elffile_elf(elf), ".text", &text));
	recording_init(&rec);
	uint32_t ours = map_of(&rec, image, elffile_build_id(elf), "[vdso]", &inside);
	uint32_t other = map_of(&rec, image, "0123456789", NULL, &inside);
	size_t named = 0;

	for (uint64_t at = text.sh_offset; at < text.sh_offset + text.sh_size; at += 16)
		frame_at(&rec, ours, at, false);
	uint32_t nr_ours = (uint32_t)rec.nr_frames;
	uint32_t foreign = frame_at(&rec, other, text.sh_offset + 16, false);

	symbol_resolve(&rec, &options, NULL, &notes);
	for (uint32_t i = 0; i < nr_ours; i++)
		if (rec.frames[i].nr_names)
			named += !strcmp(
				recording_get(&rec, rec.names[rec.frames[i].names].function),
				"clock_gettime");
	printf("# clock_gettime of the vdso: %zu of %u places\n", named, nr_ours);
	assert_true(named > 0);
	expect_frame(&rec, foreign, NULL, 0);
	assert_string_equal(notes.buf, "");
	recording_release(&rec);
	strbuf_release(&notes);
	elffile_close(elf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resolve),
		cmocka_unit_test(test_resolve_compiled),
		cmocka_unit_test(test_resolve_root),
		cmocka_unit_test(test_resolve_vdso),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
