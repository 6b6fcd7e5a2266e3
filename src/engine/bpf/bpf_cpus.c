/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processors that come online, or were offline, during a recording. */
#include "bpf_engine.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <bpf/bpf.h>
#include <inttypes.h>
#include <stdlib.h>

enum { LOOK_MS = 1000 };

/* Returns the list of online processors in the form of sysfs, or NULL. The caller frees it. */
static char *read_online(void)
{
	char *line = NULL;
	size_t alloc = 0;
	FILE *in = fopen("/sys/devices/system/cpu/online", "re");

	if (in && getline(&line, &alloc, in) <= 0) {
		free(line);
		line = NULL;
	}
	if (in)
		fclose(in);
	return line;
}

static uint64_t latest(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t last = a > b ? a : b;

	return last > c ? last : c;
}

/*
 * Counts the ticks that did not come, and resets the clock. Otherwise the program would count the
 * time offline as missed ticks of the task that its first tick hits. The program does not run on
 * this processor meanwhile.
 */
static void count_missed(void *context, const struct sideband_cpu *cpu)
{
	struct bpf *b = context;
	uint32_t at = (uint32_t)cpu->cpu * LANES + LANE_EVENT;
	struct counters count = b->counters[at], all = bpf_counters(b);
	uint64_t since = latest(b->began, count.tick_at, (uint64_t)cpu->offline_ns);

	b->nr_restarts++;
	b->restarted = cpu->cpu;
	add_capped(&b->missed,
		counters_missed(count.ticks ? &count : &all, (uint64_t)monotonic_ns() - since,
			b->programs.settings.tick_ns));
	count.tick_at = 0;
	bpf_map_update_elem(programs_map(&b->programs, "counters"), &at, &count, BPF_ANY);
}

void bpf_update_cpus(struct bpf *b)
{
	int64_t now = monotonic_ns();

	if (now < b->cpus_ns)
		return;
	char *online = read_online();

	sideband_update(&b->side, online, count_missed, b);
	free(online);
	b->cpus_ns = now + LOOK_MS * 1000000LL;
}

void bpf_note_cpus(const struct bpf *b, struct strbuf *notes)
{
	if (!b->nr_restarts || !b->side.hz)
		return;
	strbuf_addf(notes,
		"%" PRIu64 " times a processor came online during the recording, processor %d "
		"last: about %" PRIu64 " ticks of the target were missed until that was noticed, "
		"and count as skipped\n",
		b->nr_restarts, b->restarted, b->missed);
}
