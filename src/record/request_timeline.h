/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slowest requests of nginx as a picture: when each ran, in which phase, what it waited for. */
#ifndef RECORD_REQUEST_TIMELINE_H
#define RECORD_REQUEST_TIMELINE_H

#include "engine/bpf/request_results.h"
#include "view/timeline.h"

/* The phases are those of requests that were recorded with them. T is released by the caller. */
void request_timeline_fill(struct timeline *t, const struct request_results *r);

#endif
