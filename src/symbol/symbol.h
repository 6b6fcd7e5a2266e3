/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for addresses: see flametap-names(7), which tells where they come from. Only src/symbol and
 * src/unwind know elfutils.
 */
#ifndef SYMBOL_SYMBOL_H
#define SYMBOL_SYMBOL_H

#include "model/recording.h"

struct elffile;
struct strbuf;

enum demangle { DEMANGLE_SHORT, DEMANGLE_FULL, DEMANGLE_NONE };

/* Files that are open already. */
struct symbol_files {
	struct symbol_file {
		struct elffile *elf;
		char *path; /* as recorded */
	} * list;
	size_t nr, alloc;
	struct symbol_perfmap {
		uint32_t pid; /* as in the recording */
		int fd;
	} * perfmaps;
	size_t nr_perfmaps, perfmaps_alloc;
};

/* Takes ELF over. */
void symbol_files_add(struct symbol_files *files, struct elffile *elf, const char *path);
void symbol_files_add_perfmap(struct symbol_files *files, uint32_t pid, int fd); /* and FD */
void symbol_files_release(struct symbol_files *files);

enum symbol_fetch { FETCH_AUTO, FETCH_ALWAYS, FETCH_NEVER };

struct symbol_options {
	const struct symbol_files
		*files; /* found by build-id, before the path is tried; NULL: none */
	enum demangle demangle;
	bool has_demangle;      /* it was asked for, and is no default */
	const char *root;       /* where the files of the recording are found, NULL: "/" */
	const char *debug_path; /* folders such as /usr/lib/debug, divided by ":", NULL: that one */
	bool inlines, lines;    /* wanted; names that are there but lack them are looked up again */
	bool lines_here;        /* lines, too, but nothing is fetched for their sake */
	enum symbol_fetch fetch; /* from debuginfod servers */
	double fetch_min;        /* only for files with that share of the weight in per cent */
	bool quiet;              /* no progress on stderr */
};

/* Where the names of a file's functions are from, the best last. */
enum symbol_source {
	SOURCE_NONE,
	SOURCE_DYNSYM, /* what the file exports, or nothing but its entry */
	SOURCE_OWN,    /* .symtab, .gnu_debugdata, Go's table: all functions */
	SOURCE_DEBUG,  /* an installed debug file */
	SOURCE_SERVER, /* one that was fetched */
	SOURCE_PERFMAP,
};

/* Why a file has no names, or not all. */
enum symbol_gap {
	GAP_NONE,
	GAP_STRIPPED, /* the file has no full table, and no debug file was found */
	GAP_GONE,     /* no file at its path */
	GAP_UNREADABLE,
	GAP_OTHER, /* another file is at its path now */
	GAP_NOT_ELF,
	GAP_FAILED, /* reading it crashed or took too long */
	GAP_NO_MAP, /* anonymous memory and no perf map */
};

/* What became of one file of a recording. */
struct symbol_module {
	uint32_t path, build_id; /* strings of the recording */
	uint32_t pid;            /* anonymous memory: whose; else 0 */
	enum symbol_source source;
	bool has_debuginfo; /* lines and inlined calls were found */
	enum symbol_gap gap;
	bool asked;       /* a server was, in vain when source does not say so */
	char detail[128]; /* of the gap: the other file's build-id, errno's text; may be empty */
};

struct symbol_report {
	struct symbol_module *list;
	size_t nr, alloc;
};

void symbol_report_release(struct symbol_report *report);

/*
 * Names every frame of REC that lies in a mapping and has no name yet, or not what OPTIONS want, as
 * the linker knows it. A file is used only when its build-id is the recorded one (or none was
 * recorded); what cannot be named stays unnamed. REPORT (when not NULL) gets each file that was
 * looked at. Notes for the user are appended to NOTES, one a line. Opens only files that were hit,
 * in processes of their own: whatever a file holds, this returns.
 */
void symbol_resolve(struct recording *rec, const struct symbol_options *options,
	struct symbol_report *report, struct strbuf *notes);

/*
 * NAME in readable form (C++ and Rust), the caller's to free; NULL when it is not mangled or HOW is
 * DEMANGLE_NONE. DEMANGLE_SHORT leaves out argument lists, default template arguments and hashes.
 */
char *symbol_demangle(const char *name, enum demangle how);

/*
 * Gives the frames of the N PROFILES the names that people read. Functions that are different keep
 * different names over all of them: where short forms are the same, they stay longer. A frame's
 * source is appended to its name.
 */
void symbol_demangle_profiles(struct profile **profiles, size_t n, enum demangle how);

/* The same for the names in REC, for programs that do not demangle. Sources stay apart. */
void symbol_demangle_recording(struct recording *rec, enum demangle how);

#endif
