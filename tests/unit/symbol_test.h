/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Common functions of the tests of src/symbol: a folder, this program and its libc as objects,
 * judges. */
#ifndef TESTS_UNIT_SYMBOL_TEST_H
#define TESTS_UNIT_SYMBOL_TEST_H

#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/elf/elffile_internal.h"
#include "symbol/resolve.h"

#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[] = "/tmp/symbol-test-XXXXXX";
static char self[4096];
static const char perl[] = "/usr/bin/perl";
static char libc_path[4096];

static uint64_t random_state = 1302;

static inline uint64_t random_below(uint64_t n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 24) % n;
}

static inline char *in_dir(const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

static inline void write_file(const char *path, const void *data, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static inline char *read_file(const char *path, size_t *len)
{
	struct strbuf sb = STRBUF_INIT;
	FILE *f = fopen(path, "r");
	char buf[65536];
	size_t n;

	assert_non_null(f);
	while ((n = fread(buf, 1, sizeof(buf), f)))
		strbuf_add(&sb, buf, n);
	fclose(f);
	*len = sb.len;
	return strbuf_detach(&sb);
}

/* Skips the test if one of WORDS is not a program or file of this machine. */
static inline void need(const char *words)
{
	char *cmd = xasprintf("for w in %s; do command -v $w >/dev/null || exit 1; done", words);
	int status = system(cmd);

	free(cmd);
	if (status) {
		printf("# skipped, not here: one of %s\n", words);
		skip();
	}
}

static inline void run(const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	assert_int_equal(system(sb.buf), 0);
	strbuf_release(&sb);
}

/* Returns the file offset of ADDRESS from the program headers, or 0 if there is none. */
static inline uint64_t offset_of(struct elffile *elf, uint64_t address)
{
	GElf_Phdr phdr;
	size_t n;

	assert_int_equal(elf_getphdrnum(elffile_elf(elf), &n), 0);
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elffile_elf(elf), (int)i, &phdr) && phdr.p_type == PT_LOAD &&
			address >= phdr.p_vaddr && address < phdr.p_vaddr + phdr.p_filesz)
			return address - phdr.p_vaddr + phdr.p_offset;
	return 0;
}

static inline uint64_t own_offset(struct elffile *elf, const void *function)
{
	extern const char __executable_start[];

	return offset_of(elf, (uint64_t)((const char *)function - __executable_start));
}

static inline int find_libc(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	if (strstr(info->dlpi_name, "libc.so") && !realpath(info->dlpi_name, libc_path))
		libc_path[0] = '\0';
	return 0;
}

static inline int set_up(void **state)
{
	(void)state;
	dl_iterate_phdr(find_libc, NULL);
	return readlink("/proc/self/exe", self, sizeof(self) - 1) < 0 || !mkdtemp(dir) ||
	       !libc_path[0];
}

static inline int tear_down(void **state)
{
	char *cmd = xasprintf("rm -rf '%s'", dir);
	int ret = system(cmd);

	(void)state;
	free(cmd);
	return ret;
}

#endif
