/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of symbols that are cached on disk. */
#include "lib/folder.h"
#include "symbol/elf/elffile.h"
#include "symbol/elf/symimage.h"
#include "symbol/elf/symstore.h"
#include "symbol/elf/symtab.h"
#include "symbol_test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

enum { MANY = 9000, STRIDE = 64, OUTER = 48, INNER = 16, INNER_SIZE = 8, CODE = 0x1000 };
enum { SHDRS = 4 };

static int fd_of(const struct elffile *elf)
{
	return elf ? elffile_fd(elf) : -1;
}

static bool is_of(int fd, int elf, int debug)
{
	struct symimage_origin origins[2];

	symstore_origin(elf, &origins[0]);
	symstore_origin(debug, &origins[1]);
	return symstore_is_of(fd, &origins[0], &origins[1]);
}

/* Makes a program of N functions, each OUTER bytes long and followed by a gap, each with a function
 * of INNER_SIZE bytes in it; TAG is in their names. */

static void make_elf(struct strbuf *sb, int n, const char *tag)
{
	struct strbuf syms = STRBUF_INIT, names = STRBUF_INIT;
	Elf64_Ehdr ehdr = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_shoff = sizeof(ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SHDRS,
	};
	Elf64_Shdr shdr[SHDRS] = {
		{.sh_type = SHT_NULL},
		{.sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = CODE},
		{.sh_type = SHT_SYMTAB, .sh_link = 3, .sh_entsize = sizeof(Elf64_Sym)},
		{.sh_type = SHT_STRTAB},
	};

	strbuf_addch(&names, '\0');
	for (int i = n - 1; i >= 0; i--)
		for (int k = 0; k < 2; k++) {
			Elf64_Sym sym = {
				.st_name = (uint32_t)names.len,
				.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				.st_shndx = 1,
				.st_value = CODE + (uint64_t)i * STRIDE + (k ? INNER : 0),
				.st_size = k ? INNER_SIZE : OUTER,
			};

			strbuf_add(&syms, &sym, sizeof(sym));
			strbuf_addf(&names, "%s_%s_%d%c", k ? "inner" : "outer", tag, i, '\0');
		}
	shdr[1].sh_size = (uint64_t)n * STRIDE;
	shdr[2].sh_offset = sizeof(ehdr) + sizeof(shdr);
	shdr[2].sh_size = syms.len;
	shdr[3].sh_offset = shdr[2].sh_offset + syms.len;
	shdr[3].sh_size = names.len;
	strbuf_add(sb, &ehdr, sizeof(ehdr));
	strbuf_add(sb, shdr, sizeof(shdr));
	strbuf_add(sb, syms.buf, syms.len);
	strbuf_add(sb, names.buf, names.len);
	strbuf_release(&syms);
	strbuf_release(&names);
}

static char *write_elf(const char *name, int n, const char *tag)
{
	struct strbuf sb = STRBUF_INIT;
	char *path = in_dir(name);

	make_elf(&sb, n, tag);
	write_file(path, sb.buf, sb.len);
	strbuf_release(&sb);
	return path;
}

static struct elffile *open_elf(const char *path)
{
	struct elffile *elf = path ? elffile_open(path, NULL) : NULL;

	assert_true(!path || elf);
	return elf;
}

