/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slowest requests of nginx as a picture: when each ran, in which phase, and what it waited
 * for.
 */
#ifndef TOOL_REQUESTS_REQUEST_TIMELINE_H
#define TOOL_REQUESTS_REQUEST_TIMELINE_H

#include "request_results.h"
#include "model/timeline.h"

/*
 * Only requests that were recorded with phases have phases in the picture. The caller releases T.
 */
void request_timeline_fill(struct timeline *t, const struct request_results *r);

#endif
