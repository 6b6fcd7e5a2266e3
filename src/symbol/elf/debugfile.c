/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debugfile.h"
#include "elffile_internal.h"
#include "inflated.h"
#include "lib/untrusted/file.h"
#include "lib/user.h"
#include "lib/util.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#define DEBUG_DIR "/usr/lib/debug"

enum { READ_CHUNK = 1 << 18, ID_MIN = 4, ALT_ID_MAX = 64 };

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

struct elffile *debugfile_open_checked(int fd, const char *build_id)
{
	struct elffile *elf = elffile_open_fd(fd, NULL);

	if (elf && *build_id && !strcmp(elffile_build_id(elf), build_id) && elffile_is_whole(elf))
		return elf;
	elffile_close(elf);
	return NULL;
}

/* Takes ownership of PATH. */
static int open_plain(char *path)
{
	int fd = file_open(path);

	free(path);
	return fd;
}

/* Takes ownership of PATH. CRC may be NULL, in which case BUILD_ID must match. */
static struct elffile *open_checked(const char *build_id, char *path, const uint32_t *crc)
{
	struct elffile *debug = elffile_open(path, NULL);
	bool ok = false;

	free(path);
	if (!debug)
		return NULL;
	if (*build_id && *elffile_build_id(debug))
		ok = !strcmp(build_id, elffile_build_id(debug));
	else if (crc)
		ok = same_checksum(elffile_fd(debug), *crc);
	if (ok)
		return debug;
	elffile_close(debug);
	return NULL;
}

/* Returns the next directory of LIST, which the caller frees, or NULL at the end. */
static char *next_folder(const char **list)
{
	size_t n = strcspn(*list, ":");
	char *folder;

	if (!n && !**list)
		return NULL;
	folder = xstrndup(*list, n);
	*list += n + ((*list)[n] == ':');
	return folder;
}

static char *path_by_id(const char *folder, const char *build_id)
{
	return xasprintf("%s/.build-id/%.2s/%s.debug", folder, build_id, build_id + 2);
}

/* Opens the debug file in FOLDER, or the file itself in FOLDER if that is a cache of perf's. */
static int open_by_id_in(const char *folder, const char *build_id)
{
	int fd = open_plain(path_by_id(folder, build_id));

	return fd >= 0 ? fd
		       : open_plain(xasprintf(
				 "%s/.build-id/%.2s/%s/elf", folder, build_id, build_id + 2));
}

/* Opens the file in perf's own cache. Under sudo, the home may be another user's. */
static int open_cached(const char *build_id)
{
	const char *home = user_is_sudo() ? NULL : getenv("HOME");
	char *folder = home ? xasprintf("%s/.debug", home) : NULL;
	int fd = folder ? open_by_id_in(folder, build_id) : -1;

	free(folder);
	return fd;
}

int debugfile_open_by_id(const char *build_id, const struct debug_paths *paths)
{
	const char *list = paths->path ? paths->path : DEBUG_DIR;
	char *folder;
	int fd = -1;

	if (strlen(build_id) < ID_MIN || build_id[strspn(build_id, "0123456789abcdef")])
		return -1;
	if (paths->root)
		fd = open_plain(xasprintf("%s" DEBUG_DIR "/.build-id/%.2s/%s.debug", paths->root,
			build_id, build_id + 2));
	while (fd < 0 && (folder = next_folder(&list))) {
		fd = open_by_id_in(folder, build_id);
		free(folder);
	}
	return fd < 0 && !paths->path ? open_cached(build_id) : fd;
}

static struct elffile *open_by_id(const char *build_id, const struct debug_paths *paths)
{
	int fd = debugfile_open_by_id(build_id, paths);

	return fd < 0 ? NULL : debugfile_open_checked(fd, build_id);
}

/* Opens FOLDER/NAME.debug or FOLDER/NAME, where files were copied by hand. */
static struct elffile *open_by_name(
	const char *build_id, const char *path, const struct debug_paths *paths)
{
	const char *list = paths->path ? paths->path : "", *name = file_name(path);
	struct elffile *debug = NULL;
	char *folder;

	while (*build_id && !debug && (folder = next_folder(&list))) {
		debug = open_checked(build_id, xasprintf("%s/%s.debug", folder, name), NULL);
		if (!debug)
			debug = open_checked(build_id, xasprintf("%s/%s", folder, name), NULL);
		free(folder);
	}
	return debug;
}

static bool exists(char *path)
{
	bool ok = !access(path, F_OK);

	free(path);
	return ok;
}

