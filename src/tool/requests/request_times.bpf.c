// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures how long nginx's requests take, with uprobes where nginx creates a request for a
 * connection, when its first byte has arrived, and where it frees the request. A connection has one
 * request at a time; each stream of HTTP/2 and HTTP/3 has its own connection. Subrequests are freed
 * with their main request.
 *
 * A worker serves requests in one thread, so data that is kept per worker needs no locks.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/bpf/kern/structs.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define NGINX_READ(from, to, size, at) bpf_probe_read_user(to, size, (const void *)(at))

#include "label/nginx/nginx_step.h"
#include "lib/log_scale.h"
#include "request_times.h"

enum { ANCESTORS = 4, PAIR = 2, SIFTS = 8, WORDS = NGINX_TEXT_MAX / 8 };
enum { EXISTS = 17 }; /* EEXIST */

const volatile struct times_settings settings;
struct times_control control SEC(".data") = {.from_ns = UINT64_MAX, .until_ns = UINT64_MAX};
struct times_losses losses;

#define PID_NS settings.pid_ns
#include "engine/bpf/kern/tasks.h"

/*
 * Processes that run nginx's file: the start time, with the lowest bit set if the process counts.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, TIMES_PROCESSES_MAX);
	__type(key, uint32_t);
	__type(value, uint64_t);
} processes SEC(".maps");

struct request_start {
	uint64_t start_ns, head_ns, content_ns, answer_ns, busy_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TIMES_REQUESTS_MAX);
	__type(key, struct times_connection);
	__type(value, struct request_start);
} starts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TIMES_ROWS_MAX);
	__type(key, struct times_key);
	__type(value, struct times_row);
} rows SEC(".maps");

/* The decisions (enum times_decision) on texts that were sent, by hash. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TIMES_VALUES_MAX);
	__type(key, uint64_t);
	__type(value, uint32_t);
} values SEC(".maps");

/* A heap whose first element is the shortest time of the slowest requests. */
struct slowest {
	uint64_t ns[TIMES_SLOWEST_MAX]; /* times + 1, or 0 for free elements */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct times_slowest_key);
	__type(value, struct slowest);
} slowest SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct slowest);
} none_is_slow SEC(".maps"); /* never written; too large for the stack */

/* The record of a slow request that is about to be sent, by worker. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, uint32_t);
	__type(value, struct times_request);
} records SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct times_request);
} no_record SEC(".maps"); /* never written, like none_is_slow */

/* When the last part of a worker's work ended, by worker. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, TIMES_WORKERS_MAX);
	__type(key, uint32_t);
	__type(value, uint64_t);
} marks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} ring SEC(".maps");

/*
 * The order is relaxed because clang 23 emits an instruction that needs Linux 5.12 for other
 * orders.
 */
static __always_inline void add_one(uint64_t *number)
{
	__atomic_fetch_add(number, 1, __ATOMIC_RELAXED);
}

static __always_inline bool read_user(void *to, uint32_t size, uint64_t address)
{
	return !bpf_probe_read_user(to, size, (const void *)address);
}

/* ---- which processes count ---- */

static __always_inline uint64_t start_of(struct task_struct *task)
{
	return BPF_CORE_READ(task, group_leader, start_boottime) | 1;
}

static __always_inline bool is_known(uint32_t tgid, uint64_t start, bool *ours)
{
	const uint64_t *known = bpf_map_lookup_elem(&processes, &tgid);

	*ours = known && *known == start;
	return *ours || (known && *known == start - 1);
}

/*
 * Returns how many generations above TASK there is a process that counts (0 if it is TASK), or -1
 * if there is none up to ANCESTORS.
 */
static __noinline int generations_to_ours(struct task_struct *task)
{
	for (int i = 0; i <= ANCESTORS; i++) {
		uint32_t tgid = ids_of(task).tgid;
		bool ours;

		is_known(tgid, start_of(task), &ours);
		if (ours || (tgid && tgid == control.root))
			return i;
		task = BPF_CORE_READ(task, real_parent);
	}
	return -1;
}

/*
 * Returns whether the current process counts because it descends from a process that counts. Its
 * parent then counts, too, so that the master of a new program keeps its workers when the old
 * master ends.
 */
