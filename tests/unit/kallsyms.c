/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's names from /proc/kallsyms, made-up and real, and as the kernel tells them when
 * asked. */
#include "engine/bpf/kernel_names.h"
#include "symbol/names/kallsyms.h"
#include "symbol_test.h"

#include <bpf/libbpf.h>

static struct kallsyms *kallsyms_of(const char *text, struct strbuf *err)
{
	char *path = in_dir("kallsyms");
	FILE *f = fopen(path, "w");
	struct kallsyms *ks;

	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	ks = kallsyms_read(path, err);
	free(path);
	return ks;
}

static void expect_ksym(const struct kallsyms *ks, uint64_t at, const char *expect,
	const char *expect_module, uint64_t expect_offset)
{
	const char *name, *module;
	uint64_t offset;

	if (!kallsyms_find(ks, at, &name, &module, &offset)) {
		assert_null(expect);
		return;
	}
	assert_non_null(expect);
	assert_string_equal(name, expect);
	assert_string_equal(module, expect_module);
	assert_int_equal(offset, expect_offset);
}

static void test_kallsyms(void **state)
{
	struct kallsyms *ks = kallsyms_of("0000000000000100 A per_cpu_thing\n"
					  "ffffffff81000200 T second\n"
					  "ffffffff81000100 T _stext\n"
					  "ffffffff810000f0 T _text\n"
					  "ffffffff81000100 T first\n"
					  "ffffffff81000100 T a_second_name\n"
					  "ffffffff81000200 t __pfx_second\n"
					  "ffffffff81000300 D data\n"
					  "nonsense\n"
					  "ffffffff81000400 t last\n"
					  "ffffffff81000500 T _etext\n"
					  "ffffffffc0001000 t nft_do\t[nf_tables]\n"
					  "ffffffffc0200000 t other\t[other]\n"
					  "ffffffffc0200000 t _stext\t[other]\n"
					  "ffffffffc0300000 t cut off",
		NULL);

	(void)state;
	assert_non_null(ks);
	assert_int_equal(kallsyms_text(ks), 0xffffffff81000100);
	assert_int_equal(kallsyms_start(ks), 0xffffffff810000f0);
	expect_ksym(ks, 0x100, NULL, NULL, 0);
	expect_ksym(ks, 0xffffffff810000ef, NULL, NULL, 0);
	expect_ksym(ks, 0xffffffff810000ff, NULL, NULL, 0);
	expect_ksym(ks, 0xffffffff81000100, "first", "[kernel]", 0);
	expect_ksym(ks, 0xffffffff81000234, "second", "[kernel]", 0x34);
	expect_ksym(ks, 0xffffffff81000300, NULL, NULL, 0);
	expect_ksym(ks, 0xffffffff81000401, "last", "[kernel]", 1);
	expect_ksym(ks, 0xffffffff81000500, NULL, NULL, 0);
	expect_ksym(ks, 0xffffffffc0001010, "nft_do", "[nf_tables]", 0x10);
	expect_ksym(ks, 0xffffffffc01fffff, NULL, NULL, 0);
	expect_ksym(ks, 0xffffffffc0200001, "other", "[other]", 1);
	expect_ksym(ks, UINT64_MAX, NULL, NULL, 0);
	kallsyms_free(ks);
	kallsyms_free(NULL);
}

static void test_kallsyms_hidden(void **state)
{
	struct strbuf err = STRBUF_INIT;

	(void)state;
	assert_null(kallsyms_of("0000000000000000 T first\n0000000000000000 t x\t[m]\n", &err));
	assert_non_null(strstr(err.buf, "kptr_restrict"));
	strbuf_reset(&err);
	assert_null(kallsyms_of("", &err));
	assert_non_null(strstr(err.buf, "no symbols"));
	assert_null(kallsyms_read("/no/where", NULL));
	strbuf_release(&err);
}