static int empty_file(void)
{
	int fd = memfd_create("store", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void expect(struct symtab *tab, uint64_t at, const char *tag, int n)
{
	uint64_t i = at / STRIDE, in = at % STRIDE;
	bool inner = in >= INNER && in < INNER + INNER_SIZE;
	bool found = at < (uint64_t)n * STRIDE && in < OUTER;
	struct symtab_hit hit;
	char name[64];

	if (symtab_find(tab, CODE + at, &hit) != found)
		fail_msg("0x%lx: %s", at, found ? "no name" : hit.name);
	if (!found)
		return;
	snprintf(name, sizeof(name), "%s_%s_%lu", inner ? "inner" : "outer", tag, i);
	assert_int_equal(hit.name_len, strlen(name));
	assert_memory_equal(hit.name, name, hit.name_len);
	assert_int_equal(hit.start, CODE + i * STRIDE + (inner ? INNER : 0));
	assert_false(hit.plt);
}

static void expect_all(struct symtab *tab, const char *tag, int n)
{
	uint64_t end = (uint64_t)n * STRIDE + 2 * STRIDE;

	for (uint64_t at = 0; at < end; at += 5)
		expect(tab, at, tag, n);
	for (uint64_t at = end; at > 300; at -= 300)
		expect(tab, at, tag, n);
	for (int i = 0; i < 20000; i++)
		expect(tab, random_below(end), tag, n);
	for (uint64_t at = 0, step = 1; at < end; at += step++)
		expect(tab, at, tag, n);
	expect(tab, -(uint64_t)1 - CODE, tag, n);
}

/* Returns the table that reading the files PATH and DEBUG (or NULL) writes, or -1 if none is
 * written. */
static int keep(const char *path, const char *debug_path)
{
	struct elffile *elf = open_elf(path), *debug = open_elf(debug_path);
	struct symstore store = {.in = -1, .out = empty_file()};
	struct symtab *tab = symtab_new(elf, debug, &store);
	struct stat st;

	assert_false(store.used);
	assert_int_equal(fstat(store.out, &st), 0);
	if (store.written)
		assert_true(is_of(store.out, fd_of(elf), fd_of(debug)));
	else
		assert_int_equal(st.st_size, 0);
	symtab_free(tab);
	elffile_close(elf);
	elffile_close(debug);
	if (store.written)
		return store.out;
	close(store.out);
	return -1;
}

/*
 * Returns whether the table of these files comes from IN; either way it has the functions of TAG.
 */
static bool is_used(int in, const char *path, const char *debug_path, const char *tag)
{
	struct elffile *elf = open_elf(path), *debug = open_elf(debug_path);
	struct symstore store = {.in = in, .out = -1};
	struct symtab *tab = symtab_new(elf, debug, &store);
	enum symtab_source source = debug ? SYMTAB_DEBUG : SYMTAB_OWN;

	assert_false(store.written);
	assert_true(!store.used || is_of(in, fd_of(elf), fd_of(debug)));
	assert_int_equal(symtab_source(tab), source);
	for (int i = 0; i < 1000; i++)
		expect(tab, random_below((MANY + 1) * STRIDE), tag, MANY);
	symtab_free(tab);
	elffile_close(elf);
	elffile_close(debug);
	return store.used;
}

static void test_kept(void **state)
{
	char *few = write_elf("few", 100, "x"), *many = write_elf("many", MANY, "x");
	struct elffile *elf = open_elf(many);
	int fd = keep(many, NULL);

	(void)state;
	assert_int_equal(keep(few, NULL), -1);
	assert_true(fd >= 0);
	struct symstore store = {.in = fd, .out = -1};
	struct symtab *made = symtab_new(elf, NULL, NULL), *kept = symtab_new(elf, NULL, &store);

	assert_true(store.used);
	expect_all(made, "x", MANY);
	expect_all(kept, "x", MANY);
	symtab_free(made);
	symtab_free(kept);
	elffile_close(elf);
	close(fd);
	free(few);
	free(many);
}

/* A file without symbols of its own that is not worth keeping, and its debug file. */
static void test_debug_file(void **state)
{
	char *none = write_elf("none", 0, ""), *many = write_elf("debug", MANY, "d");
	int fd = keep(none, many), alone = keep(NULL, many);

	(void)state;
	assert_true(fd >= 0 && alone >= 0);
	assert_true(is_used(fd, none, many, "d"));
	assert_true(is_used(alone, NULL, many, "d"));
	assert_false(is_used(fd, NULL, many, "d"));
	assert_false(is_used(alone, none, many, "d"));
	assert_false(is_used(fd, many, NULL, "d"));
	assert_int_equal(keep(none, NULL), -1);
	close(fd);
	close(alone);
	free(none);
	free(many);
}

/* Only the very same file counts, whatever its owner does to make another file look like it. */
static void test_other_file(void **state)
{
	char *path = write_elf("file", MANY, "a"), *other = write_elf("other", MANY, "b");
	int fd = keep(path, NULL);
	struct stat st, now;

	(void)state;
	assert_true(is_used(fd, path, NULL, "a"));
	assert_int_equal(stat(path, &st), 0);
	struct timespec times[2] = {st.st_atim, st.st_mtim};

	assert_int_equal(utimensat(AT_FDCWD, other, times, 0), 0);
	assert_false(is_used(fd, other, NULL, "b"));
	/* other bytes of the same size in the same file, with the old file's time */
	do {
		free(write_elf("file", MANY, "b"));
		assert_int_equal(stat(path, &now), 0);
	} while (now.st_ctim.tv_sec == st.st_ctim.tv_sec &&
		 now.st_ctim.tv_nsec == st.st_ctim.tv_nsec); /* file systems have coarse clocks */
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_false(is_used(fd, path, NULL, "b"));
	close(fd);
	/* another file in its place */
	fd = keep(path, NULL);
	run("cp -p '%s/other' '%s/copy' && mv '%s/copy' '%s'", dir, dir, dir, path);
	assert_false(is_used(fd, path, NULL, "b"));
	struct elffile *elf = open_elf(path), *second = open_elf(other);

	assert_false(is_of(fd, fd_of(elf), fd_of(NULL)));
	close(fd);
	fd = keep(path, NULL);
	assert_true(is_of(fd, fd_of(elf), fd_of(NULL)));
	assert_false(is_of(fd, fd_of(second), fd_of(NULL)));
	assert_true(is_of(fd, fd_of(elf), fd_of(second))); /* it was not needed */
	assert_false(is_of(fd, fd_of(NULL), fd_of(elf)));
	elffile_close(elf);
	elffile_close(second);
	close(fd);
	fd = empty_file();
	assert_false(is_of(fd, fd_of(NULL), fd_of(NULL)));
	close(fd);
	free(path);
	free(other);
}

/* Code without a file cannot be recognised again. */
static void test_in_memory(void **state)
{
	char *path = write_elf("file", MANY, "a");
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	make_elf(&sb, MANY, "m");
	struct elffile *elf = elffile_open_memory(sb.buf, sb.len);
	struct symstore store = {.in = keep(path, NULL), .out = empty_file()};
	struct symtab *tab = symtab_new(elf, NULL, &store);
	struct stat st;

	expect_all(tab, "m", MANY);
	assert_false(store.used || store.written || is_of(store.in, fd_of(elf), fd_of(NULL)));
	assert_int_equal(fstat(store.out, &st), 0);
	assert_int_equal(st.st_size, 0);
	symtab_free(tab);
	elffile_close(elf);
	strbuf_release(&sb);
	close(store.in);
	close(store.out);
	free(path);
}

/* An incomplete write is reported. */
static void test_no_room(void **state)
{
	char *path = write_elf("file", MANY, "a");
	struct elffile *elf = open_elf(path);
	struct symstore store = {.in = -1, .out = open("/dev/full", O_RDWR)};

	(void)state;
	assert_true(store.out >= 0);
	symtab_free(symtab_new(elf, NULL, &store));
	assert_false(store.written);
	close(store.out);
	elffile_close(elf);
	free(path);
}

/* Overlapping names take memory many times: at most a multiple of the file's size. */
static void test_overlapping_names(void **state)
{
	enum { N = 2000, LONG = 1 << 16 };
	struct strbuf sb = STRBUF_INIT;
	struct symtab_hit hit;

	(void)state;
	make_elf(&sb, N, "x");
	Elf64_Shdr *shdr = (Elf64_Shdr *)(sb.buf + sizeof(Elf64_Ehdr));
	Elf64_Sym *syms = (Elf64_Sym *)(sb.buf + shdr[2].sh_offset);
	Elf64_Word at = (Elf64_Word)shdr[3].sh_size;

	/* the first N of them */
	for (Elf64_Word i = 0; i < N; i++)
		syms[i].st_name = at + i;
	shdr[3].sh_size += LONG;
	for (int i = 1; i < LONG; i++)
		strbuf_addch(&sb, 'y');
	strbuf_addch(&sb, '\0');
	struct elffile *elf = elffile_open_memory(sb.buf, sb.len);
	struct symtab *tab = symtab_new(elf, NULL, NULL);

	/* the names are in descending order */
	assert_true(symtab_find(tab, CODE + (N - 1) * STRIDE, &hit));
	assert_int_equal(hit.name_len, LONG - 1);
	assert_false(symtab_find(tab, CODE, &hit));
	assert_false(symtab_find(tab, CODE + N / 2 * STRIDE, &hit));
	symtab_free(tab);
	elffile_close(elf);
	strbuf_release(&sb);
}

/* One run: prepares, reads, keeps. Returns whether the table was there before. */
static bool run_with_cache(const char *path, const char *build_id, const char *other)
{
	struct elffile *elf = open_elf(path), *judged = open_elf(other ? other : path);
	struct symstore store;

	symstore_prepare(&store, build_id);
	struct symtab *tab = symtab_new(elf, NULL, &store);

	expect_all(tab, "a", MANY);
	symtab_free(tab);
	struct symimage_origin origin, none = {0};

	symstore_origin(elffile_fd(judged), &origin);
	symstore_keep(&store, build_id, &origin, &none);
	if (store.written)
		assert_int_equal(pwrite(store.out, "x", 1, 0), -1);
	bool used = store.used;

	symstore_release(&store);
	elffile_close(elf);
	elffile_close(judged);
	return used;
}

static void test_cache(void **state)
{
	char *path = write_elf("file", MANY, "a"), *other = write_elf("other", MANY, "a");
	char *id = xasprintf("deadbeef%08x%016lx", getpid(), time(NULL));
	char *folder = folder_cache(), *kept = xasprintf("%s/%s.names", folder, id);

	(void)state;
	assert_false(run_with_cache(path, id, other));
	assert_int_equal(access(kept, F_OK), -1);
	assert_false(run_with_cache(path, id, NULL));
	assert_int_equal(access(kept, F_OK), 0);
	assert_true(run_with_cache(path, id, NULL));
	assert_false(run_with_cache(other, id, NULL));
	assert_true(run_with_cache(other, id, NULL));
	assert_int_equal(unlink(kept), 0);
	free(path);
	free(other);
	free(id);
	free(folder);
	free(kept);
}

/* ---- damage ---- */

static unsigned char *read_image(int fd, size_t *size)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	*size = (size_t)st.st_size;
	unsigned char *bytes = xmalloc(*size);

	assert_int_equal(pread(fd, bytes, *size, 0), *size);
	return bytes;
}

static int file_of(const void *bytes, size_t size)
{
	int fd = empty_file();

	assert_int_equal(write_whole(fd, bytes, size), 0);
	return fd;
}

static bool opens(const void *bytes, size_t size)
{
	struct symimage image;
	int fd = file_of(bytes, size);
	bool open = !symimage_open(&image, fd);

	assert_true(open == !!image.bytes);
	symimage_release(&image);
	close(fd);
	return open;
}

static void test_damaged(void **state)
{
	char *path = write_elf("file", MANY, "a");
	int fd = keep(path, NULL);
	size_t size;
	unsigned char *bytes = read_image(fd, &size);

	(void)state;
	assert_true(opens(bytes, size));
	for (size_t i = 0; i < 400; i++) {
		size_t at = i < sizeof(struct symimage_header) ? i : random_below(size);

		bytes[at] ^= 1 << i % 8;
		assert_false(opens(bytes, size));
		bytes[at] ^= 1 << i % 8;
	}
	for (int i = 0; i < 50; i++) /* pages that were never written */
		assert_false(opens(bytes, random_below(size)));
	memset(bytes + size / 8192 * 4096, 0, 4096);
	assert_false(opens(bytes, size));
	close(fd);
	fd = file_of(bytes, size);
	assert_false(is_used(fd, path, NULL, "a"));
	close(fd);
	free(bytes);
	free(path);
}

/* Sets a right checksum if the image has room for one. */
static void seal(unsigned char *bytes, size_t size)
{
	struct symimage_header *header = (struct symimage_header *)bytes;

	if (header->names + header->parts * sizeof(struct symimage_part) == size - sizeof(*header))
		header->checksum = symimage_checksum(header, header + 1);
}

/* Parts that are valid by themselves, but do not fit the header. */
static void test_wrong_headers(void **state)
{
	struct {
		struct symimage_header header;
		char names[16];
		struct symimage_part parts[2];
	} image = {.names = "\0a\0b", .parts = {{CODE, 1, 0}, {CODE + 1, 3, 1}}}, good;
	struct symimage_hit hit;
	struct symimage opened;
	uint64_t last = 0;

	(void)state;
	char *path = write_elf("file", MANY, "a");
	int fd = keep(path, NULL);

	assert_int_equal(pread(fd, &image.header, sizeof(image.header), 0), sizeof(image.header));
	close(fd);
	image.header.names = sizeof(image.names);
	image.header.parts = ARRAY_LEN(image.parts);
	good = image;
	seal((void *)&image, sizeof(image));
	fd = file_of(&image, sizeof(image));
	assert_int_equal(symimage_open(&opened, fd), 0);
	assert_true(symimage_find(&opened, CODE + 5, &last, &hit));
	assert_string_equal(hit.name, "b");
	assert_int_equal(hit.start, CODE + 1);
	symimage_release(&opened);
	close(fd);
#define EXPECT_REFUSED(change)                                                                     \
	image = good;                                                                              \
	change;                                                                                    \
	seal((void *)&image, sizeof(image));                                                       \
	assert_false(opens(&image, sizeof(image)))
	EXPECT_REFUSED(image.header.magic++);
	EXPECT_REFUSED(image.header.version++);
	EXPECT_REFUSED(image.names[sizeof(image.names) - 1] = 'x');
	EXPECT_REFUSED((image.header.names = 0, image.header.parts = 3));
	EXPECT_REFUSED((image.header.names = -(uint64_t)32, image.header.parts = 5));
	EXPECT_REFUSED(image.header.parts += 1ul << 60);
#undef EXPECT_REFUSED
	free(path);
}

/* A complete image may contain anything. */
static size_t use_forged(unsigned char *bytes, size_t size)
{
	struct symimage image;
	size_t found = 0;

	seal(bytes, size);
	int fd = file_of(bytes, size);

	if (!symimage_open(&image, fd)) {
		struct symimage_hit hit;
		uint64_t last = 0;

		for (int i = 0; i < 100; i++)
			if (symimage_find(&image, CODE + random_below(40 * STRIDE), &last, &hit))
				found += strlen(hit.name) < size;
		symimage_release(&image);
	}
	close(fd);
	return found;
}

static void forge(unsigned char *bytes, size_t size)
{
	static const uint64_t values[] = {0, 1, 7, UINT32_MAX, UINT64_MAX, INT64_MAX, 1ul << 60};
	uint64_t value = values[random_below(ARRAY_LEN(values))];
	size_t width = random_below(2) ? 4 : 8, at;

	if (random_below(4))
		at = sizeof(struct symimage_header) + random_below(size);
	else
		at = random_below(sizeof(struct symimage_header));
	at = at / width * width;
	if (random_below(2))
		value += random_below(size);
	if (at <= size - width)
		memcpy(bytes + at, &value, width);
}

static void test_forged(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct symimage image;
	size_t found = 0;

	(void)state;
	char *path = write_elf("file", MANY, "a");
	int fd = keep(path, NULL);

	assert_int_equal(symimage_open(&image, fd), 0);
	/* a small image: the last names and the first parts */
	struct symimage_header header = *image.header;
	size_t skip = (header.names - 4096) / 8 * 8;

	header.names -= skip;
	header.parts = 200;
	strbuf_add(&sb, &header, sizeof(header));
	strbuf_add(&sb, image.bytes + sizeof(header) + skip,
		header.names + header.parts * sizeof(struct symimage_part));
	symimage_release(&image);
	close(fd);
	struct symimage_part *parts = (void *)(sb.buf + sizeof(header) + header.names);

	for (size_t i = 0; i < header.parts; i++)
		parts[i].name = parts[i].name ? 1 + (uint32_t)i : 0;
	assert_true(use_forged((void *)sb.buf, sb.len) > 0);
	for (int i = 0; i < 5000; i++) {
		unsigned char *copy = xmalloc(sb.len);

		memcpy(copy, sb.buf, sb.len);
		for (uint64_t k = random_below(8) + 1; k; k--)
			forge(copy, sb.len);
		found += use_forged(copy, sb.len);
		free(copy);
	}
	printf("# %zu names in 5000 forged images\n", found);
	assert_true(found > 0);
	strbuf_release(&sb);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_debug_file),
		cmocka_unit_test(test_other_file),
		cmocka_unit_test(test_in_memory),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_overlapping_names),
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_wrong_headers),
		cmocka_unit_test(test_forged),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
