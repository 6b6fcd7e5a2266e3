/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "error_name.h"
#include "util.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const restarts[] = {
	"ERESTARTSYS", "ERESTARTNOINTR", "ERESTARTNOHAND", "ENOIOCTLCMD", "ERESTART_RESTARTBLOCK"};
enum { RESTARTS = 512 }; /* the first of them */

const char *error_name(uint32_t error, char other[ERROR_NAME_LEN])
{
	const char *name = error >= RESTARTS && error - RESTARTS < ARRAY_LEN(restarts)
				   ? restarts[error - RESTARTS]
				   : strerrorname_np((int)error);

	if (name)
		return name;
	snprintf(other, ERROR_NAME_LEN, "%" PRIu32, error);
	return other;
}
