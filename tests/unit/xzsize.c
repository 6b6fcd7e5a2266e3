/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inflated sizes of xz streams, and .gnu_debugdata that inflates to too much. */
#include "symbol/elf/xzsize.h"
#include "symbol/elf/debugfile.h"
#include "symbol/elf/inflated.h"
#include "symbol_test.h"
#include "tiny_elf.h"

enum { MIB = 1 << 20 };

/* Checks that no truncated part of it has a size. */
static void check_cut(const char *bytes, size_t len, size_t index)
{
	for (size_t n = 0; n < index; n += 1 + n / 50)
		assert_true(xzsize(bytes, n) == UINT64_MAX);
	assert_true(xzsize(bytes, len) != UINT64_MAX);
}

static void check_packed(const char *options, size_t size)
{
	char *path = in_dir("packed.xz");
	size_t len;

	run("{ cat %s; head -c %d /dev/zero; } | head -c %zu | xz %s >%s", self, MIB, size, options,
		path);
	char *bytes = read_file(path, &len);

	assert_true(xzsize(bytes, len) == size);
	/* the index and the bytes after it have at most 32 bytes for each block */
	check_cut(bytes, len, len > 64 ? len - 64 : 0);
	free(bytes);
	free(path);
}

static void test_sizes(void **state)
{
	static const char *const options[] = {"", "-0", "-9e", "--check=none", "--check=sha256",
		"--check=crc32", "--x86 --lzma2", "--block-size=1MiB", "-T2 --block-size=1MiB",
		"--lzma2=preset=0,mode=fast,mf=hc3,nice=2,dict=4KiB"};

	(void)state;
	need("xz");
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		check_packed(options[i], 1);
		check_packed(options[i], 77777);
		check_packed(options[i], MIB + 1);
	}
	check_packed("", 0);
}

static void test_not_xz(void **state)
{
	static const char other[64] = "\xfd"
				      "7zXZ";

	(void)state;
	assert_true(xzsize("", 0) == UINT64_MAX);
	assert_true(xzsize("\x1f\x8b", 2) == UINT64_MAX);
	/* magic, flags and checksum, then an index: no block at all */
	assert_true(xzsize(other, 12) == UINT64_MAX);
	assert_true(xzsize(other, 13) == 0);
	assert_false(inflated_xz_is_sane("\x5d", 2)); /* .lzma, which libdw also takes */
}

/* Makes a file whose .gnu_debugdata is the first MIB of this program followed by zeros. */
static struct elffile *open_with_zeros(unsigned mib)
{
	struct tiny_section sections[TINY_SECTIONS] = {
		{".text", "text", 4}, {".gnu_debugdata", NULL, 0}};
	struct strbuf image = STRBUF_INIT;
	char *path = in_dir("zeros.xz");

	run("{ cat %s; head -c %uM /dev/zero; } | xz -0 >%s", self, mib, path);
	char *packed = read_file(path, &sections[1].size);

	sections[1].data = packed;
	tiny_elf(&image, sections);
	struct elffile *elf = elffile_open_memory(image.buf, image.len);
	struct elffile *embedded = debugfile_open_embedded(elf);

	elffile_close(elf);
	strbuf_release(&image);
	free(packed);
	free(path);
	return embedded;
}

static void test_embedded(void **state)
{
	char *small = in_dir("small");
	char own[sizeof(self)];

	(void)state;
	need("xz objcopy");
	/* without parts that hardly compress */
	run("objcopy -S -K main %s %s", self, small);
	strcpy(own, self);
	strcpy(self, small);
	struct elffile *embedded = open_with_zeros(1);

	assert_non_null(embedded);
	elffile_close(embedded);
	assert_null(open_with_zeros(60));
	strcpy(self, own);
	free(small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_not_xz),
		cmocka_unit_test(test_embedded),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