bool debugfile_is_named(const char *path, const struct debug_paths *paths)
{
	const char *list = paths->path ? paths->path : "", *name = file_name(path);
	bool found = false;
	char *folder;

	while (!found && (folder = next_folder(&list))) {
		found = exists(xasprintf("%s/%s.debug", folder, name)) ||
			exists(xasprintf("%s/%s", folder, name));
		free(folder);
	}
	return found;
}

static struct elffile *open_by_link(
	const struct elffile *elf, const char *path, const struct debug_paths *paths)
{
	GElf_Word crc_word;
	const char *name = dwelf_elf_gnu_debuglink(elffile_elf(elf), &crc_word);
	const char *root = paths->root ? paths->root : "", *id = elffile_build_id(elf);
	const char *list = paths->path ? paths->path : DEBUG_DIR, *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) : 0;
	uint32_t crc = crc_word;
	struct elffile *debug;
	char *folder;

	/* the name comes from the file, so it must not contain a directory */
	if (!name || !*name || strchr(name, '/') || !slash)
		return NULL;
	debug = open_checked(id, xasprintf("%s%.*s/%s", root, dir, path, name), &crc);
	if (!debug)
		debug = open_checked(
			id, xasprintf("%s%.*s/.debug/%s", root, dir, path, name), &crc);
	if (!debug && *root)
		debug = open_checked(
			id, xasprintf("%s" DEBUG_DIR "%.*s/%s", root, dir, path, name), &crc);
	while (!debug && (folder = next_folder(&list))) {
		debug = open_checked(id, xasprintf("%s%.*s/%s", folder, dir, path, name), &crc);
		free(folder);
	}
	return debug;
}

struct elffile *debugfile_open(
	const struct elffile *elf, const char *path, const struct debug_paths *paths)
{
	struct elffile *debug = open_by_id(elffile_build_id(elf), paths);

	if (!debug)
		debug = open_by_link(elf, path, paths);
	return debug ? debug : open_by_name(elffile_build_id(elf), path, paths);
}

struct elffile *debugfile_open_alone(
	const char *build_id, const char *path, const struct debug_paths *paths)
{
	struct elffile *debug = open_by_id(build_id, paths);

	return debug ? debug : open_by_name(build_id, path, paths);
}

/* Reads .gnu_debugaltlink, which is a path followed by a build-id. */
static const char *alt_link(const struct elffile *elf, const unsigned char **id, size_t *id_len)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elffile_section(elffile_elf(elf), ".gnu_debugaltlink", &shdr);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	const char *path = data ? data->d_buf : NULL;
	const char *end = path ? memchr(path, '\0', data->d_size) : NULL;

	if (!end)
		return NULL;
	*id = (const unsigned char *)end + 1;
	*id_len = data->d_size - (size_t)(end + 1 - path);
	return *id_len >= 2 && *id_len <= ALT_ID_MAX ? path : NULL;
}

