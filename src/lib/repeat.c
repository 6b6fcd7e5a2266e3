/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "repeat.h"
#include "program.h"
#include "util.h"

#include <time.h>

struct repeat repeat_begin(double step_s, double length_s)
{
	return (struct repeat){.began_ns = monotonic_ns(),
		.step_ns = (int64_t)(step_s * 1e9),
		.length_ns = (int64_t)(length_s * 1e9)};
}

int64_t repeat_next(const struct repeat *r, int64_t now_ns)
{
	int64_t next = r->at_ns + r->step_ns;

	if (!r->step_ns)
		return -1;
	if (next < now_ns)
		next += (now_ns - next + r->step_ns - 1) / r->step_ns * r->step_ns;
	return r->length_ns && next > r->length_ns ? -1 : next;
}

bool repeat_wait(struct repeat *r)
{
	int64_t now_ns = monotonic_ns() - r->began_ns, next = repeat_next(r, now_ns);
	struct timespec time = {(next - now_ns) / 1000000000, (next - now_ns) % 1000000000};

	if (next < 0 || program_is_stopped())
		return false;
	r->at_ns = next;
	if (next > now_ns)
		nanosleep(&time, NULL);
	return !program_is_stopped();
}
