/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads what a worker of nginx serves while it is stopped. */
#ifndef NGINX_NGINX_STOPPED_H
#define NGINX_NGINX_STOPPED_H

#include "nginx_serving.h"

/*
 * Does the same as nginx_serving_read(), but stops W for STOP_S seconds at most. Sets *STOPPED_NS
 * to the time for which it was stopped. If it was not stopped all the time, returns false and adds
 * a line to NOTES.
 */
bool nginx_serving_read_stopped(const struct nginx_worker *w, const struct nginx_modules *modules,
	double stop_s, struct nginx_serving *s, int64_t *stopped_ns, struct strbuf *notes);

#endif
