/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debugfile.h"
#include "elffile.h"
#include "symbol.h"
#include "lib/util.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#define DEBUG_DIR "/usr/lib/debug"

enum { READ_CHUNK = 1 << 18 };

static bool same_checksum(int fd, uint32_t expected)
{
	unsigned char *buf = xmalloc(READ_CHUNK);
	uLong crc = crc32(0, NULL, 0);
	off_t at = 0;
	ssize_t n;

	for (;;) {
		n = pread(fd, buf, READ_CHUNK, at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		crc = crc32(crc, buf, (uInt)n);
		at += n;
	}
	free(buf);
	return !n && crc == expected;
}

/* Takes over PATH. CRC may be NULL: then only the build-id can tell. */
static struct elffile *open_checked(const struct elffile *elf, char *path, const uint32_t *crc)
{
	const char *id = elffile_build_id(elf);
	struct elffile *debug = elffile_open(path, NULL);
	bool ok = false;

	free(path);
	if (!debug)
		return NULL;
	if (*id && *elffile_build_id(debug))
		ok = !strcmp(id, elffile_build_id(debug));
	else if (crc)
		ok = same_checksum(elffile_fd(debug), *crc);
	if (ok)
		return debug;
	elffile_close(debug);
	return NULL;
}

static struct elffile *open_by_id(const struct elffile *elf, const char *root)
{
	const char *id = elffile_build_id(elf);

	if (strlen(id) < 4)
		return NULL;
	return open_checked(
		elf, xasprintf("%s" DEBUG_DIR "/.build-id/%.2s/%s.debug", root, id, id + 2), NULL);
}

static struct elffile *open_by_link(const struct elffile *elf, const char *path, const char *root)
{
	GElf_Word crc_word;
	const char *name = dwelf_elf_gnu_debuglink(elffile_elf(elf), &crc_word);
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) : 0;
	struct elffile *debug;
	uint32_t crc = crc_word;

	/* the file says where to look: only what is a plain name is followed */
	if (!name || !*name || strchr(name, '/') || !slash)
		return NULL;
	debug = open_checked(elf, xasprintf("%s%.*s/%s", root, dir, path, name), &crc);
	if (!debug)
		debug = open_checked(
			elf, xasprintf("%s%.*s/.debug/%s", root, dir, path, name), &crc);
	if (!debug)
		debug = open_checked(
			elf, xasprintf("%s" DEBUG_DIR "%.*s/%s", root, dir, path, name), &crc);
	return debug;
}

struct elffile *debugfile_open(const struct elffile *elf, const char *path, const char *root)
{
	struct elffile *debug = open_by_id(elf, root ? root : "");

	/* what is installed here serves another root as well: the build-id decides */
	if (!debug && root)
		debug = open_by_id(elf, "");
	if (!debug)
		debug = open_by_link(elf, path, root ? root : "");
	return debug;
}

struct elffile *debugfile_open_embedded(const struct elffile *elf)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elffile_section(elffile_elf(elf), ".gnu_debugdata", &shdr);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	size_t done = 0;
	int fd;

	if (!data || !data->d_buf || !data->d_size)
		return NULL;
	fd = memfd_create("debugdata", MFD_CLOEXEC);
	if (fd < 0)
		return NULL;
	while (done < data->d_size) {
		ssize_t n = write(fd, (const char *)data->d_buf + done, data->d_size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	if (done < data->d_size || lseek(fd, 0, SEEK_SET)) {
		close(fd);
		return NULL;
	}
	return elffile_open_compressed(fd);
}

bool debugfile_names_known(const struct elffile *elf, const char *path, const char *root)
{
	GElf_Shdr shdr;

	if (elffile_section(elffile_elf(elf), ".symtab", &shdr) ||
		elffile_section(elffile_elf(elf), ".gnu_debugdata", &shdr))
		return true;
	struct elffile *debug = debugfile_open(elf, path, root);

	elffile_close(debug);
	return debug;
}
