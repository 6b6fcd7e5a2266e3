/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/compress/gzip.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/export/export.h"
#include "input/pprof.pb-c.h"
#include "view/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <cmocka.h>

static uint32_t add_frame(struct profile *p, enum frame_kind kind, const char *name,
	const char *module, const char *source)
{
	struct frame frame = {
		.name = strpool_adds(&p->names, name),
		.module = strpool_adds(&p->names, module),
		.source = strpool_adds(&p->names, source),
		.kind = kind,
	};

	return profile_add_frame(p, &frame);
}

static void check_name(enum frame_kind kind, const char *name, const char *source, const char *want)
{
	struct strbuf text = STRBUF_INIT;
	struct profile p;

	profile_init(&p);
	export_name(&p, add_frame(&p, kind, name, "", source), &text);
	assert_string_equal(text.buf, want);
	strbuf_release(&text);
	profile_release(&p);
}

static void export_name__leaves_out_the_source(void **state)
{
	(void)state;
	check_name(FRAME_USER, "f", "", "f");
	check_name(FRAME_USER, "f a.c:1", "a.c:1", "f");
	check_name(FRAME_USER, "f a.c:1", "", "f a.c:1");
	check_name(FRAME_USER, "f", "a.c:1", "f"); /* not shown yet */
	check_name(FRAME_USER, "a.c:1", "a.c:1", "a.c:1");
	check_name(FRAME_INLINE, "f", "", "f");
	check_name(FRAME_WAKER, "f", "", "f_[w]");
}

static void check_module(enum frame_kind kind, const char *module, const char *want)
{
	struct profile p;

	profile_init(&p);
	assert_string_equal(export_module(&p, add_frame(&p, kind, "f", module, "")), want);
	profile_release(&p);
}

static void export_module__is_never_unknown_for_the_kernel(void **state)
{
	(void)state;
	check_module(FRAME_USER, "", "");
	check_module(FRAME_USER, "/bin/a", "/bin/a");
	check_module(FRAME_KERNEL, "", "[kernel.kallsyms]");
	check_module(FRAME_KERNEL, "[kernel]", "[kernel.kallsyms]");
	check_module(FRAME_KERNEL, "[nf_tables]", "[nf_tables]");
	check_module(FRAME_JIT, "", "[jit]");
	check_module(FRAME_TASK, "", "");
}

static void check_source(const char *source, const char *file, uint32_t line)
{
	struct profile p;

	profile_init(&p);

	struct export_source s = export_source(&p, add_frame(&p, FRAME_USER, "f", "", source));

	assert_int_equal(s.len, strlen(file));
	assert_memory_equal(s.file, file, s.len);
	assert_int_equal(s.line, line);
	profile_release(&p);
}

static void export_source__has_file_and_line(void **state)
{
	(void)state;
	check_source("", "", 0);
	check_source("a.c:12", "a.c", 12);
	check_source("a:b.c:12", "a:b.c", 12);
	check_source("a.c", "a.c", 0);
	check_source("a.c:", "a.c:", 0);
	check_source("a.c:x", "a.c:x", 0);
	check_source("a.c:4294967295", "a.c", UINT32_MAX);
	check_source("a.c:4294967296", "a.c:4294967296", 0);
}

/* Appends what zlib reads from FILE, and closes FILE. */
static void decompress(FILE *file, struct strbuf *out)
{
	gzFile in;
	char part[1000];
	int n;

	assert_int_equal(fflush(file), 0);
	assert_int_equal(lseek(fileno(file), 0, SEEK_SET), 0);
	in = gzdopen(dup(fileno(file)), "r");
	assert_non_null(in);
	while ((n = gzread(in, part, sizeof(part))) > 0)
		strbuf_add(out, part, (size_t)n);
	assert_int_equal(n, 0);
	assert_int_equal(gzclose(in), Z_OK);
	fclose(file);
}

static void gzip__comes_back(void **state)
{
	enum { SIZE = 300000 };
	unsigned char *data = xmalloc(SIZE);
	struct strbuf back = STRBUF_INIT;
	FILE *file = tmpfile();
	struct gzip g;

	(void)state;
	assert_non_null(file);
	for (size_t i = 0; i < SIZE; i++)
		data[i] = (unsigned char)hash_u64(i);
	assert_int_equal(gzip_init(&g, file, NULL), 0);
	gzip_add(&g, data, 0);
	gzip_add(&g, data, 1);
	gzip_add(&g, data + 1, SIZE - 1);
	gzip_finish(&g);
	decompress(file, &back);
	assert_int_equal(back.len, SIZE);
	assert_memory_equal(back.buf, data, SIZE);
	strbuf_release(&back);
	free(data);
}

static Pprof__Profile *export_pprof(struct profile *p)
{
	struct strbuf bytes = STRBUF_INIT, err = STRBUF_INIT;
	FILE *file = tmpfile();

	assert_non_null(file);
	profile_finish(p);
	assert_int_equal(view_pprof(p, file, &err), 0);
	assert_string_equal(err.buf, "");
	decompress(file, &bytes);

	Pprof__Profile *profile =
		pprof__profile__unpack(NULL, bytes.len, (const uint8_t *)bytes.buf);

	assert_non_null(profile);
	strbuf_release(&bytes);
	return profile;
}

