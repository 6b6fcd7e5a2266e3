/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "request_timing.h"
#include "engine/bpf/features.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/task.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf/request_times.object.h"
#include "engine/bpf/refusal.h"

const char *const times_functions[TIMES_PROBES] = {
	[TIMES_CREATE] = "ngx_http_create_request",
	[TIMES_FREE] = "ngx_http_free_request",
	[TIMES_HEAD] = "ngx_http_process_request",
	[TIMES_CONTENT] = "ngx_http_core_content_phase",
	[TIMES_ANSWER] = "ngx_http_send_header",
	[TIMES_WAIT_END] = "ngx_time_update",
	[TIMES_HANDLED] = "ngx_http_run_posted_requests",
};

static const char *const programs[TIMES_PROBES] = {
	[TIMES_CREATE] = "on_create",
	[TIMES_FREE] = "on_free",
	[TIMES_HEAD] = "on_head",
	[TIMES_CONTENT] = "on_content",
	[TIMES_ANSWER] = "on_answer",
	[TIMES_WAIT_END] = "on_wait_end",
	[TIMES_HANDLED] = "on_handled",
};

static int find_map(const struct request_timing *t, const char *name)
{
	return bpf_object__find_map_fd_by_name(t->object, name);
}

static int take_record(void *context, void *data, size_t size)
{
	struct request_timing *t = context;
	uint64_t kind;

	if (size < sizeof(kind))
		return 0;
	memcpy(&kind, data, sizeof(kind));
	if (kind == TIMES_TEXT && size >= sizeof(*t->texts)) {
		ALLOC_GROW(t->texts, t->nr_texts, t->texts_alloc);
		memcpy(&t->texts[t->nr_texts++], data, sizeof(*t->texts));
	} else if (kind == TIMES_REQUEST && size >= sizeof(*t->requests)) {
		ALLOC_GROW(t->requests, t->nr_requests, t->requests_alloc);
		memcpy(&t->requests[t->nr_requests++], data, sizeof(*t->requests));
	}
	return 0;
}

static int load(struct request_timing *t, const struct times_settings *settings)
{
	int error;

	libbpf_set_print(NULL);
	t->object = embedded_open(&request_times_object, NULL);
	if (!t->object)
		return -errno;
	bpf_map__set_initial_value(
		bpf_object__find_map_by_name(t->object, ".rodata"), settings, sizeof(*settings));
	bpf_map__set_initial_value(
		bpf_object__find_map_by_name(t->object, ".data"), &t->control, sizeof(t->control));
	error = bpf_object__load(t->object);
	if (error)
		return error;
	t->ring = ring_buffer__new(find_map(t, "ring"), take_record, t, NULL);
	return t->ring ? 0 : -errno;
}

static void set_control(struct request_timing *t)
{
	uint32_t zero = 0;

	bpf_map_update_elem(find_map(t, ".data"), &zero, &t->control, BPF_ANY);
}

static int attach(struct request_timing *t, struct strbuf *err)
{
	const struct request_timing_begin *b = &t->begin;
	char path[32]; /* of the open file, as the process that runs it may have ended */

	snprintf(path, sizeof(path), "/proc/self/fd/%d", t->file);
	for (int i = 0; i < TIMES_PROBES; i++) {
		if (!b->offset[i])
			continue;
		t->links[i] = bpf_program__attach_uprobe(
			bpf_object__find_program_by_name(t->object, programs[i]), false,
			b->only ? (pid_t)b->pid : -1, path, b->offset[i]);
		if (!t->links[i])
			return fail(err,
				"cannot probe %s in nginx: %s; %s; ngx-reqs, without probes, lists "
				"the requests that are served now",
				times_functions[i], strerror(errno), features_probe_remedy(errno));
	}
	return 0;
}

static void detach(struct request_timing *t)
{
	for (int i = 0; i < TIMES_PROBES; i++) {
		bpf_link__destroy(t->links[i]);
		t->links[i] = NULL;
	}
}

int request_timing_resume(struct request_timing *t, struct strbuf *err)
{
	if (attach(t, err)) {
		detach(t);
		return -1;
	}
	t->is_on = true;
	t->control.from_ns = (uint64_t)monotonic_ns();
	t->control.before_ms = realtime_ms();
	t->control.until_ns = t->end_ns;
	set_control(t);
	return 0;
}

typedef bool drops_key(const struct request_timing *t, const void *key);

static bool is_any(const struct request_timing *t, const void *key)
{
	(void)t;
	(void)key;
	return true;
}

static bool is_ended(const struct request_timing *t, const void *key)
{
	const uint32_t *pid = key;

	(void)t;
	return !task_lives(*pid, 0);
}

static bool is_of_ended(const struct request_timing *t, const void *key)
{
	const struct times_connection *connection = key;

	return is_ended(t, &connection->worker);
}

