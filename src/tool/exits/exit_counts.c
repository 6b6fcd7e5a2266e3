/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "exit_counts.h"
#include "engine/bpf/features.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>

#include "bpf/trace_exits.object.h"
#include "engine/bpf/refusal.h"

static int find_map(const struct exit_counts *t, const char *name)
{
	return bpf_object__find_map_fd_by_name(t->object, name);
}

static int load(struct exit_counts *t, const struct exits_settings *settings)
{
	libbpf_set_print(NULL);
	t->object = embedded_open(&trace_exits_object, NULL);
	if (!t->object)
		return -errno;
	bpf_map__set_initial_value(
		bpf_object__find_map_by_name(t->object, ".rodata"), settings, sizeof(*settings));
	return bpf_object__load(t->object);
}

int exit_counts_begin(
	struct exit_counts *t, const struct exit_counts_probe *probe, struct strbuf *err)
{
	int error;

	*t = (struct exit_counts){0};
	error = load(t, &probe->settings);
	if (error)
		return fail(err, "cannot load the BPF program that counts exits: %s; %s",
			strerror(refusal_cause(-error)),
			refusal_remedy_or(
				-error, "run this as root, on Linux 5.5 or newer with BPF"));
	t->link = bpf_program__attach_uprobe(
		bpf_object__find_program_by_name(t->object, "on_trace_exit"), false,
		(pid_t)probe->pid, probe->path, probe->offset);
	if (!t->link)
		return fail(err,
			"cannot probe '%s': %s; %s; lj-sample-bt --by vmstate, without probes, "
			"shows how much time is spent in leaving traces",
			probe->path, strerror(errno), features_probe_remedy(errno));
	return 0;
}

void exit_counts_until(struct exit_counts *t, int64_t time_ns)
{
	uint32_t zero = 0;

	bpf_map_update_elem(find_map(t, ".data"), &zero, &time_ns, BPF_ANY);
}

void exit_counts_stop(struct exit_counts *t)
{
	bpf_link__destroy(t->link);
	t->link = NULL;
}

void exit_counts_release(struct exit_counts *t)
{
	exit_counts_stop(t);
	bpf_object__close(t->object);
	*t = (struct exit_counts){0};
}

bool exit_counts_next(const struct exit_counts *t, const struct exit_key *key,
	struct exit_key *next, struct exit_value *value)
{
	int map = find_map(t, "exits");

	return !bpf_map_get_next_key(map, key, next) && !bpf_map_lookup_elem(map, next, value);
}

uint64_t exit_counts_lost(const struct exit_counts *t)
{
	uint32_t zero = 0;
	uint64_t lost = 0;

	bpf_map_lookup_elem(find_map(t, ".bss"), &zero, &lost);
	return lost;
}
