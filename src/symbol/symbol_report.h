/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source of the names of each file of a recording, or why it has none. */
#ifndef SYMBOL_SYMBOL_REPORT_H
#define SYMBOL_SYMBOL_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The source of the names of a file's functions, the best one last. */
enum symbol_source {
	SOURCE_NONE,
	SOURCE_DYNSYM, /* exported symbols only, or only the entry point */
	SOURCE_OWN,    /* .symtab, .gnu_debugdata, Go's pclntab: all functions */
	SOURCE_DEBUG,  /* an installed debug file */
	SOURCE_SERVER, /* a debug file from a debuginfod server */
	SOURCE_PERFMAP,
};

/* Why a file has no names, or lacks some. */
enum symbol_gap {
	GAP_NONE,
	GAP_STRIPPED, /* the file has no .symtab, and no debug file was found */
	GAP_GONE,     /* there is no file at its path */
	GAP_UNREADABLE,
	GAP_OTHER, /* the file at its path has another build-id */
	GAP_NOT_ELF,
	GAP_FAILED, /* reading it crashed or took too long */
	GAP_NO_MAP, /* anonymous memory without a perf map */
};

/* Why existing debug information cannot be used, or only a part of it. */
enum debug_lack {
	DEBUG_LACK_NONE,
	DEBUG_LACK_ZSTD, /* it is compressed with zstd, which the installed libelf cannot read */
	DEBUG_LACK_DWO,  /* a .dwo file, which has inlined calls, is missing */
};

struct symbol_module {
	uint32_t path, build_id; /* strings of the recording */
	uint32_t pid;            /* process of anonymous memory, else 0 */
	enum symbol_source source;
	bool has_debuginfo; /* lines and inlined calls were found */
	enum symbol_gap gap;
	enum debug_lack lack;
	bool requested;   /* from servers, none of which has it unless source says so */
	char detail[128]; /* of the gap: the other file's build-id or errno's text; may be empty */
};

struct symbol_report {
	struct symbol_module *list;
	size_t nr, alloc;
};

#endif
