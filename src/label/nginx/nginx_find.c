/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_find.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "nginx_shape.h"
#include "symbol/elf/elffacts.h"
#include "symbol/nginx_code.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	MODULE_WORDS = NGINX_MODULE_SIGNATURE + 1, /* words of a module that are read */
	SIGNATURE_BYTES = 48,
	VERSION_MIN = 1014000,
	ANGIE_VERSION_MIN = 1000000,
	VERSION_MAX = 2000000,
	CTX_INDEX_MAX = 1024,
};

enum {
	CYCLE_BYTES = 0x300,
	CONNECTION_MIN = 0xa0,
	CONNECTION_BYTES = 0x180, /* more than the size of a connection */
	CONNECTIONS_MAX = 1 << 24,
	EVENT_MIN = 64,
	EVENT_MAX = 256,
	SEARCHED_MAX = 1 << 16,    /* connections that are searched for requests */
	SEARCHED_AT_ONCE = 1 << 8, /* connections in one read, so that no read takes long */
	REQUEST_BYTES = 0x600,
	VERIFIED_BY = 8, /* requests that are enough */
	HOST_MAX = 1024,
	HOST_SEEN = 64, /* bytes of the host that are checked */
	STATUS_MIN = 100,
	STATUS_MAX = 999,
	START_MIN_S = 1000000000, /* since 1970; nginx is younger */
	START_LATE_S = 24 * 60 * 60,
};

static const char core[] = nginx_symbol, cycle[] = "ngx_cycle",
		  loop[] = "ngx_process_events_and_timers",
		  of_tengine[] = "ngx_show_directives"; /* a function that only Tengine has */

static const struct {
	const char *name;
	enum nginx_place place;
} places[NGINX_CODES] = {
	{"ngx_event_expire_timers", NGINX_TIMERS},
	{"ngx_event_accept", NGINX_ACCEPT},
	{"ngx_event_recvmsg", NGINX_ACCEPT},
	{"ngx_http_free_request", NGINX_CLOSING},
	{"ngx_http_close_connection", NGINX_CLOSING},
	{"ngx_close_connection", NGINX_CLOSING},
	{"ngx_destroy_pool", NGINX_CLOSING},
	{"ngx_http_init_connection", NGINX_READING},
	{"ngx_quic_recvmsg", NGINX_QUIC},
	{"ngx_quic_output", NGINX_QUIC},
};

static const char *const variants[] = {
	[NGINX_ITSELF] = "nginx",
	[NGINX_TENGINE] = "Tengine from nginx",
	[NGINX_ANGIE] = "Angie",
};

static void ask_files(const struct target *t)
{
	struct elf_question *list = xcalloc(t->nr_files + 1, sizeof(*list));

	for (size_t i = 0; i < t->nr_files; i++)
		list[i] = (struct elf_question){t->files[i].elf, FACT_VARIABLE, core, 0, NULL};
	elffacts_ask(list, t->nr_files);
	free(list);
}

/* Asks for the other facts of the file with nginx. */
static void ask_file(const struct target_file *file)
{
	static const char *const names[] = {cycle, loop, of_tengine};
	struct elf_question list[ARRAY_LEN(names) + NGINX_CODES];
	size_t nr = 0;

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		list[nr++] = (struct elf_question){file->elf, FACT_VARIABLE, names[i], 0, NULL};
	for (size_t i = 0; i < NGINX_CODES; i++)
		list[nr++] =
			(struct elf_question){file->elf, FACT_VARIABLE, places[i].name, 0, NULL};
	elffacts_ask(list, nr);
}

const struct target_file *nginx_file(const struct target *t)
{
	struct elf_variable unused;

	for (size_t i = 0; i < t->nr_files; i++)
		if (elffacts_variable(t->files[i].elf, core, &unused))
			return &t->files[i];
	return NULL;
}

/* ---- version and features ---- */

static bool read_module(
	const struct target *t, const struct target_file *file, const char *name, uint64_t *module)
{
	uint64_t at = target_symbol(file, name);

	return at && memory_read(&t->memory, at, module, MODULE_WORDS * sizeof(*module));
}

/* Returns the number of characters at the start of TEXT that can be printed. */
static int printable(const char *text)
{
	int nr = 0;

	while (text[nr] > ' ' && text[nr] <= '~')
		nr++;
	return nr;
}

