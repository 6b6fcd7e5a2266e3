/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checks of an engine for a request. */
#ifndef CHECK_PREFLIGHT_H
#define CHECK_PREFLIGHT_H

#include "check.h"
#include "engine/engine.h"

/* Checks whether OPS can record REQUEST on this machine; see checks_run. */
void preflight(
	const struct engine_ops *ops, const struct engine_request *request, struct checks *checks);

/* Whether it has to follow what a command starts, which SystemTap does not do. */
bool preflight_follows_command(const struct engine_request *request);

/* The index in LIST, as engines_find gave it for "auto", of the first engine that works; WHY in one
 * line. */
size_t preflight_choose(const struct engine_ops *const *list, size_t nr,
	const struct engine_request *request, struct strbuf *why);

#endif
