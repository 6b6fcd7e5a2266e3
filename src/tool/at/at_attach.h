/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaches the BPF programs at probe points. */
#ifndef TOOL_AT_AT_ATTACH_H
#define TOOL_AT_AT_ATTACH_H

#include "engine/probe.h"

#include <stdbool.h>
#include <stdint.h>

struct at_site;
struct programs;
struct strbuf;

/* A program that is to be attached. */
struct at_attach {
	struct programs *programs;
	const struct probe *probe;
	bool is_return;  /* where the calls of the probe point return */
	uint64_t number; /* of the point, for the program */
};

/* Returns the name of the program for the hits of KIND or, with IS_RETURN, the returns, or NULL. */
const char *at_program(enum probe_kind kind, bool is_return);

/* Attaches the program at a place in a file. Return -1 with ERR, as the next one. */
int at_attach_site(const struct at_attach *a, const struct at_site *site, struct strbuf *err);

/* Attaches the program at a probe point that is in no file. */
int at_attach(const struct at_attach *a, struct strbuf *err);

/* Returns whether a program runs at the return: of the call too if there are two of them. */
static inline bool at_runs_at_return(const struct probe *probe, bool is_return)
{
	return probe->at_return || is_return;
}

#endif