static enum nginx_variant variant_of(
	const struct target_file *file, const struct nginx_features *features)
{
	struct elf_variable unused;

	if (features->of_angie)
		return NGINX_ANGIE;
	return elffacts_variable(file->elf, of_tengine, &unused) ? NGINX_TENGINE : NGINX_ITSELF;
}

/* Sets all members that version and signature determine. */
static int read_core(const struct target *t, const struct target_file *file, struct nginx_layout *l,
	struct nginx_features *features, struct strbuf *err)
{
	uint64_t module[MODULE_WORDS];
	char signature[SIGNATURE_BYTES + 1] = "";

	if (!read_module(t, file, core, module) ||
		!memory_read(
			&t->memory, module[NGINX_MODULE_SIGNATURE], signature, SIGNATURE_BYTES))
		return target_refuse(file, "nginx", err);
	uint64_t version = module[NGINX_MODULE_VERSION];

	if (!nginx_features_parse(signature, features) ||
		version < (features->of_angie ? ANGIE_VERSION_MIN : VERSION_MIN) ||
		version >= VERSION_MAX || module[NGINX_MODULE_CTX_INDEX] > CTX_INDEX_MAX)
		return fail(err,
			"nginx in '%s' cannot be read: its version, %" PRIu64
			", or its signature, '%.*s', is not that of nginx 1.14 or later, Tengine "
			"or Angie for x86-64",
			file->path, version, printable(signature), signature);
	nginx_shape(variant_of(file, features), (uint32_t)version, features, l);
	l->core = (uint32_t)module[NGINX_MODULE_CTX_INDEX];
	return 0;
}

/* ---- arrays ---- */

/*
 * Learns the sizes of a connection and of an event from the second connection's pointers to its two
 * events. Returns false if there are not two connections at FIRST.
 */
static bool learn_sizes(const struct memory *m, uint64_t first, struct nginx_layout *l)
{
	enum { READ = NGINX_CONNECTION_READ / 8, WRITE = NGINX_CONNECTION_WRITE / 8 };
	uint64_t word[CONNECTION_BYTES / 8];

	if (!memory_read(m, first, word, sizeof(word)) || word[READ] != l->read_events ||
		word[WRITE] != l->write_events)
		return false;
	for (size_t i = CONNECTION_MIN / 8; i + WRITE < ARRAY_LEN(word); i++) {
		uint64_t event = word[i + READ] - word[READ];

		if (event == word[i + WRITE] - word[WRITE] && event >= EVENT_MIN &&
			event <= EVENT_MAX) {
			l->connection_size = (uint16_t)(i * 8);
			l->event_size = (uint16_t)event;
			return true;
		}
	}
	return false;
}

/*
 * Finds the arrays that the cycle points to. They are three pointers in a row, behind connection_n
 * and files_n, and the first connection points to the two arrays of events. A master has no arrays.
 */
static void learn_arrays(const struct memory *m, struct nginx_layout *l)
{
	uint64_t word[CYCLE_BYTES / 8], at;

	l->connections = l->read_events = l->write_events = 0;
	l->nr_connections = 0;
	if (!memory_pointer(m, l->cycle, &at) || !at || !memory_read(m, at, word, sizeof(word)))
		return;
	for (size_t i = 2; i + 2 < ARRAY_LEN(word); i++) {
		if (word[i - 2] < 2 || word[i - 2] > CONNECTIONS_MAX || !word[i])
			continue;
		l->read_events = word[i + 1];
		l->write_events = word[i + 2];
		if (!learn_sizes(m, word[i], l))
			continue;
		l->connections = word[i];
		l->nr_connections = (uint32_t)word[i - 2];
		return;
	}
	l->read_events = l->write_events = 0;
}

/* ---- requests ---- */

/* Returns whether WORD of a request is the string of the URI. */
static bool is_uri(const struct memory *m, const uint64_t *word)
{
	char first;

	return word[0] && word[0] <= UINT16_MAX && memory_read(m, word[1], &first, 1) &&
	       first == '/';
}

/*
 * Returns the offset of the word by which the request at R, of the connection C, points to itself,
 * or 0 if it is not a main request. Other words may point to R, too: words that filters keep behind
 * a request, and any word in a subrequest. So there must be no parent behind the word and a URI in
 * front of it, and the members that move with the word must not come before the pool.
 */