static __always_inline bool is_ours(uint32_t tgid)
{
	struct task_struct *task = current_task(), *parent;
	uint64_t start = start_of(task);
	bool ours;
	int generations;

	if (is_known(tgid, start, &ours))
		return ours;
	generations = generations_to_ours(task);
	if (generations > 0) {
		parent = BPF_CORE_READ(task, real_parent);

		uint32_t of = ids_of(parent).tgid;
		uint64_t began = start_of(parent);

		bpf_map_update_elem(&processes, &of, &began, BPF_ANY);
	}
	start -= generations < 0;
	bpf_map_update_elem(&processes, &tgid, &start, BPF_ANY);
	return generations >= 0;
}

/* ---- work ---- */

/* Adds the worker's time since the last mark to REQUEST, or to no request if it is NULL. */
static __always_inline void mark(uint32_t worker, uint64_t now, struct request_start *request)
{
	uint64_t *last = bpf_map_lookup_elem(&marks, &worker);

	if (!last) {
		bpf_map_update_elem(&marks, &worker, &now, BPF_ANY);
		return;
	}
	if (request && *last >= control.from_ns)
		request->busy_ns += now - *last;
	*last = now;
}

SEC("uprobe")
int on_wait_end(struct pt_regs *regs)
{
	uint32_t worker = my_ids().tgid;

	if (is_ours(worker))
		mark(worker, bpf_ktime_get_ns(), NULL);
	return 0;
}

SEC("uprobe")
int on_handled(struct pt_regs *regs)
{
	struct times_connection key = {.connection = PT_REGS_PARM1(regs), .worker = my_ids().tgid};

	if (is_ours(key.worker))
		mark(key.worker, bpf_ktime_get_ns(), bpf_map_lookup_elem(&starts, &key));
	return 0;
}

/* ---- phases ---- */

/* Returns the times of the main request in the first argument, or NULL if it is a subrequest or not
 * known. */
static __always_inline struct request_start *main_request(struct pt_regs *regs)
{
	struct times_connection key = {.worker = my_ids().tgid};
	uint64_t request = PT_REGS_PARM1(regs), main;

	if (!is_ours(key.worker) ||
		!read_user(&main, sizeof(main), request + control.layout.at.main) ||
		main != request ||
		!read_user(&key.connection, sizeof(key.connection),
			request + NGINX_REQUEST_CONNECTION))
		return NULL;
	return bpf_map_lookup_elem(&starts, &key);
}

