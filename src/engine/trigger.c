/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trigger.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"
#include "process/task.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define INTERVAL 1.0 /* seconds over which CPU time is measured */

bool trigger_parse(struct trigger *t, const char *text)
{
	static const char file[] = "file=", cpu[] = "cpu";
	const char *number = text + strlen(cpu) + 1;
	size_t len = strlen(text);

	*t = (struct trigger){.text = text};
	if (begins_with(text, len, file)) {
		t->kind = TRIGGER_FILE;
		t->path = text + strlen(file);
		return *t->path;
	}
	if (!begins_with(text, len, cpu) || len < strlen(cpu) + 2)
		return false;
	t->kind = number[-1] == '>' ? TRIGGER_CPU_ABOVE : TRIGGER_CPU_BELOW;
	len = strlen(number);
	return (number[-1] == '>' || number[-1] == '<') &&
	       parse_decimal(number, len - (number[len - 1] == '%'), &t->percent);
}

/* Returns the CPU time of all processors, from the first line of /proc/stat. */
static uint64_t machine_ticks(void)
{
	uint64_t user, nice, system, idle, wait, irq, softirq, steal;
	FILE *stat = fopen("/proc/stat", "re");
	int nr = 0;

	if (!stat)
		return 0;
	nr = fscanf(stat,
		"cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		" %" SCNu64 " %" SCNu64,
		&user, &nice, &system, &idle, &wait, &irq, &softirq, &steal);
	fclose(stat);
	return nr == 8 ? user + nice + system + irq + softirq : 0;
}

/* Returns the CPU time of the processes in seconds. */
static double cpu_seconds(const struct trigger *t)
{
	uint64_t ticks = t->nr_pids ? 0 : machine_ticks();

	for (size_t i = 0; i < t->nr_pids; i++)
		ticks += task_ticks(t->pids[i]);
	return (double)ticks * (double)task_tick_ns() / 1e9;
}

static bool cpu_fires(struct trigger *t, double now_s, struct strbuf *notes)
{
	double cpu_s, elapsed = now_s - t->at_s, percent;

	if (t->at_s > 0 && elapsed < INTERVAL)
		return false;
	cpu_s = cpu_seconds(t);
	percent = (cpu_s - t->cpu_s) / elapsed * 100;
	bool is_first = t->at_s <= 0;

	t->cpu_s = cpu_s;
	t->at_s = now_s;
	if (is_first || (percent > t->percent) != (t->kind == TRIGGER_CPU_ABOVE))
		return false;
	strbuf_addf(notes, "the recording ends by --trigger %s: %.0f %% of a processor\n", t->text,
		percent);
	return true;
}

bool trigger_fires(struct trigger *t, double now_s, struct strbuf *notes)
{
	switch (t->kind) {
	case TRIGGER_NONE:
		return false;
	case TRIGGER_FILE:
		if (access(t->path, F_OK))
			return false;
		strbuf_adds(notes, "the recording ends by --trigger: there is ");
		message_add_path(notes, t->path);
		strbuf_addch(notes, '\n');
		return true;
	case TRIGGER_CPU_ABOVE:
	case TRIGGER_CPU_BELOW:
		break;
	}
	return cpu_fires(t, now_s, notes);
}
