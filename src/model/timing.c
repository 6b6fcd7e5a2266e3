/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "timing.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <inttypes.h>

void timing_add(struct timing *timing, const struct timing *other)
{
	if (!timing->started || (other->started && other->started < timing->started))
		timing->started = other->started;
	add_capped(&timing->duration, other->duration);
	if (other->period > timing->period)
		timing->period = other->period;
	if (other->cpus > timing->cpus)
		timing->cpus = other->cpus;
}

double timing_cpus_used(const struct timing *timing, uint64_t samples)
{
	if (!timing->period || !timing->duration)
		return -1;
	return (double)samples * (double)timing->period / (double)timing->duration;
}

void timing_add_cpus(const struct timing *timing, uint64_t samples, struct strbuf *out)
{
	double used = timing_cpus_used(timing, samples);

	if (used < 0)
		return;
	strbuf_addf(out, "; %.*f ", used < 0.1 ? 3 : 1, used);
	if (timing->cpus)
		strbuf_addf(out, "of %" PRIu32 " ", timing->cpus);
	strbuf_addf(out, "CPUs for %.1f s", (double)timing->duration / 1e9);
}