char *debugfile_alt_id(const struct elffile *elf)
{
	const unsigned char *id;
	size_t len;
	char *hex;

	if (!alt_link(elf, &id, &len))
		return NULL;
	hex = xmalloc(2 * len + 1);
	for (size_t i = 0; i < len; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	return hex;
}

/* Returns PATH, which may be relative to the file open as FD, or NULL if it is not known. */
static char *beside(int fd, const char *path, const char *root)
{
	char *link, dir[PATH_MAX];
	ssize_t len;

	if (*path == '/')
		return xasprintf("%s%s", root, path);
	link = xasprintf("/proc/self/fd/%d", fd);
	len = readlink(link, dir, sizeof(dir));
	free(link);
	while (len > 0 && dir[len - 1] != '/')
		len--;
	return len > 0 ? xasprintf("%.*s%s", (int)len, dir, path) : NULL;
}

struct elffile *debugfile_open_alt_checked(int fd, const char *build_id)
{
	struct elffile *elf = fd < 0 ? NULL : elffile_open_any(fd);

	if (elf && !strcmp(elffile_build_id(elf), build_id) && elffile_is_whole(elf))
		return elf;
	elffile_close(elf);
	return NULL;
}

/* Takes ownership of PATH, which may be NULL. */
static struct elffile *open_alt(char *path, const char *build_id)
{
	return path ? debugfile_open_alt_checked(open_plain(path), build_id) : NULL;
}

struct elffile *debugfile_open_alt(const struct elffile *elf, const struct debug_paths *paths)
{
	const char *list = paths->path ? paths->path : DEBUG_DIR;
	char *id = debugfile_alt_id(elf), *folder;
	struct elffile *alt = NULL;
	const unsigned char *raw;
	size_t len;

	if (!id)
		return NULL;
	if (paths->root)
		alt = open_alt(xasprintf("%s" DEBUG_DIR "/.build-id/%.2s/%s.debug", paths->root, id,
				       id + 2),
			id);
	while (!alt && (folder = next_folder(&list))) {
		alt = open_alt(path_by_id(folder, id), id);
		free(folder);
	}
	if (!alt)
		alt = open_alt(beside(elffile_fd(elf), alt_link(elf, &raw, &len),
				       paths->root ? paths->root : ""),
			id);
	free(id);
	return alt;
}

struct elffile *debugfile_open_module_checked(int fd, const char *build_id)
{
	struct elffile *elf = fd < 0 ? NULL : elffile_open_relocated(fd);

	if (elf && *build_id && !strcmp(elffile_build_id(elf), build_id))
		return elf;
	elffile_close(elf);
	return NULL;
}

/* Returns whether FILE is the file name of MODULE, such as "nf-tables.ko.debug" for nf_tables. */
static bool is_module(const char *file, const char *module)
{
	while (*module && (*file == '-' ? '_' : *file) == *module) {
		file++;
		module++;
	}
	return !*module && !strncmp(file, ".ko", 3) && (!file[3] || file[3] == '.');
}

static struct elffile *open_module(
	const char *build_id, const char *folder, const char *release, const char *module)
{
	char *top = xasprintf("%s/lib/modules/%s", folder, release), *const tops[] = {top, NULL};
	/* do not follow symlinks below it, as some point to the kernel's sources */
	FTS *tree = fts_open(tops, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	struct elffile *debug = NULL;
	FTSENT *entry;

	while (tree && !debug && (entry = fts_read(tree)))
		if (entry->fts_level > 0 && is_module(entry->fts_name, module))
			debug = debugfile_open_module_checked(
				open_plain(xstrdup(entry->fts_path)), build_id);
	if (tree)
		fts_close(tree);
	free(top);
	return debug;
}

static struct elffile *open_vmlinux(const char *build_id, const char *folder, const char *release)
{
	static const char *const below[] = {
		"boot/vmlinux-", "lib/modules/", "vmlinux-", "lib/modules/"};
	static const char *const ends[] = {"", "/vmlinux", "", "/build/vmlinux"};
	struct elffile *debug = NULL;

	for (size_t i = 0; !debug && i < ARRAY_LEN(below); i++)
		debug = open_checked(
			build_id, xasprintf("%s/%s%s%s", folder, below[i], release, ends[i]), NULL);
	return debug;
}

/* Takes ownership of FOLDER. */
static struct elffile *open_in(
	char *folder, const char *build_id, const char *release, const char *module)
{
	struct elffile *debug = module ? open_module(build_id, folder, release, module)
				       : open_vmlinux(build_id, folder, release);

	free(folder);
	return debug;
}

struct elffile *debugfile_open_kernel(const char *build_id, const char *release, const char *module,
	const struct debug_paths *paths)
{
	const char *list = paths->path ? paths->path : DEBUG_DIR;
	const char *root = paths->root ? paths->root : "";
	struct elffile *debug = NULL;
	char *folder;

	if (!*release || *release == '.' || strchr(release, '/'))
		return NULL;
	while (!debug && (folder = next_folder(&list)))
		debug = open_in(folder, build_id, release, module);
	if (!debug && *root)
		debug = open_in(xasprintf("%s" DEBUG_DIR, root), build_id, release, module);
	/* self-built kernels leave an unstripped vmlinux there */
	return debug ? debug : open_in(xstrdup(root), build_id, release, module);
}

struct elffile *debugfile_open_embedded(const struct elffile *elf)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elffile_section(elffile_elf(elf), ".gnu_debugdata", &shdr);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	size_t done = 0;
	int fd;

	if (!data || !data->d_buf || !inflated_xz_is_sane(data->d_buf, data->d_size))
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

bool debugfile_names_known(
	const struct elffile *elf, const char *path, const struct debug_paths *paths)
{
	GElf_Shdr shdr;

	if (elffile_section(elffile_elf(elf), ".symtab", &shdr) ||
		elffile_section(elffile_elf(elf), ".gnu_debugdata", &shdr))
		return true;
	struct elffile *debug = debugfile_open(elf, path, paths);

	elffile_close(debug);
	return debug;
}
