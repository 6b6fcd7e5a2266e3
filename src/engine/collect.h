/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns the raw samples of any engine into a recording. */
#ifndef ENGINE_COLLECT_H
#define ENGINE_COLLECT_H

struct jvms;
struct kallsyms;
struct memberships;
struct processes;
struct recording;
struct samples;
struct strbuf;

/*
 * Adds the events, tasks, stacks, rows and losses of S to REC, rows with the largest sums first.
 * Converts sums to the event's unit, decides how each stack ended and splices the user and the VM
 * stack of a row into one. PS has the mappings of user frames; kernel frames get their names from
 * KS (NULL: none), and rows the labels that MS (NULL: none) has of their processes. Condenses S and
 * merges its rows: it can only be released afterwards.
 */
void collect(struct samples *s, struct processes *ps, struct memberships *ms,
	const struct kallsyms *ks, struct recording *rec);

/*
 * Before collect(): has those JVMS (NULL: none) in whose compiled code samples are write its names,
 * which they can only while they run. NOTES are for the user.
 */
void collect_jit_names(
	const struct samples *s, struct processes *ps, struct jvms *jvms, struct strbuf *notes);

#endif
