/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "number_arg.h"
#include "lib/util.h"

#include <inttypes.h>
#include <string.h>

uint64_t number_arg(
	const char *option, const char *arg, uint64_t min, uint64_t max, struct argp_state *state)
{
	uint64_t value;

	if (!parse_u64(arg, strlen(arg), 10, &value) || value < min || value > max)
		argp_error(state, "--%s takes %" PRIu64 " to %" PRIu64 ", not '%s'", option, min,
			max, arg);
	return value;
}
