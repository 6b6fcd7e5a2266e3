/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rss: chooses the programs for this kernel, and names the kinds of memory; see rss.bpf.c. */
#include "rss.h"
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/drain.h"
#include "engine/bpf/features.h"
#include "engine/bpf/programs.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/rss.object.h"
#include "bpf/rss.plain.object.h"

static const char *const kinds[RSS_KINDS] = {
	[RSS_FILE] = "file", [RSS_ANON] = "anon", [RSS_SHMEM] = "shmem"};

/* Data of a recording. */
struct rss_run {
	int shrunk;     /* map */
	uint64_t bytes; /* by which the memory of the target has become smaller */
};

static bool is_needed(const struct engine_request *request, const char *program)
{
	bool has_total = features_tracepoint("rss_stat", 3); /* before Linux 6.2 */

	(void)request;
	if (!strcmp(program, "old_rss") || !strcmp(program, "scan_old_memories"))
		return has_total;
	return (strcmp(program, "on_rss") != 0 && strcmp(program, "scan_memories") != 0) ||
	       !has_total;
}

static void begin(struct tool_run *run)
{
	run->data = xcalloc(1, sizeof(struct rss_run));
	for (uint32_t i = 0; i < RSS_KINDS; i++)
		if (kinds[i])
			drain_name_state(run->drain, TOOL_STATE(i), "memory", kinds[i]);
}

static int attach(struct tool_run *run, struct programs *programs, struct strbuf *err)
{
	struct rss_run *r = run->data;

	(void)err;
	r->shrunk = programs_map(programs, "rss_shrunk");
	return 0;
}

/* Adds up what the processors have counted. */
static void stopped(struct tool_run *run)
{
	size_t cpus = (size_t)libbpf_num_possible_cpus();
	uint64_t *list = xcalloc(cpus, sizeof(*list));
	struct rss_run *r = run->data;
	uint32_t zero = 0;

	if (!bpf_map_lookup_elem(r->shrunk, &zero, list))
		for (size_t i = 0; i < cpus; i++)
			r->bytes += list[i];
	free(list);
}

static void note(const struct tool_run *run, struct strbuf *notes)
{
	const struct rss_run *r = run->data;

	if (r->bytes)
		strbuf_addf(notes,
			"the target's threads also made it smaller, by %" PRIu64 " bytes in all\n",
			r->bytes);
}

static void release(struct tool_run *run)
{
	free(run->data);
}

const struct bpf_tool rss_tool = {
	.program = "rss",
	.object = &rss_object,
	.plain_object = &rss_plain_object,
	.is_needed = is_needed,
	.begin = begin,
	.attach = attach,
	.stopped = stopped,
	.note = note,
	.release = release,
};
