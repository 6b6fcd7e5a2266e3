/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A probe point in SystemTap's syntax, see stapprobes(3stap), or an event in perf's. */
#ifndef ENGINE_PROBE_H
#define ENGINE_PROBE_H

#include <stdbool.h>

enum probe_kind {
	PROBE_TRACE,    /* kernel.trace("NAME") or kernel.trace("GROUP:NAME") */
	PROBE_KERNEL,   /* kernel.function("NAME"), with .return or not */
	PROBE_USER,     /* process("FILE").function("NAME"), with .return or not */
	PROBE_MARK,     /* process("FILE").mark("NAME"), with .provider("NAME") or not */
	PROBE_SYSCALL,  /* syscall.NAME, with .return or not */
	PROBE_SOFTWARE, /* perf.sw.NAME */
	PROBE_HARDWARE, /* perf.hw.NAME */
	PROBE_NAMED,    /* an event by its name in perf, see named_event.h */
	PROBE_OTHER,    /* only SystemTap knows it */
};

struct probe {
	char *text; /* as the user has written it */
	enum probe_kind kind;
	char *name;     /* of the tracepoint, function, mark, system call or event, or NULL */
	char *provider; /* of the mark, or NULL for any */
	char *file;     /* a program or library, or NULL for the target's program */
	bool at_return;
	bool is_perf; /* in perf's syntax, which SystemTap does not know */
};

/* Parses TEXT. Returns false, with nothing to release, if it is no probe point. */
bool probe_parse(struct probe *probe, const char *text);
/*
 * Parses the event TEXT as perf writes it: cycles, page-faults:u, sched:sched_switch. Returns
 * false, with nothing to release, if there is no such event. Tracepoints are not looked for.
 */
bool probe_parse_event(struct probe *probe, const char *text);
/* Returns whether the probe point has a name with * or ? in it. */
bool probe_is_pattern(const struct probe *probe);

void probe_release(struct probe *probe);

#endif