static bool has_ended_or_is_decided(const struct request_timing *t, const void *key)
{
	const struct times_slowest_key *slowest = key;
	uint32_t decision = TIMES_UNDECIDED;

	bpf_map_lookup_elem(find_map(t, "values"), &slowest->where, &decision);
	return decision != TIMES_UNDECIDED || is_ended(t, &slowest->worker);
}

/*
 * Deletes the entries of a map for whose keys DROPS returns true. If the kernel deletes the current
 * key meanwhile, the walk begins again with the first key.
 */
static void drop(const struct request_timing *t, const char *map_name, drops_key *drops)
{
	int map = find_map(t, map_name);
	uint64_t key[2], next[2]; /* room for the largest key */
	int end = bpf_map_get_next_key(map, NULL, next);

	for (int i = 0; !end && i < TIMES_REQUESTS_MAX; i++) {
		memcpy(key, next, sizeof(key));
		end = bpf_map_get_next_key(map, key, next);
		if (drops(t, key))
			bpf_map_delete_elem(map, key);
	}
}

void request_timing_forget_ended(const struct request_timing *t)
{
	drop(t, "processes", is_ended);
	drop(t, "starts", is_of_ended);
	drop(t, "records", is_ended);
	drop(t, "slowest", has_ended_or_is_decided);
}

void request_timing_forget_decided(const struct request_timing *t)
{
	drop(t, "slowest", has_ended_or_is_decided);
}

void request_timing_pause(struct request_timing *t)
{
	uint64_t now = (uint64_t)monotonic_ns();

	if (!t->is_on)
		return;
	t->is_on = false;
	if (t->control.until_ns > now) {
		t->control.until_ns = now;
		set_control(t);
	}
	detach(t);
	drop(t, "starts", is_any);
	if (t->control.until_ns > t->control.from_ns)
		t->covered_ns += t->control.until_ns - t->control.from_ns;
}

int request_timing_begin(struct request_timing *t, const struct request_timing_begin *begin,
	int64_t length_ns, struct strbuf *err)
{
	int error;

	*t = (struct request_timing){.begin = *begin,
		.file = open(begin->path, O_RDONLY | O_CLOEXEC),
		.end_ns = UINT64_MAX,
		.control = {.from_ns = UINT64_MAX,
			.until_ns = UINT64_MAX,
			.root = begin->pid,
			.layout = begin->layout}};
	t->begin.path = NULL;
	if (t->file < 0)
		return fail(err, "cannot open nginx's file '%s': %s", begin->path, strerror(errno));
	error = load(t, &begin->settings);
	if (error)
		return fail(err, "cannot load the BPF program that times requests: %s; %s",
			strerror(refusal_cause(-error)),
			refusal_remedy_or(
				-error, "run this as root, on Linux 5.8 or newer with BPF"));
	if (request_timing_resume(t, err))
		return -1;
	if (length_ns) {
		t->end_ns = t->control.from_ns + (uint64_t)length_ns;
		t->control.until_ns = t->end_ns;
		set_control(t);
	}
	return 0;
}

void request_timing_read(struct request_timing *t)
{
	ring_buffer__consume(t->ring);
}

void request_timing_decide(struct request_timing *t, uint64_t value, bool matches)
{
	uint32_t decision = matches ? TIMES_MATCHES : TIMES_LEFT_OUT;

	bpf_map_update_elem(find_map(t, "values"), &value, &decision, BPF_EXIST);
}

void request_timing_root_ended(struct request_timing *t)
{
	t->control.root = 0;
	set_control(t);
}

bool request_timing_any_lives(const struct request_timing *t, uint32_t pid)
{
	int map = find_map(t, "processes");
	uint32_t key, *last = NULL, next;
	uint64_t start;

	/* if the kernel deletes the last key meanwhile, the walk begins again with the first key */
	for (int i = 0; i < TIMES_PROCESSES_MAX && !bpf_map_get_next_key(map, last, &next); i++) {
		key = next;
		last = &key;
		if (key != pid && !bpf_map_lookup_elem(map, &key, &start) && (start & 1) &&
			task_lives(key, 0))
			return true;
	}
	return false;
}

void request_timing_release(struct request_timing *t)
{
	request_timing_pause(t);
	ring_buffer__free(t->ring);
	bpf_object__close(t->object);
	free(t->texts);
	free(t->requests);
	if (t->file > 0)
		close(t->file);
	*t = (struct request_timing){0};
}

bool request_timing_next(const struct request_timing *t, const struct times_key *key,
	struct times_key *next, struct times_row *row)
{
	int map = find_map(t, "rows");

	return !bpf_map_get_next_key(map, key, next) && !bpf_map_lookup_elem(map, next, row);
}

struct times_losses request_timing_lost(const struct request_timing *t)
{
	struct times_losses losses = {0};
	uint32_t zero = 0;

	bpf_map_lookup_elem(find_map(t, ".bss"), &zero, &losses);
	return losses;
}
