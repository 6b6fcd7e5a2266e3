/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sends the windows of a spool, each once, and deletes them after the answer. */
#ifndef FLEET_SEND_H
#define FLEET_SEND_H

#include "fleet_url.h"

#include <stdbool.h>

struct send {
	const struct fleet_url *url;
	const char *folder;
	bool follow; /* also windows that come later, until the end of stdin or a signal */
};

/* Says what cannot be sent, once until it changes. Returns the exit code. */
int send_windows(const struct send *send);

#endif
