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
 * Converts sums to the event's unit, decides how each stack ended and splices the user stack and
 * the VM stack of a row into one. PS has the mappings of user frames. Kernel frames get their names
 * from KS, and rows get the labels of their processes from MS; either may be NULL. Condenses S and
 * merges its rows, so S can only be released afterwards.
 */
void collect(struct samples *s, struct processes *ps, struct memberships *ms,
	const struct kallsyms *ks, struct recording *rec);

/*
 * Has the JVMs with samples in compiled code write its names, which they can do only while they
 * run. To be called before collect(). JVMS may be NULL. NOTES are for the user.
 */
void collect_jit_names(
	const struct samples *s, struct processes *ps, struct jvms *jvms, struct strbuf *notes);

#endif
