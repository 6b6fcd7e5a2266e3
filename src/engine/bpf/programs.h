/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF programs of a tool: which are built in, their maps' sizes, their settings, loading and
 * attaching them.
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
	LINKS_MAX = 32,
	PROGRAMS_MEMORY = 64 << 20, /* bytes; a limit that surely suffices to load them */
};

struct programs {
	const struct engine_request *request;
	const struct targets *targets;
	const struct bpf_tool *tool;
	struct bpf_object *object;
	struct bpf_program *tick; /* to be attached to perf events; NULL: the tool has none */
	struct bpf_link *scan;    /* iterator over all tasks, run at the start; NULL: likewise */
	struct bpf_link *links[LINKS_MAX];
	size_t nr_links;
	struct settings settings;
	struct control *control; /* memory shared with the programs */
	size_t nr_cpus;
	uint32_t nr_rows, nr_nodes; /* sizes of these maps */
	struct strbuf log;          /* the last part of libbpf's messages */
};

/* Samples a second that REQUEST asks for, on each processor. */
unsigned programs_hz(const struct engine_request *request);

/* P must be all zero and P->log initialised; what is in it is released in any case. */
int programs_load(struct programs *p, const struct engine_request *request,
	const struct targets *targets, size_t nr_cpus, struct strbuf *err);
void programs_release(struct programs *p);

/* File descriptor of the map, -1: the tool has none of this name. */
int programs_map(const struct programs *p, const char *name);

/* Returns how many entries the map has room for, or 0 if the tool has none of this name. */
uint32_t programs_map_size(const struct programs *p, const char *name);

/* Maps SIZE bytes of a map's memory, NULL: see errno. WRITABLE: both sides write to it. */
void *programs_map_memory(const struct programs *p, const char *name, size_t size, bool writable);

/* Adds to ERR why such memory could not be mapped, and returns -1. */
int programs_cannot_share(int error, struct strbuf *err);

/* All but the programs of the tick and of uprobes. */
int programs_attach(struct programs *p, struct strbuf *err);
/* Has PROGRAM called at POINT, in all processes. */
int programs_attach_at(struct programs *p, const char *program, const struct probe_point *point,
	struct strbuf *err);
void programs_detach(struct programs *p);

/* Runs the iterator over all tasks. */
int programs_scan_tasks(const struct programs *p, struct strbuf *err);

#endif
