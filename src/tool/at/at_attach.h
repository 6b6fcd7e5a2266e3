/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaches the BPF programs at probe points. */
#ifndef TOOL_AT_AT_ATTACH_H
#define TOOL_AT_AT_ATTACH_H

#include "engine/probe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct at_left_out;
struct at_site;
struct programs;
struct strbuf;

/* A program that is to be attached. */
struct at_attach {
	struct programs *programs;
	const struct probe *probe;
	bool is_return;           /* where the calls of the probe point return */
	bool is_multi;            /* by links for many functions, see at_multi.h */
	uint64_t number;          /* of the point, for the program; sites have their own */
	struct at_left_out *left; /* gets what cannot be probed, which is an error if it is NULL */
};

/* Returns the name of the program for the hits of KIND or, with IS_RETURN, the returns, or NULL. */
const char *at_program(enum probe_kind kind, bool is_return);

/*
 * Attaches the program at the NR SITES, which are sorted by file. Returns -1 with ERR, as the next
 * one.
 */
int at_attach_sites(
	const struct at_attach *a, const struct at_site *sites, size_t nr, struct strbuf *err);

/*
 * Attaches at_raw at the tracepoints that match a pattern. Those at which it cannot be go to
 * A->left. Returns -1 with ERR if there are no others.
 */
int at_attach_raw(const struct at_attach *a, struct strbuf *err);

/* Attaches the program at a probe point that is in no file. */
int at_attach(const struct at_attach *a, struct strbuf *err);

/* Returns whether a program runs at the return: of the call too if there are two of them. */
static inline bool at_runs_at_return(const struct probe *probe, bool is_return)
{
	return probe->at_return || is_return;
}

#endif