static const char *function_of(const Pprof__Profile *profile, uint64_t location, size_t line)
{
	const Pprof__Location *l = profile->location[location - 1];

	assert_int_equal(l->id, location);
	assert_in_range(line, 0, l->n_line - 1);

	const Pprof__Function *f = profile->function[l->line[line]->function_id - 1];

	return profile->string_table[f->name];
}

static void view_pprof__joins_inlined_calls(void **state)
{
	struct profile p;

	(void)state;
	profile_init(&p);

	const uint32_t stack[] = {
		add_frame(&p, FRAME_INLINE, "lost", "/bin/a", ""), /* inlined into nothing */
		add_frame(&p, FRAME_USER, "main", "/bin/a", ""),
		add_frame(&p, FRAME_INLINE, "outer", "/bin/a", ""),
		add_frame(&p, FRAME_INLINE, "inner", "/bin/a", ""),
		add_frame(&p, FRAME_INLINE, "foreign", "/bin/b", ""), /* into another file */
	};

	profile_add(&p, stack, ARRAY_LEN(stack), 5);
	profile_add(&p, stack, 3, 2);

	Pprof__Profile *profile = export_pprof(&p);
	const Pprof__Sample *samples[] = {profile->sample[0], profile->sample[1]};

	assert_int_equal(profile->n_sample, 2);
	assert_int_equal(samples[0]->value[0], 2);
	assert_int_equal(samples[0]->n_location_id, 2);
	assert_string_equal(function_of(profile, samples[0]->location_id[0], 0), "outer");
	assert_string_equal(function_of(profile, samples[0]->location_id[0], 1), "main");
	assert_string_equal(function_of(profile, samples[0]->location_id[1], 0), "lost");
	assert_int_equal(samples[1]->value[0], 5);
	assert_int_equal(samples[1]->n_location_id, 3);
	assert_string_equal(function_of(profile, samples[1]->location_id[0], 0), "foreign");
	assert_string_equal(function_of(profile, samples[1]->location_id[1], 0), "inner");
	assert_string_equal(function_of(profile, samples[1]->location_id[1], 1), "outer");
	assert_string_equal(function_of(profile, samples[1]->location_id[1], 2), "main");
	pprof__profile__free_unpacked(profile, NULL);
	profile_release(&p);
}

static void view_pprof__puts_the_program_first(void **state)
{
	struct profile p;

	(void)state;
	profile_init(&p);

	const uint32_t stack[] = {
		add_frame(&p, FRAME_USER, "clone3", "/lib/libc.so.6", ""),
		add_frame(&p, FRAME_USER, "work", "/bin/a", ""),
		add_frame(&p, FRAME_KERNEL, "read", "", ""),
	};

	profile_add(&p, stack, ARRAY_LEN(stack), 1);

	Pprof__Profile *profile = export_pprof(&p);
	static const char *const want[] = {"/bin/a", "/lib/libc.so.6", "[kernel.kallsyms]"};

	assert_int_equal(profile->n_mapping, ARRAY_LEN(want));
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		assert_string_equal(profile->string_table[profile->mapping[i]->filename], want[i]);
	pprof__profile__free_unpacked(profile, NULL);
	profile_release(&p);
}

static void view_pprof__knows_units(void **state)
{
	static const char *const units[][3] = {
		{"samples", "samples", "count"},
		{"us", "time", "microseconds"},
		{"ns", "time", "nanoseconds"},
		{"bytes", "space", "bytes"},
		{"cycles", "cycles", "count"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		struct profile p;

		profile_init(&p);
		profile_set(&p.unit, units[i][0]);

		Pprof__Profile *profile = export_pprof(&p);
		const Pprof__ValueType *type = profile->sample_type[0];

		assert_string_equal(profile->string_table[type->type], units[i][1]);
		assert_string_equal(profile->string_table[type->unit], units[i][2]);
		pprof__profile__free_unpacked(profile, NULL);
		profile_release(&p);
	}
}

/* The parts of all samples add up to the total, to the last bit that fits. */
static void view_pprof__keeps_the_sum(void **state)
{
	struct profile p;
	uint64_t sum = 0;

	(void)state;
	profile_init(&p);
	for (uint32_t i = 0; i < 3; i++) {
		char name[] = {(char)('a' + i), '\0'};
		uint32_t frame = add_frame(&p, FRAME_USER, name, "", "");

		profile_add(&p, &frame, 1, UINT64_C(0x5555555555555555));
	}

	Pprof__Profile *profile = export_pprof(&p);

	for (size_t i = 0; i < profile->n_sample; i++)
		sum += (uint64_t)profile->sample[i]->value[0];
	assert_int_equal(sum, INT64_MAX);
	pprof__profile__free_unpacked(profile, NULL);
	profile_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(export_name__leaves_out_the_source),
		cmocka_unit_test(export_module__is_never_unknown_for_the_kernel),
		cmocka_unit_test(export_source__has_file_and_line),
		cmocka_unit_test(gzip__comes_back),
		cmocka_unit_test(view_pprof__joins_inlined_calls),
		cmocka_unit_test(view_pprof__puts_the_program_first),
		cmocka_unit_test(view_pprof__knows_units),
		cmocka_unit_test(view_pprof__keeps_the_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
