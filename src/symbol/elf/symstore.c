/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symstore.h"
#include "elffile.h"
#include "lib/cache.h"
#include "lib/folder.h"
#include "symimage.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PARTS_MIN = 8192, /* fewer are read from the ELF file in half a millisecond */
	CACHE_FILES = 1024,
	CACHE_BYTES = 1 << 30,
	SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL,
};

bool symstore_origin(int fd, struct symimage_origin *origin)
{
	struct stat st;

	*origin = (struct symimage_origin){0};
	if (fd < 0 || fstat(fd, &st))
		return false;
	*origin = (struct symimage_origin){
		.device = st.st_dev,
		.inode = st.st_ino,
		.size = (uint64_t)st.st_size,
		.changed = (uint64_t)st.st_ctim.tv_sec * 1000000000 + (uint64_t)st.st_ctim.tv_nsec,
	};
	return true;
}

struct origins {
	struct symimage_origin elf, debug;
};

static bool read_origins(
	const struct elffile *elf, const struct elffile *debug, struct origins *origins)
{
	*origins = (struct origins){0};
	return (!elf || symstore_origin(elffile_fd(elf), &origins->elf)) &&
	       (!debug || symstore_origin(elffile_fd(debug), &origins->debug));
}

static bool is_of(const struct symimage_header *header, const struct origins *origins)
{
	return !memcmp(&header->elf, &origins->elf, sizeof(header->elf)) &&
	       !memcmp(&header->debug, &origins->debug, sizeof(header->debug));
}

int symstore_get(struct symstore *store, const struct elffile *elf, const struct elffile *debug,
	struct symimage *image)
{
	struct origins origins;

	store->written = false;
	store->used = store->in >= 0 && read_origins(elf, debug, &origins) &&
		      !symimage_open(image, store->in);
	if (store->used && !is_of(image->header, &origins)) {
		symimage_release(image);
		store->used = false;
	}
	return store->used ? 0 : -1;
}

void symstore_put(struct symstore *store, const struct elffile *elf, const struct elffile *debug,
	const struct symimage *image)
{
	struct origins origins;

	store->written = store->out >= 0 && image->header->parts >= PARTS_MIN &&
			 read_origins(elf, debug, &origins) &&
			 !symimage_write(image, store->out, &origins.elf, &origins.debug);
}

static bool is_none(const struct symimage_origin *origin)
{
	static const struct symimage_origin none;

	return !memcmp(origin, &none, sizeof(none));
}

bool symstore_is_of(int fd, const struct symimage_origin *elf, const struct symimage_origin *debug)
{
	struct symimage_header header;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return false;
	if (memcmp(&header.elf, elf, sizeof(header.elf)))
		return false;
	if (is_none(&header.debug))
		return !is_none(&header.elf);
	return !memcmp(&header.debug, debug, sizeof(header.debug));
}

static struct cache cache_in(const char *folder)
{
	return (struct cache){
		.folder = folder, .suffix = ".names", .files = CACHE_FILES, .bytes = CACHE_BYTES};
}

void symstore_prepare(struct symstore *store, const char *build_id)
{
	char *folder = folder_cache();
	struct cache cache = cache_in(folder);

	*store = (struct symstore){
		.in = cache_open(&cache, build_id),
		.out = memfd_create("names", MFD_CLOEXEC | MFD_ALLOW_SEALING),
	};
	free(folder);
}

static int copy_to(int from, int to)
{
	off_t at = 0;
	ssize_t n;

	while ((n = sendfile(to, from, &at, CACHE_BYTES)) > 0)
		;
	return (int)n;
}

void symstore_keep(struct symstore *store, const char *build_id, const struct symimage_origin *elf,
	const struct symimage_origin *debug)
{
	char *folder = folder_cache(), *temporary;
	struct cache cache = cache_in(folder);
	int to = -1;

	/* sealed, so that it cannot change after the check, even if the worker still has it open */
	if (store->out >= 0 && !fcntl(store->out, F_ADD_SEALS, SEALS) &&
		symstore_is_of(store->out, elf, debug))
		to = cache_begin(&cache, build_id, &temporary);
	if (to >= 0 && !copy_to(store->out, to))
		cache_commit(&cache, to, temporary);
	else if (to >= 0)
		cache_drop(to, temporary);
	free(folder);
}

void symstore_release(struct symstore *store)
{
	if (store->in >= 0)
		close(store->in);
	if (store->out >= 0)
		close(store->out);
	*store = (struct symstore){.in = -1, .out = -1};
}