SEC("uprobe")
int on_head(struct pt_regs *regs)
{
	struct request_start *start = main_request(regs);

	if (start && !start->head_ns)
		start->head_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("uprobe")
int on_content(struct pt_regs *regs)
{
	struct request_start *start = main_request(regs);

	if (start && !start->content_ns)
		start->content_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("uprobe")
int on_answer(struct pt_regs *regs)
{
	struct request_start *start = main_request(regs);

	if (start && !start->answer_ns)
		start->answer_ns = bpf_ktime_get_ns();
	return 0;
}

/* ---- labels ---- */

/* Returns a hash. The length is part of it because texts are cut. */
static __always_inline uint64_t hash_of(const struct nginx_text *text)
{
	uint64_t hash = text->len;

	for (uint32_t i = 0; i < WORDS; i++) {
		uint64_t word;

		__builtin_memcpy(&word, text->bytes + i * sizeof(word), sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15;
		hash ^= hash >> 32;
	}
	return hash | 2; /* differs from TIMES_NO_VALUE and TIMES_OTHER_VALUE */
}

/*
 * Returns the value of TEXT, which is sent if it was not seen before, or TIMES_OTHER_VALUE if there
 * is no room for more texts.
 */
static __always_inline uint64_t value_of_text(const struct nginx_text *text)
{
	uint64_t value = hash_of(text);
	struct times_text *record;
	uint32_t undecided = TIMES_UNDECIDED;
	long error;

	if (bpf_map_lookup_elem(&values, &value))
		return value;
	error = bpf_map_update_elem(&values, &value, &undecided, BPF_NOEXIST);
	if (error == -EXISTS)
		return value;
	if (error)
		return TIMES_OTHER_VALUE;
	record = bpf_ringbuf_reserve(&ring, sizeof(*record), 0);
	if (!record) {
		bpf_map_delete_elem(&values, &value); /* the next request with this text sends it */
		return value;
	}
	record->kind = TIMES_TEXT;
	record->value = value;
	record->text = *text;
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	return value;
}

/* Returns the value of KEY, which is a text of REQUEST. */
__noinline uint64_t text_value(uint64_t request, uint32_t key)
{
	struct nginx_text text;

	__builtin_memset(&text, 0, sizeof(text));
	nginx_read_text(NULL, &control.layout, request, key, &text);
	return text.len ? value_of_text(&text) : TIMES_NO_VALUE;
}

static __always_inline uint64_t value_of(
	uint64_t request, uint32_t key, uint32_t status, uint32_t worker)
{
	if (key < NGINX_TEXTS)
		return text_value(request, key);
	if (key == NGINX_KEY_STATUS)
		return status;
	return key == NGINX_KEY_WORKER ? worker : TIMES_NO_VALUE;
}

static __always_inline uint32_t decision_on(uint64_t where)
{
	const uint32_t *decision;

	if (settings.where >= NGINX_TEXTS)
		return TIMES_UNDECIDED;
	decision = bpf_map_lookup_elem(&values, &where);
	return decision ? *decision : TIMES_UNDECIDED;
}

/* ---- the end of a request ---- */

struct ended {
	uint64_t request, connection, now, request_ns;
	uint64_t value, where;
	int64_t start_ms, clock_ms; /* since 1970, by nginx's clock, or 0 if not known */
	uint32_t worker, status;
	bool by_clock;
	struct request_start start;
};

static __always_inline int64_t read_ms(uint64_t address)
{
	uint64_t time[PAIR];

	if (!read_user(time, sizeof(time), address))
		return 0;
	return (int64_t)(time[0] * 1000 + time[1]);
}

/*
 * Returns the status that nginx is about to set. RC is 0, or the status of a request that is cut
 * short.
 */
static __always_inline uint32_t status_of(const struct ended *e, int64_t rc)
{
	uint64_t status = 0, sent = 0;

	read_user(&status, sizeof(status), e->request + control.layout.at.status);
	read_user(&sent, sizeof(sent), e->connection + NGINX_CONNECTION_SENT);
	return rc > 0 && (!status || !sent) ? (uint32_t)rc : (uint32_t)status;
}

static __always_inline void read_clock(struct ended *e)
{
	uint64_t at = 0;

	e->start_ms = read_ms(e->request + control.layout.at.start);
	if (settings.cached_time && read_user(&at, sizeof(at), settings.cached_time) && at)
		e->clock_ms = read_ms(at);
	/* the clock may be at another address in a new program */
	if (e->clock_ms < e->start_ms)
		e->clock_ms = 0;
}

/*
 * Times a request whose start is not known by nginx's clock, which stands still while nginx handles
 * an event: it lasts since the beginning of the measurement at least. Returns false if the request
 * does not count: nginx also frees requests that it makes up during TLS handshakes, without creating
 * them.
 */
static __always_inline bool time_by_clock(struct ended *e)
{
	uint64_t least_ns = e->now - control.from_ns;

	read_clock(e);
	if (!e->start_ms || e->start_ms > control.before_ms || !e->clock_ms) {
		if (e->status)
			add_one(&losses.requests);
		return false;
	}
	e->by_clock = true;
	e->request_ns = (uint64_t)(e->clock_ms - e->start_ms) * 1000000;
	if (e->request_ns < least_ns)
		e->request_ns = least_ns;
	return e->status != 0;
}

static __always_inline void count(const struct ended *e)
{
	struct times_key key = {.value = e->value,
		.where = e->where,
		.worker = e->worker,
		.bucket = log_scale_bucket(e->request_ns)};
	struct times_row row = {1, e->request_ns, e->request_ns, e->request_ns, e->by_clock};
	struct times_row *old = bpf_map_lookup_elem(&rows, &key);

	if (!old) {
		if (bpf_map_update_elem(&rows, &key, &row, BPF_ANY))
			add_one(&losses.requests);
		return;
	}
	old->count++;
	old->sum_ns += e->request_ns;
	if (e->request_ns < old->min_ns)
		old->min_ns = e->request_ns;
	if (e->request_ns > old->max_ns)
		old->max_ns = e->request_ns;
	old->by_clock += e->by_clock;
}

/*
 * Returns whether the request is among the slowest of its worker so far. It is compared with the
 * requests that match or, while its value of `where` is not decided on, with the requests that have
 * the same value.
 */
static __always_inline bool is_slow(const struct ended *e, uint32_t decision)
{
	struct times_slowest_key key = {
		.where = decision == TIMES_MATCHES ? TIMES_NO_VALUE : e->where,
		.worker = e->worker};
	struct slowest *s = bpf_map_lookup_elem(&slowest, &key);
	uint32_t zero = 0, nr = settings.slowest, at = 0;
	uint64_t ns = e->request_ns + 1;

	if (!nr || e->request_ns < settings.least_ns)
		return false;
	if (!s) {
		const struct slowest *none = bpf_map_lookup_elem(&none_is_slow, &zero);

		if (none)
			bpf_map_update_elem(&slowest, &key, none, BPF_NOEXIST);
		s = bpf_map_lookup_elem(&slowest, &key);
		if (!s)
			return true;
	}
	if (ns <= s->ns[0])
		return false;
	for (uint32_t i = 0; i < SIFTS; i++) {
		uint32_t child = 2 * at + 1;

		if (child >= nr)
			break;
		if (child + 1 < nr &&
			s->ns[(child + 1) % TIMES_SLOWEST_MAX] < s->ns[child % TIMES_SLOWEST_MAX])
			child++;
		if (s->ns[child % TIMES_SLOWEST_MAX] >= ns)
			break;
		s->ns[at % TIMES_SLOWEST_MAX] = s->ns[child % TIMES_SLOWEST_MAX];
		at = child;
	}
	s->ns[at % TIMES_SLOWEST_MAX] = ns;
	return true;
}

/* The beginning of ngx_http_upstream_state_t. */
struct upstream_state {
	uint64_t status;
	int64_t response, connect, header;
	uint64_t queue, length, received;
	uint64_t sent; /* up to nginx 1.15.7 this member does not exist and the peer is here */
	uint64_t peer; /* address of a string */
};
enum { STATE_WITHOUT_SENT = offsetof(struct upstream_state, peer) }; /* size in those versions */

/*
 * The functions below are not inlined, so that they are verified once; Linux 5.10 gives up
 * otherwise.
 */

/* Reads attempt INDEX, which is at ADDRESS and has SIZE bytes. */
__noinline int read_try(uint32_t worker, uint32_t index, uint64_t address, uint64_t size)
{
	struct times_request *to = bpf_map_lookup_elem(&records, &worker);
	struct upstream_state state;
	uint64_t string[PAIR], peer;
	uint32_t len;

	if (!to || index >= TIMES_TRIES)
		return 0;
	struct times_try *try = &to->tries[index];

	try->peer_len = 0;
	try->response = try->connect = try->header = -1;
	if (!read_user(&state, sizeof(state), address))
		return 0;
	try->response = state.response;
	try->connect = state.connect;
	try->header = state.header;
	peer = size == STATE_WITHOUT_SENT ? state.sent : state.peer;
	if (!peer || !read_user(string, sizeof(string), peer) || !string[0])
		return 0;
	len = string[0] < TIMES_PEER_MAX ? (uint32_t)string[0] : TIMES_PEER_MAX;
	if (read_user(try->peer, len, string[1]))
		try->peer_len = len;
	return 0;
}

/* Reads the attempts of REQUEST for which there is room, and returns the number of all. */
__noinline uint32_t read_tries(uint32_t worker, uint64_t request)
{
	uint64_t at = 0, array[3]; /* elements, their number, their size */

	if (!read_user(&at, sizeof(at), request + control.layout.at.upstream_states) || !at ||
		!read_user(array, sizeof(array), at) || array[1] > UINT16_MAX)
		return 0;
	for (uint32_t i = 0; i < TIMES_TRIES; i++)
		if (i < array[1])
			read_try(worker, i, array[0] + i * array[2], array[2]);
	return (uint32_t)array[1];
}

__noinline int read_text(uint32_t worker, uint32_t kind, uint64_t request)
{
	struct times_request *to = bpf_map_lookup_elem(&records, &worker);

	if (!to || kind >= NGINX_TEXTS)
		return 0;
	to->text[kind].len = 0;
	if (kind != NGINX_ARGS)
		nginx_read_text(NULL, &control.layout, request, kind, &to->text[kind]);
	return 0;
}

static __always_inline struct times_request *record_of(uint32_t worker)
{
	struct times_request *to = bpf_map_lookup_elem(&records, &worker);
	const struct times_request *none;
	uint32_t zero = 0;

	if (to)
		return to;
	none = bpf_map_lookup_elem(&no_record, &zero);
	if (none)
		bpf_map_update_elem(&records, &worker, none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&records, &worker);
}

static __always_inline void send(const struct ended *e)
{
	struct times_request *to = record_of(e->worker);
	uint64_t sent = 0;

	if (!to) {
		add_one(&losses.slow);
		return;
	}
	read_user(&sent, sizeof(sent), e->connection + NGINX_CONNECTION_SENT);
	to->kind = TIMES_REQUEST;
	to->request_ns = e->request_ns;
	to->end_ns = e->now;
	to->head_ns = e->start.head_ns;
	to->content_ns = e->start.content_ns;
	to->answer_ns = e->start.answer_ns;
	to->busy_ns = e->start.busy_ns;
	to->start_ms = e->start_ms;
	to->log_ms = e->clock_ms ? e->clock_ms - e->start_ms : -1;
	to->sent = (int64_t)sent;
	to->worker = e->worker;
	to->status = e->status;
	to->by_clock = e->by_clock;
	to->nr_tries = read_tries(e->worker, e->request);
	for (uint32_t i = 0; i < NGINX_TEXTS; i++)
		read_text(e->worker, i, e->request);
	if (bpf_ringbuf_output(&ring, to, sizeof(*to), BPF_RB_NO_WAKEUP))
		add_one(&losses.slow);
}

SEC("uprobe")
int on_create(struct pt_regs *regs)
{
	struct times_connection key = {.connection = PT_REGS_PARM1(regs), .worker = my_ids().tgid};
	struct request_start start = {.start_ns = bpf_ktime_get_ns()};

	if (!is_ours(key.worker))
		return 0;
	bpf_map_update_elem(&starts, &key, &start, BPF_ANY);
	if (settings.phases)
		mark(key.worker, start.start_ns, NULL);
	return 0;
}

/* Takes the start of the request. Returns false if it is not known or may be another request's. */
static __always_inline bool take_start(struct ended *e)
{
	struct times_connection key = {.connection = e->connection, .worker = e->worker};
	struct request_start *start = bpf_map_lookup_elem(&starts, &key);
	bool known;

	if (settings.phases)
		mark(e->worker, e->now, start);
	if (!start)
		return false;
	/* the connection may have got another request while there were no probes */
	known = start->start_ns >= control.from_ns;
	if (known) {
		e->start = *start;
		e->request_ns = e->now - start->start_ns;
	}
	bpf_map_delete_elem(&starts, &key);
	return known;
}

SEC("uprobe")
int on_free(struct pt_regs *regs)
{
	struct ended e = {
		.request = PT_REGS_PARM1(regs), .worker = my_ids().tgid, .now = bpf_ktime_get_ns()};
	uint32_t decision;
	bool began;

	if (!is_ours(e.worker) || !read_user(&e.connection, sizeof(e.connection),
					  e.request + NGINX_REQUEST_CONNECTION))
		return 0;
	began = take_start(&e);
	if (e.now < control.from_ns || e.now > control.until_ns)
		return 0;
	e.status = status_of(&e, (int64_t)PT_REGS_PARM2(regs));
	if (!began && !time_by_clock(&e))
		return 0;
	e.where = value_of(e.request, settings.where, e.status, e.worker);
	decision = decision_on(e.where);
	if (decision == TIMES_LEFT_OUT)
		return 0;
	e.value = value_of(e.request, settings.by, e.status, e.worker);
	count(&e);
	if (!is_slow(&e, decision))
		return 0;
	if (began)
		read_clock(&e);
	send(&e);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
