/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ages.h"
#include "engine/bpf/drain.h"
#include "lib/util.h"

/* Ranges of ages, each with its lower bound. */
static const struct age {
	const char *name;
	uint32_t seconds;
} ages[] = {{"0s", 0}, {"1s", 1}, {"10s", 10}, {"1m", 60}, {"10m", 600}, {"1h", 3600}};

void ages_name(struct drain *drain)
{
	for (uint32_t i = 0; i < ARRAY_LEN(ages); i++)
		drain_name_state(drain, TOOL_STATE(i), "age", ages[i].name);
}

uint32_t ages_state(uint64_t age_ns)
{
	uint32_t i = ARRAY_LEN(ages) - 1;

	while (age_ns < ages[i].seconds * 1000000000ULL)
		i--;
	return TOOL_STATE(i);
}

uint64_t ages_of(const struct span *span, uint64_t now_ns)
{
	return now_ns > span->since ? now_ns - span->since : 0;
}
