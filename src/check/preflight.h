/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the checks of an engine for a request. */
#ifndef CHECK_PREFLIGHT_H
#define CHECK_PREFLIGHT_H

#include "check.h"
#include "engine/engine.h"

/* Checks whether OPS can record REQUEST on this machine; see checks_run. */
void preflight(
	const struct engine_ops *ops, const struct engine_request *request, struct checks *checks);

/*
 * Whether a recording has to follow the processes that a command starts, which SystemTap does not
 * do.
 */
bool preflight_follows_command(const struct engine_request *request);

/*
 * Returns the index of the first engine that works in LIST, which engines_find gave for "auto". WHY
 * is the reason in one line.
 */
size_t preflight_choose(const struct engine_ops *const *list, size_t nr,
	const struct engine_request *request, struct strbuf *why);

/* Returns whether a program stap is found, whether or not it works. */
bool preflight_has_stap(void);

#endif
