/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF programs of a tool: finds them, sets the sizes of their maps and their settings, loads
 * them and attaches them.
 */
#ifndef ENGINE_BPF_PROGRAMS_H
#define ENGINE_BPF_PROGRAMS_H

#include "kern/shared.h"
#include "lib/strbuf.h"

#include <bpf/libbpf.h>

struct bpf_tool;
struct engine_request;
struct probe_point;
struct targets;

enum {
	PROGRAMS_MEMORY = 64 << 20, /* bytes; a memory limit that surely suffices to load them */
};

struct programs {
	const struct engine_request *request;
	const struct targets *targets;
	const struct bpf_tool *tool;
	struct bpf_object *object;
	struct bpf_program *tick; /* to be attached to perf events, or NULL if the tool has none */
	struct bpf_link *scan;    /* iterator over all tasks, run at the start, or NULL */
	struct bpf_link **links;
	size_t nr_links, links_alloc;
	size_t next_link; /* to be detached */
	int *fds;         /* of links that libbpf does not know */
	size_t nr_fds, fds_alloc;
	struct settings settings;
	struct control *control; /* memory shared with the programs */
	size_t nr_cpus;
	uint32_t nr_rows, nr_nodes; /* sizes of these maps */
	struct strbuf log;          /* the last part of libbpf's messages */
};

/* Returns the samples per second on each processor that REQUEST asks for. */
unsigned programs_hz(const struct engine_request *request);

/* Returns whether the samples are ticks. A tool that measures times may have ticks, too. */
bool programs_count_ticks(const struct programs *p);

/* Returns up to how many entries the maps of nodes and rows may grow, or 0 if they must not. */
uint32_t programs_entries_max(const struct engine_request *request);

/*
 * Loads the programs. P must be all zero but for P->log, which must be initialised. P is to be
 * released in any case.
 */
int programs_load(struct programs *p, const struct engine_request *request,
	const struct targets *targets, size_t nr_cpus, struct strbuf *err);
void programs_release(struct programs *p);

/* Returns the file descriptor of the map, or -1 if the tool has none of this name. */
int programs_map(const struct programs *p, const char *name);

/* Returns how many entries the map has room for, or 0 if the tool has none of this name. */
uint32_t programs_map_size(const struct programs *p, const char *name);

/*
 * Maps SIZE bytes of a map's memory. Returns NULL with errno on error. With WRITABLE both sides
 * write to it.
 */
void *programs_map_memory(const struct programs *p, const char *name, size_t size, bool writable);

/* Adds to ERR why such memory could not be mapped. Returns -1. */
int programs_cannot_share(int error, struct strbuf *err);

/* Returns the program NAME, or NULL if the tool has none of this name. */
struct bpf_program *programs_find(const struct programs *p, const char *name);

/* Takes over LINK, to detach it with the others. */
void programs_keep(struct programs *p, struct bpf_link *link);

/* Does the same with the descriptor of a link. */
void programs_keep_fd(struct programs *p, int fd);

/* Attaches the programs that tell where: at raw tracepoints, and iterators. */
int programs_attach(struct programs *p, struct strbuf *err);
/* Attaches PROGRAM at POINT, in all processes. */
int programs_attach_at(struct programs *p, const char *program, const struct probe_point *point,
	struct strbuf *err);
void programs_detach(struct programs *p);

/* Runs the iterator over all tasks. */
int programs_scan_tasks(const struct programs *p, struct strbuf *err);

#endif