static uint16_t learn_main(
	const struct memory *m, const struct nginx_layout *l, uint64_t r, uint64_t c)
{
	uint64_t word[REQUEST_BYTES / 8];
	size_t nearest = (l->at.main - l->at.server + l->at.pool) / 8U + 1;
	size_t uri = (l->at.main - l->at.uri) / 8U, parent = (l->at.parent - l->at.main) / 8U;

	if (!memory_read(m, r, word, sizeof(word)) || (uint32_t)word[0] != NGINX_SIGNATURE ||
		word[NGINX_REQUEST_CONNECTION / 8] != c)
		return 0;
	for (size_t i = nearest; i + parent < ARRAY_LEN(word); i++)
		if (word[i] == r && !word[i + parent] && is_uri(m, &word[i - uri]))
			return (uint16_t)(i * 8);
	return 0;
}

/* Returns whether this layout yields a plausible time, host and status for the request at R. */
static bool is_plausible(const struct memory *m, const struct nginx_layout *l, uint64_t r)
{
	uint64_t start[2], host[2], status;
	char text[HOST_SEEN];
	size_t len;

	if (!memory_read(m, r + l->at.start, start, sizeof(start)) ||
		!memory_read(m, r + l->at.server, host, sizeof(host)) ||
		!memory_pointer(m, r + l->at.status, &status))
		return false;
	if (start[0] < START_MIN_S || start[0] > (uint64_t)realtime_ms() / 1000 + START_LATE_S ||
		start[1] >= 1000 || host[0] > HOST_MAX ||
		(status && (status < STATUS_MIN || status > STATUS_MAX)))
		return false;
	len = host[0] < HOST_SEEN ? host[0] : HOST_SEEN;
	if (len && !memory_read(m, host[1], text, len))
		return false;
	for (size_t i = 0; i < len; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return false;
	return true;
}

/*
 * Makes the layout fit the request at R, whose main is at offset MAIN. Variants have more or fewer
 * members in front of all that varies, or more members behind the start time of requests. Returns
 * false if neither fits.
 */
static bool fit(const struct memory *m, struct nginx_layout *l, uint64_t r, uint16_t main)
{
	struct nginx_layout moved = *l, stretched = *l;

	if (main == l->at.main)
		return true;
	nginx_shape_move(&moved, main);
	nginx_shape_stretch(&stretched, main);
	if (is_plausible(m, &moved, r))
		*l = moved;
	else if (main > l->at.main && is_plausible(m, &stretched, r))
		*l = stretched;
	else
		return false;
	return true;
}

/* An open connection, and the address in its member data. */
struct open_connection {
	uint64_t address, data;
};

/*
 * Writes the open connections among NR connections from FIRST on to LIST; returns their number. All
 * are read at once, as reading each alone takes long.
 */
static size_t list_open(const struct memory *m, const struct nginx_layout *l, uint32_t first,
	uint32_t nr, struct open_connection *list)
{
	size_t size = l->connection_size, nr_open = 0;
	uint64_t at = l->connections + (uint64_t)first * size;
	char *bytes = xcalloc(nr, size);

	if (!memory_read(m, at, bytes, nr * size))
		nr = 0;
	for (uint32_t i = 0; i < nr; i++, at += size) {
		struct open_connection c = {.address = at};
		int32_t fd; /* the data of a closed connection refers to the next closed one */

		memcpy(&fd, bytes + i * size + NGINX_CONNECTION_FD, sizeof(fd));
		memcpy(&c.data, bytes + i * size + NGINX_CONNECTION_DATA, sizeof(c.data));
		if (fd > 0 && c.data && !(c.data & 7))
			list[nr_open++] = c;
	}
	free(bytes);
	return nr_open;
}

/* Keeps the connections that have an HTTP request, as most may be waiting for one. */
static size_t keep_requests(const struct memory *m, struct open_connection *list, size_t nr)
{
	uint64_t data[SEARCHED_AT_ONCE], head[SEARCHED_AT_ONCE][2];
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		data[i] = list[i].data;
	if (!memory_scattered(m, data, nr, sizeof(*head), head))
		return 0;
	for (size_t i = 0; i < nr; i++)
		if ((uint32_t)head[i][0] == NGINX_SIGNATURE &&
			head[i][NGINX_REQUEST_CONNECTION / 8] == list[i].address)
			list[kept++] = list[i];
	return kept;
}

/*
 * Compares the requests of NR connections from FIRST on with the layout, which is made to fit the
 * first request of all. Adds the number of main requests to *SEEN. Returns false if two requests
 * differ, or the first one does not fit.
 */
static bool verify(
	const struct memory *m, struct nginx_layout *l, uint32_t first, uint32_t nr, unsigned *seen)
{
	struct open_connection list[SEARCHED_AT_ONCE];
	size_t nr_open = list_open(m, l, first, nr, list);
	size_t nr_requests = keep_requests(m, list, nr_open);

	for (size_t i = 0; i < nr_requests && *seen < VERIFIED_BY; i++) {
		uint16_t main = learn_main(m, l, list[i].data, list[i].address);

		if (!main)
			continue;
		bool same = (*seen)++ ? main == l->at.main : fit(m, l, list[i].data, main);

		if (!same)
			return false;
	}
	return true;
}

static bool verify_by_requests(const struct memory *m, struct nginx_layout *l)
{
	uint32_t nr = l->nr_connections < SEARCHED_MAX ? l->nr_connections : SEARCHED_MAX;
	unsigned seen = 0;

	l->state = l->nr_connections ? NGINX_ASSUMED : NGINX_NO_WORKER;
	for (uint32_t i = 0; i < nr && seen < VERIFIED_BY; i += SEARCHED_AT_ONCE)
		if (!verify(m, l, i, nr - i < SEARCHED_AT_ONCE ? nr - i : SEARCHED_AT_ONCE, &seen))
			return false;
	if (seen)
		l->state = NGINX_VERIFIED;
	return true;
}

/* ---- all of it ---- */

/* Finds the functions that tell what a worker does. */
static void find_code(const struct target_file *file, struct nginx_layout *l)
{
	struct elf_variable at;
	size_t nr = 0;

	if (elffacts_variable(file->elf, loop, &at)) {
		l->loop = at.address + file->bias;
		l->loop_end = l->loop + at.size;
	}
	for (size_t i = 0; i < NGINX_CODES; i++)
		if (elffacts_variable(file->elf, places[i].name, &at) && at.size &&
			at.size <= UINT32_MAX)
			l->code[nr++] = (struct nginx_place_code){
				at.address + file->bias, (uint32_t)at.size, places[i].place};
}

int nginx_find(const struct target *t, struct nginx_layout *layout, struct strbuf *err)
{
	const struct target_file *file;
	struct nginx_features features;

	ask_files(t);
	file = nginx_file(t);
	*layout = (struct nginx_layout){0};
	if (!file)
		return 1;
	ask_file(file);
	if (read_core(t, file, layout, &features, err))
		return -1;
	layout->bias = file->bias;
	layout->cycle = target_symbol(file, cycle);
	if (!layout->cycle)
		return fail(err,
			"nginx in '%s' cannot be read: it does not export the symbol 'ngx_cycle'; "
			"use a build with its dynamic symbols",
			file->path);
	find_code(file, layout);
	learn_arrays(&t->memory, layout);
	nginx_shape_connection(&features, layout);
	if (!verify_by_requests(&t->memory, layout))
		return fail(err,
			"%s %u.%u.%u in '%s' cannot be read: its requests do not have the layout "
			"of any known version; please report which build it is",
			variants[layout->variant], layout->version / 1000000,
			layout->version / 1000 % 1000, layout->version % 1000, file->path);
	return 0;
}

void nginx_describe(
	const struct nginx_layout *l, const char *path, uint32_t pid, struct strbuf *out)
{
	static const char *const states[] = {
		[NGINX_NO_WORKER] = "serves no requests itself",
		[NGINX_ASSUMED] = "layout of its version, not verified yet by a request",
		[NGINX_VERIFIED] = "layout verified by requests",
	};

	strbuf_addf(out, "%s %u.%u.%u in '%s' of process %" PRIu32 ", %s", variants[l->variant],
		l->version / 1000000, l->version / 1000 % 1000, l->version % 1000, path, pid,
		states[l->state]);
	if (l->nr_connections)
		strbuf_addf(out, ", %" PRIu32 " connections", l->nr_connections);
}
