/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of a recording that were opened while its processes still ran. */
#ifndef SYMBOL_OPEN_FILES_H
#define SYMBOL_OPEN_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct elffile;

struct open_files {
	struct open_file {
		struct elffile *elf; /* or NULL if it did not answer, and must not be asked again */
		char *path;          /* as recorded */
	} * list;
	size_t nr, alloc;
	struct open_perfmap {
		uint32_t pid; /* as in the recording */
		int fd;
	} * perfmaps;
	size_t nr_perfmaps, perfmaps_alloc;
};

/* Takes ownership of ELF and copies PATH. */
void open_files_add(struct open_files *files, struct elffile *elf, const char *path);
void open_files_add_silent(struct open_files *files, const char *path);
/* Takes ownership of FD. */
void open_files_add_perfmap(struct open_files *files, uint32_t pid, int fd);
void open_files_release(struct open_files *files);
/* Releases FILES, but leaves all ELF files open, which belong to others. */
void open_files_return(struct open_files *files);

/*
 * Returns the open file with BUILD_ID or, if BUILD_ID is "", the file without a build-id that was
 * recorded as PATH, or NULL if there is none. Any user can write a file with another file's
 * build-id. Therefore only files of root and of OWNER, who owns the file that was mapped, are
 * found. OWNER's files come first, and among them the file recorded as PATH. FILES may be NULL.
 */
struct elffile *open_files_find(
	const struct open_files *files, const char *build_id, const char *path, uid_t owner);

/* Returns whether the file recorded as PATH did not answer. FILES may be NULL. */
bool open_files_is_silent(const struct open_files *files, const char *path);

/* Returns the file descriptor of the perf map of PID, or -1 if there is none. FILES may be NULL. */
int open_files_perfmap(const struct open_files *files, uint32_t pid);

#endif
