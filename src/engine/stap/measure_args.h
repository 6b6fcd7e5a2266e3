/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arguments by which a script gets the probe points and what is measured at them. */
#ifndef ENGINE_STAP_MEASURE_ARGS_H
#define ENGINE_STAP_MEASURE_ARGS_H

struct argv;
struct engine_request;

/* Adds the arguments that stap/at.stp describes, from MEASURE on. */
void measure_args_add(struct argv *a, const struct engine_request *request);

#endif
