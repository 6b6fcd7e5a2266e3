/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwind tables: search, files, damage, cache. */
#include "unwind/rows.h"
#include "unwind/table_cache.h"
#include "unwind_test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* ---- search ---- */

struct row {
	uint64_t start;
	struct unwind_rule rule;
};

static struct unwind_rule random_rule(void)
{
	if (!random_below(16))
		return (struct unwind_rule)NONE;
	return (struct unwind_rule)REG(SP, 8 * (int32_t)random_below(100));
}

/* Makes rows of up to GAP bytes each. Returns the end of the last one. */
static uint64_t make_rows(struct unwind_rows *rows, struct row *list, size_t n, uint64_t gap)
{
	uint64_t at = random_below(1 << 30) << 10;

	unwind_rows_init(rows);
	for (size_t i = 0; i < n; i++) {
		uint64_t end = at + 1 + random_below(gap);

		list[i] = (struct row){at, random_rule()};
		/* ranges without a rule need not be added */
		if (list[i].rule.cfa != UNWIND_CFA_NONE || !i || i == n - 1)
			unwind_rows_add(rows, at, end, &list[i].rule);
		at = end;
	}
	return at;
}

static void check_rows(size_t n, uint64_t gap)
{
	struct row *list = xcalloc(n, sizeof(*list));
	struct unwind_rows rows;
	struct unwind_table table;
	uint64_t end = make_rows(&rows, list, n, gap);

	assert_int_equal(unwind_rows_finish(&rows, "", &table, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		uint64_t last = (i + 1 < n ? list[i + 1].start : end) - 1;

		assert_true(is_rule(&table, list[i].start, list[i].rule));
		assert_true(is_rule(&table, last, list[i].rule));
		assert_true(is_rule(&table, list[i].start + random_below(last - list[i].start + 1),
			list[i].rule));
	}
	assert_true(is_rule(&table, list[0].start - 1, nothing));
	assert_true(is_rule(&table, end, nothing));
	assert_true(is_rule(&table, 0, nothing));
	assert_true(is_rule(&table, UINT64_MAX, nothing));
	unwind_table_release(&table);
	unwind_rows_release(&rows);
	free(list);
}

static void test_search(void **state)
{
	(void)state;
	for (size_t n = 1; n < 50; n++)
		check_rows(n, n % 2 ? 10 : 200000);
	check_rows(UNWIND_FANOUT, 3);
	check_rows(UNWIND_FANOUT + 1, 3);
	check_rows(4000, 1000000);
	check_rows(100000, 100);
	check_rows(1200000, 100);
}

static void test_extent(void **state)
{
	static const struct unwind_rule deeper = REG(SP, 16);
	const uint64_t base = 0x7000, gib4 = 1ULL << 32;
	struct strbuf err = STRBUF_INIT;
	struct unwind_rows rows;
	struct unwind_table table;

	(void)state;
	unwind_rows_init(&rows);
	assert_int_equal(unwind_rows_finish(&rows, "", &table, NULL), -1);
	unwind_rows_add(&rows, base, base + 1, &plain);
	unwind_rows_add(&rows, base + gib4 - 3, base + gib4 - 2, &deeper);
	assert_int_equal(unwind_rows_finish(&rows, "", &table, NULL), 0);
	assert_true(is_rule(&table, base, plain));
	assert_true(is_rule(&table, base + 1, nothing));
	assert_true(is_rule(&table, base + gib4 - 4, nothing));
	assert_true(is_rule(&table, base + gib4 - 3, deeper));
	assert_true(is_rule(&table, base + gib4 - 2, nothing));
	unwind_table_release(&table);
	unwind_rows_add(&rows, base + gib4, base + gib4 + 1, &plain);
	assert_int_equal(unwind_rows_finish(&rows, "", &table, &err), -1);
	assert_non_null(strstr(err.buf, "too far apart"));
	unwind_rows_release(&rows);
	strbuf_release(&err);
}

/* One rule more than there are numbers. */
static void test_many_rules(void **state)
{
	struct unwind_rule rule = plain;
	struct unwind_rows rows;
	struct unwind_table table;

	(void)state;
	unwind_rows_init(&rows);
	for (int32_t i = 0; i <= 65536 - UNWIND_RULE_FIRST; i++) {
		rule.offset = i;
		unwind_rows_add(&rows, (uint64_t)i * 4, (uint64_t)i * 4 + 4, &rule);
	}
	assert_int_equal(unwind_rows_finish(&rows, "", &table, NULL), 0);
	assert_int_equal(table.header->nr_rules, 65536);
	assert_int_equal(table.header->nr_unsupported, 1);
	assert_true(is_rule(&table, (65536 - UNWIND_RULE_FIRST) * 4, nothing));
	rule.offset--;
	assert_true(is_rule(&table, (65535 - UNWIND_RULE_FIRST) * 4, rule));
	unwind_table_release(&table);
	unwind_rows_release(&rows);
}

/* ---- files ---- */

static void make_table(struct unwind_table *table, size_t n, const char *build_id)
{
	struct row *list = xcalloc(n, sizeof(*list));
	struct unwind_rows rows;

	make_rows(&rows, list, n, 100);
	assert_int_equal(unwind_rows_finish(&rows, build_id, table, NULL), 0);
	unwind_rows_release(&rows);
	free(list);
}

static int open_table(struct unwind_table *table, const void *data, size_t size)
{
	int fd = memfd_create("table", MFD_CLOEXEC), ret;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	ret = unwind_table_open(table, fd, "00112233");
	close(fd);
	return ret;
}

static void test_damaged_tables(void **state)
{
	struct unwind_table table, again;

	(void)state;
	make_table(&table, 100, "00112233");
	assert_int_equal(open_table(&again, table.blocks, table.size), 0);
	assert_true(again.mapped && again.size == table.size);
	assert_memory_equal(again.blocks, table.blocks, table.size);
	unwind_table_release(&again);
	unsigned char *copy = xmalloc(table.size + 1);

	memcpy(copy, table.blocks, table.size);
	for (size_t i = 0; i <= table.size + 1; i++)
		if (i != table.size)
			assert_int_equal(open_table(&again, copy, i), -1);
	for (size_t i = 0; i < table.size; i += i < 256 ? 1 : 37) {
		copy[i] ^= (unsigned char)(1 << random_below(8));
		assert_int_equal(open_table(&again, copy, table.size), -1);
		copy[i] = table.blocks[i];
	}
	assert_int_equal(open_table(&again, copy, table.size), 0);
	unwind_table_release(&again);
	free(copy);
	unwind_table_release(&table);
	make_table(&table, 100, "00112234");
	assert_int_equal(open_table(&again, table.blocks, table.size), -1);
	unwind_table_release(&table);
}

/* Looks up without the checks of unwind_table_open, and with the checks that a right checksum
 * passes. */
static void test_wrong_tables(void **state)
{
	size_t opened = 0;
	struct unwind_table table, again;

	(void)state;
	make_table(&table, 3000, "00112233");
	for (int i = 0; i < 2000; i++) {
		unsigned char *copy = xmalloc(table.size);
		struct unwind_header *header = (struct unwind_header *)copy;

		memcpy(copy, table.blocks, table.size);
		for (uint64_t k = random_below(6); k < 6; k++)
			copy[random_below(k % 2 ? sizeof(*header) : table.size)] =
				(unsigned char)random_below(256);
		find_many(&(struct unwind_table){
			.header = (const struct unwind_header *)(const void *)copy,
			.blocks = copy,
			.size = table.size});
		header->magic = UNWIND_MAGIC;
		header->checksum = unwind_table_checksum(copy, table.size);
		if (!open_table(&again, copy, table.size)) {
			opened++;
			find_many(&again);
		}
		unwind_table_release(&again);
		free(copy);
	}
	printf("# %zu of 2000 wrong tables opened\n", opened);
	unwind_table_release(&table);
}

/* ---- cache ---- */

static bool is_cached(const char *build_id)
{
	struct unwind_table table;
	bool cached = !unwind_cache_get(dir, build_id, &table);

	assert_true(cached == !!table.blocks);
	unwind_table_release(&table);
	return cached;
}

static void cache_table(const char *build_id)
{
	struct unwind_table table;

	make_table(&table, 100, build_id);
	unwind_cache_put(dir, &table);
	unwind_table_release(&table);
}

static void test_cache(void **state)
{
	static const char id[] = "0123456789abcdef";
	char *path = in_dir("0123456789abcdef.unwind");
	struct unwind_table table, again;
	struct stat st;

	(void)state;
	assert_false(is_cached(id));
	make_table(&table, 100, id);
	unwind_cache_put(dir, &table);
	unwind_cache_put(dir, &table);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(unwind_cache_get(dir, id, &again), 0);
	assert_int_equal(again.size, table.size);
	assert_memory_equal(again.blocks, table.blocks, table.size);
	unwind_table_release(&again);
	/* neither may crash */
	unwind_cache_put("/no/where", &table);
	unwind_cache_put(dir, &again);
	assert_int_equal(unwind_cache_get("/no/where", id, &again), -1);
	unwind_table_release(&table);
	/* damaged, and repaired */
	assert_int_equal(truncate(path, 4096), 0);
	assert_false(is_cached(id));
	cache_table(id);
	assert_true(is_cached(id));
	assert_int_equal(unlink(path), 0);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_search),
		cmocka_unit_test(test_extent),
		cmocka_unit_test(test_many_rules),
		cmocka_unit_test(test_damaged_tables),
		cmocka_unit_test(test_wrong_tables),
		cmocka_unit_test(test_cache),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
