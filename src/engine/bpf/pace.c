/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pace.h"
#include "lib/util.h"

#include <sys/resource.h>

enum {
	CREDIT_MAX_NS = 50000000,
	CREDIT_MIN_NS = 5000000, /* credit to become urgent again */
	SHARE = 4,
	STEP_NS = 500000, /* between two looks at the processor time, which is a system call */
};

static void set_urgent(struct pace *p, bool urgent)
{
	p->urgent = urgent;
	setpriority(PRIO_PROCESS, 0, urgent ? -20 : p->nice);
}

void pace_start(struct pace *p)
{
	*p = (struct pace){.on = true,
		.nice = getpriority(PRIO_PROCESS, 0),
		.credit_ns = CREDIT_MAX_NS,
		.wall_ns = monotonic_ns(),
		.cpu_ns = cpu_time_ns()};
	set_urgent(p, true);
}

void pace_update(struct pace *p)
{
	int64_t wall = monotonic_ns();

	if (!p->on || wall - p->wall_ns < STEP_NS)
		return;
	int64_t cpu = cpu_time_ns();

	p->credit_ns += (wall - p->wall_ns) / SHARE - (p->urgent ? cpu - p->cpu_ns : 0);
	if (p->credit_ns > CREDIT_MAX_NS)
		p->credit_ns = CREDIT_MAX_NS;
	p->wall_ns = wall;
	p->cpu_ns = cpu;
	if (p->urgent ? p->credit_ns < 0 : p->credit_ns > CREDIT_MIN_NS)
		set_urgent(p, !p->urgent);
}

void pace_relax(struct pace *p)
{
	pace_update(p);
	if (p->on && p->urgent)
		set_urgent(p, false);
}

void pace_stop(struct pace *p)
{
	if (p->on)
		set_urgent(p, false);
	p->on = false;
}
