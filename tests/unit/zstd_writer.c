/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/compress/decompress.h"
#include "lib/compress/zstd_writer.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { SIZE = 3 << 20 };

/* Half of it repeats itself, the other half cannot be compressed. */
static char *make_data(void)
{
	char *data = xmalloc(SIZE);

	for (size_t i = 0; i < SIZE; i++)
		data[i] = (char)(i & (1 << 16) ? hash_u64(i) : i % 7);
	return data;
}

static void write_in_pieces(FILE *out, const char *data, size_t size)
{
	FILE *stream = zstd_writer(out);

	assert_non_null(stream);
	for (size_t at = 0, n = 1; at < size; at += n, n = n * 3 % 70001) {
		if (n > size - at)
			n = size - at;
		assert_int_equal(fwrite(data + at, 1, n, stream), n);
	}
	assert_int_equal(fclose(stream), 0);
	assert_int_equal(fflush(out), 0);
}

static void check_data(FILE *in, const char *data, size_t size)
{
	char *got = xmalloc(size + 1), magic[DECOMPRESS_MAGIC];
	size_t nr = 0;
	ssize_t n;

	rewind(in);
	lseek(fileno(in), 0, SEEK_SET);
	assert_int_equal(read(fileno(in), magic, sizeof(magic)), sizeof(magic));
	struct decompress *d = decompress_new(fileno(in), magic, sizeof(magic));

	assert_non_null(d);
	while (nr <= size && (n = decompress_read(d, got + nr, size + 1 - nr)) > 0)
		nr += (size_t)n;
	assert_null(decompress_damage(d));
	assert_int_equal(nr, size);
	assert_memory_equal(got, data, size);
	decompress_free(d);
	free(got);
}

static void zstd_writer__read_back(void **state)
{
	char *data = make_data();

	(void)state;
	for (size_t size = SIZE; size; size = size > 1 ? 1 : 0) {
		FILE *file = tmpfile();

		assert_non_null(file);
		write_in_pieces(file, data, size);
		assert_true(size < SIZE || ftell(file) < SIZE * 6 / 10);
		check_data(file, data, size);
		fclose(file);
	}
	free(data);
}

static void zstd_writer__full_disk(void **state)
{
	FILE *full = fopen("/dev/full", "w"), *stream = zstd_writer(full);
	char *data = make_data();

	(void)state;
	assert_non_null(stream);
	fwrite(data, 1, SIZE, stream);
	assert_true(fclose(stream) || fflush(full));
	assert_true(ferror(full));
	fclose(full);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zstd_writer__read_back),
		cmocka_unit_test(zstd_writer__full_disk),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