/* Every function of the running kernel has an entry with its address. */
static void test_kallsyms_running(void **state)
{
	struct strbuf err = STRBUF_INIT;
	struct kallsyms *ks = kallsyms_new(&err);
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[1024], type, name[1000];
	const char *found, *module;
	uint64_t at, offset;
	size_t n = 0;

	(void)state;
	if (!ks) {
		printf("# skipped: %s\n", err.buf);
		strbuf_release(&err);
		if (f)
			fclose(f);
		skip();
	}
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx %c %999s", &at, &type, name) != 3 || !strchr("tT", type) ||
			strstr(name, "etext") || strstr(name, "einittext") ||
			strstr(line, "[bpf]")) /* BPF programs come and go */
			continue;
		if (!kallsyms_find(ks, at, &found, &module, &offset) || offset)
			fail_msg("not found: %s", line);
		n++;
	}
	printf("# %zu functions found\n", n);
	fclose(f);
	kallsyms_free(ks);
}

static void describe(void *texts, uint64_t address, struct strbuf *text)
{
	const char *const *list = texts;

	assert_in_range(address, 0x1000, 0x1003);
	strbuf_adds(text, list[address - 0x1000]);
}

static void test_kallsyms_ask(void **state)
{
	static const uint64_t addresses[] = {0x1000, 0x1001, 0x1002, 0x1003};
	/* the first function has the second address, too; the third text tells of no function */
	static const char *const texts[] = {
		"first+0x10/0x12", "not asked", "0xffffffff81000100", "a.b+c+0x0/0x20 [module]"};
	struct kallsyms *ks = kallsyms_ask(addresses, 4, describe, (void *)(uintptr_t)texts);

	(void)state;
	expect_ksym(ks, 0xfef, NULL, NULL, 0);
	expect_ksym(ks, 0xff0, "first", "[kernel]", 0);
	expect_ksym(ks, 0x1001, "first", "[kernel]", 0x11);
	expect_ksym(ks, 0x1002, NULL, NULL, 0);
	expect_ksym(ks, 0x1022, "a.b+c", "[module]", 0x1f);
	expect_ksym(ks, 0x1023, NULL, NULL, 0);
	kallsyms_free(ks);
}

/* BPF programs and trampolines come and go. */
static bool is_lasting(const char *module)
{
	return strcmp(module, "[bpf]") != 0 && strncmp(module, "[__builtin__", 12) != 0;
}

/* The kernel tells the names that its file has, in modules, too. */
static void test_kernel_names(void **state)
{
	enum { EACH = 50, MAX = 1 << 16 };
	bool can =
		libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_snprintf, NULL) > 0;
	struct kallsyms *file = can ? kallsyms_new(NULL) : NULL, *asked;
	const char *name, *module;
	size_t nr = 0, named = 0;
	uint64_t *list, at, offset;

	(void)state;
	if (!file)
		skip();
	list = xcalloc(MAX, sizeof(*list));
	for (at = kallsyms_text(file); at && nr < MAX; at = kallsyms_next(file, at))
		if (kallsyms_find(file, at + 1, &name, &module, &offset) && is_lasting(module) &&
			!(named++ % EACH))
			list[nr++] = at + 2;
	assert_true(kernel_names_can_ask());
	asked = kernel_names_ask(list, nr);
	assert_non_null(asked);
	assert_int_equal(kallsyms_text(asked), kallsyms_text(file));
	for (size_t i = 0; i < nr; i++) {
		assert_true(kallsyms_find(file, list[i] - 1, &name, &module, &offset));
		expect_ksym(asked, list[i] - 1, name, module, offset);
	}
	printf("# %zu functions asked for\n", nr);
	kallsyms_free(asked);
	kallsyms_free(file);
	free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kallsyms),
		cmocka_unit_test(test_kallsyms_hidden),
		cmocka_unit_test(test_kallsyms_running),
		cmocka_unit_test(test_kallsyms_ask),
		cmocka_unit_test(test_kernel_names),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
