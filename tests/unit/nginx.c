/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This program plays nginx itself: it has its symbols, a cycle with connections, and requests. Real
 * ones are tested in tests/nginx. */
#include "label/nginx/nginx_find.h"
#include "label/nginx/nginx_modules.h"
#include "nginx/nginx_serving.h"
#include "label/nginx/nginx_shape.h"
#include "label/nginx/nginx_values.h"
#include "nginx/nginx_streams.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/inspect.h"
#include "symbol/elf/elffile.h"
#include "symbol/nginx_names.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static int read_memory(void *from, void *to, uint32_t size, uint64_t address)
{
	const struct memory *m = from;

	return !memory_read(m, address, to, size);
}

#define NGINX_READ read_memory
#include "label/nginx/nginx_step.h"

/* --with-compat, and the default configuration */
#define COMPAT "8,4,8,0011111111010111001111111111111111"
#define PLAIN "8,4,8,0000111111010111001110101111000110"

/* struct ngx_module_s, ngx_http_conf_ctx_t */
struct played_module {
	uint64_t ctx_index, index;
	const char *name;
	uint64_t spare[2], version;
	const char *signature;
	const void *ctx, *commands;
	uint64_t type;
	void (*calls[7])(void);
	uint64_t hooks[8];
};

enum { CONNECTIONS = 1000, CONNECTION_SIZE = 0xf0, EVENT_SIZE = 0x60 };

static unsigned char connections[CONNECTIONS][CONNECTION_SIZE] __attribute__((aligned(16)));
static unsigned char read_events[CONNECTIONS][EVENT_SIZE] __attribute__((aligned(16)));
static unsigned char write_events[CONNECTIONS][EVENT_SIZE] __attribute__((aligned(16)));
static uint64_t cycle[0x300 / 8], request[3][0x600 / 8] __attribute__((aligned(16)));
static uint64_t loc_conf[0x60], srv_conf[0x60], main_conf[0x60], upstream[0x60], uscf[0x10];
static const void *loc_confs[2] = {NULL, loc_conf}, *srv_confs[2] = {NULL, srv_conf},
		  *main_confs[2] = {NULL, main_conf};

/* Functions of the modules, in the order of their addresses. */
#define PLAYED(name)                                                                               \
	static void name(void)                                                                     \
	{                                                                                          \
		printf(#name);                                                                     \
	}
/* No module refers to it, but one of the module's functions does. */
static __attribute__((noinline)) void other_helper(void)
{
	printf("other_helper\n");
}

PLAYED(core_setting)
PLAYED(core_init)

static void other_init(void)
{
	other_helper();
	printf("other_init\n");
}
PLAYED(other_handler)

struct played_command {
	uint64_t name_len;
	const char *name;
	uint64_t type;
	void (*set)(void);
	uint64_t rest[3];
};

static const struct played_command core_commands[] = {{8, "location", 0, core_setting, {0}}, {0}};
static void (*const core_ctx[8])(void) = {core_init, core_init};
static void (*const other_ctx[8])(void) = {NULL, other_init};

#define HTTP 0x50545448

extern struct played_module ngx_core_module, ngx_http_module, ngx_http_core_module,
	ngx_http_upstream_module;
struct played_module ngx_core_module = {.name = "ngx_core_module", .type = 0x45524f43};
struct played_module ngx_http_module = {.name = "ngx_http_module", .index = 2};
struct played_module ngx_http_core_module = {.name = "ngx_http_core_module",
	.ctx_index = 1,
	.type = HTTP,
	.ctx = core_ctx,
	.commands = core_commands};
struct played_module ngx_http_upstream_module = {
	.name = "ngx_http_upstream_module", .ctx_index = 0, .type = HTTP, .ctx = other_ctx};
static const struct played_module *const modules[] = {
	&ngx_core_module, &ngx_http_module, &ngx_http_core_module, &ngx_http_upstream_module, NULL};

/* The variables of the file; the names are apart. */
extern const struct played_module *const ngx_modules[];
const struct played_module *const ngx_modules[] = {
	&ngx_core_module, &ngx_http_module, &ngx_http_core_module, &ngx_http_upstream_module, NULL};
extern const char *const ngx_module_names[];
const char *const ngx_module_names[] = {"ngx_core_module", "ngx_http_module",
	"ngx_http_core_module", "ngx_http_upstream_module", NULL};

extern void *ngx_cycle;
void *ngx_cycle = cycle;

void ngx_process_events_and_timers(void);
void ngx_http_core_rewrite_phase(void);
void ngx_http_core_find_config_phase(void);
void ngx_http_core_post_rewrite_phase(void);
void ngx_http_core_access_phase(void);
void ngx_http_core_post_access_phase(void);
void ngx_http_core_content_phase(void);
#define PHASE(name)                                                                                \
	void name(void)                                                                            \
	{                                                                                          \
		printf(#name);                                                                     \
	}
PHASE(ngx_process_events_and_timers)
PHASE(ngx_http_core_rewrite_phase)
PHASE(ngx_http_core_find_config_phase)
PHASE(ngx_http_core_post_rewrite_phase)
PHASE(ngx_http_core_access_phase)
PHASE(ngx_http_core_post_access_phase)
PHASE(ngx_http_core_content_phase)
PLAYED(generic_phase)

static const struct {
	void (*checker)(void), (*handler)(void);
	uint64_t next;
} handlers[] = {
	{generic_phase, other_init, 0},
	{ngx_http_core_rewrite_phase, other_init, 0},
	{ngx_http_core_find_config_phase, NULL, 0},
	{ngx_http_core_rewrite_phase, other_init, 0},
	{ngx_http_core_post_rewrite_phase, NULL, 0},
	{generic_phase, core_init, 0},
	{ngx_http_core_access_phase, core_init, 0},
	{ngx_http_core_post_access_phase, NULL, 0},
	{generic_phase, core_init, 0},
	{ngx_http_core_content_phase, core_init, 0},
	{NULL, NULL, 0},
};

static struct processes ps;
static struct target target;

static int set_up(void **state)
{
	(void)state;
	processes_init(&ps);
	inspect_init(&target, &ps, processes_get(&ps, (uint32_t)getpid()), NULL);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	inspect_release(&target);
	processes_release(&ps);
	return 0;
}

static uint64_t address(const void *p)
{
	return (uintptr_t)p;
}

static void put(void *to, size_t offset, uint64_t value)
{
	memcpy((char *)to + offset, &value, sizeof(value));
}

static void put_string(void *to, size_t offset, const char *text)
{
	put(to, offset, strlen(text));
	put(to, offset + 8, address(text));
}

/* Makes the cycle of nginx 1.22.1 with connections, none of which is open. */
static void play_worker(void)
{
	memset(cycle, 0, sizeof(cycle));
	memset(connections, 0, sizeof(connections));
	memset(request, 0, sizeof(request));
	memset(read_events, 0, sizeof(read_events));
	memset(upstream, 0, sizeof(upstream));
	for (size_t i = 0; i < CONNECTIONS; i++) {
		put(connections[i], 8, address(read_events[i]));
		put(connections[i], 0x10, address(write_events[i]));
		put(connections[i], 0x18, UINT32_MAX);
		put(connections[i], 0xc8, 100 + i);
		put(read_events[i], 0, address(connections[i]));
		put(write_events[i], 0, address(connections[i]));
	}
	put(cycle, 0x1e8, CONNECTIONS);
	put(cycle, 0x1f8, address(connections));
	put(cycle, 0x200, address(read_events));
	put(cycle, 0x208, address(write_events));
	put(cycle, 0x88, address(modules));
	put(main_conf, 0x28, address(handlers));
	put_string(srv_conf, 0x40, "example.org");
	put_string(loc_conf, 0, "/cart");
	ngx_http_core_module.version = 1022001;
	ngx_http_core_module.signature = COMPAT;
	ngx_cycle = cycle;
}

/* Makes request NR of nginx 1.22.1 in connection AT; MAIN is the word of the main request's
 * address. */
static void play_request(size_t nr, size_t at, size_t main_request, uint16_t main)
{
	uint64_t *r = request[nr];

	put(connections[at], 0x18, 20 + at);
	put(connections[at], 0, address(r));
	put(connections[at], 0x48, 4711);
	put_string(connections[at], 0x78, "192.0.2.7");
	put(r, 0, NGINX_SIGNATURE);
	put(r, 8, address(connections[at]));
	put(r, 0x18, address(main_confs));
	put(r, 0x20, address(srv_confs));
	put(r, 0x28, address(loc_confs));
	put(r, 0x38, address(ngx_http_core_content_phase));
	put(r, 0x58, address(cycle)); /* a pool */
	put_string(r, 0x1f0, "www.example.org");
	put(r, 0x288, 200);
	put(r, 0x3c0, 1700000000);
	put(r, 0x3c8, 250);
	put_string(r, main - 0x78, "/cart/7");
	put_string(r, main - 0x68, "a=b");
	put_string(r, 0x430, "GET");
	put(r, main, address(request[main_request]));
	put(r, 0x490, 9);
}

/* Returns as nginx_find(). */
static int find(struct nginx_layout *layout)
{
	struct strbuf err = STRBUF_INIT;
	int result = nginx_find(&target, layout, &err);

	assert_int_equal(result<0, err.len> 0);
	strbuf_release(&err);
	return result;
}

/* ---- offsets ---- */

static void shape__as_the_headers_say(void **state)
{
	/* computed by a C compiler from the sources of these versions, with these configurations */
	static const struct {
		uint32_t version;
		const char *signature;
		uint16_t upstream, pool, server, status, start, uri, main, phase, server_name, conf;
	} list[] = {
		{1014002, COMPAT, 0x48, 0x58, 0x1f0, 0x288, 0x3c0, 0x3f0, 0x458, 0x480, 0x30,
			0x168},
		{1014002, PLAIN, 0x48, 0x58, 0x1b8, 0x250, 0x388, 0x3b8, 0x420, 0x448, 0x30, 0x128},
		{1015000, COMPAT, 0x48, 0x58, 0x1f0, 0x288, 0x3c0, 0x3f0, 0x458, 0x480, 0x40,
			0x168},
		{1018000, COMPAT, 0x48, 0x58, 0x1f0, 0x288, 0x3c0, 0x3f0, 0x468, 0x490, 0x40,
			0x168},
		{1018000, PLAIN, 0x48, 0x58, 0x1b8, 0x250, 0x388, 0x3b8, 0x430, 0x458, 0x40, 0x128},
		{1022001, COMPAT, 0x48, 0x58, 0x1f0, 0x288, 0x3c0, 0x3f0, 0x468, 0x490, 0x40,
			0x160},
		{1024000, COMPAT, 0x48, 0x58, 0x1b0, 0x248, 0x340, 0x370, 0x3e8, 0x410, 0x40,
			0x160},
		{1024000, PLAIN, 0x48, 0x58, 0x178, 0x210, 0x308, 0x338, 0x3b0, 0x3d8, 0x40, 0x128},
		{1026003, COMPAT, 0x48, 0x58, 0x1b0, 0x248, 0x340, 0x370, 0x3e8, 0x410, 0x40,
			0x160},
		{1028003, COMPAT, 0x48, 0x58, 0x1b0, 0x248, 0x340, 0x370, 0x3e8, 0x410, 0x40,
			0x160},
		{1029007, COMPAT, 0x48, 0x58, 0x1b8, 0x250, 0x350, 0x380, 0x3f8, 0x420, 0x40,
			0x168},
		{1030004, COMPAT, 0x48, 0x58, 0x1c0, 0x258, 0x358, 0x388, 0x400, 0x428, 0x40,
			0x168},
		{1030004, PLAIN, 0x48, 0x58, 0x188, 0x220, 0x320, 0x350, 0x3c8, 0x3f0, 0x40, 0x138},
		{1031003, COMPAT, 0x48, 0x58, 0x1c0, 0x258, 0x358, 0x388, 0x400, 0x428, 0x40,
			0x170},
	};
	struct nginx_features features;
	struct nginx_layout l;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		assert_true(nginx_features_parse(list[i].signature, &features));
		nginx_shape(NGINX_ITSELF, list[i].version, &features, &l);
		assert_int_equal(l.at.upstream, list[i].upstream);
		assert_int_equal(l.at.pool, list[i].pool);
		assert_int_equal(l.at.server, list[i].server);
		assert_int_equal(l.at.status, list[i].status);
		assert_int_equal(l.at.start, list[i].start);
		assert_int_equal(l.at.uri, list[i].uri);
		assert_int_equal(l.at.main, list[i].main);
		assert_int_equal(l.at.phase, list[i].phase);
		assert_int_equal(l.at.server_name, list[i].server_name);
		assert_int_equal(l.at.upstream_conf, list[i].conf);
	}
}

/* Likewise for these versions of variants, with --with-compat, and with TLS and HTTP/2 alone. */
static void shape__of_variants(void **state)
{
	static const char tengine[] = COMPAT,
			  plain_tengine[] = "8,4,8,0000111111010111001110111111010110",
			  angie[] = "Angie," COMPAT,
			  plain_angie[] = "Angie,8,4,8,0000111111010111001110111111000110",
			  later_angie[] = "Angie,8,4,8,00111111110101110111111111111111111",
			  later_plain_angie[] = "Angie,8,4,8,00001111110101110011101111110001101";
	static const struct {
		enum nginx_variant variant;
		uint32_t version;
		const char *signature;
		uint16_t server, status, start, uri, main, phase, conf, host;
	} list[] = {
		{NGINX_TENGINE, 1015009, tengine, 0x1f0, 0x288, 0x3c0, 0x408, 0x480, 0x4a8, 0x168,
			0x58},
		{NGINX_TENGINE, 1022001, tengine, 0x1f0, 0x288, 0x3c0, 0x408, 0x480, 0x4a8, 0x160,
			0x58},
		{NGINX_TENGINE, 1022001, plain_tengine, 0x1c8, 0x260, 0x398, 0x3e0, 0x458, 0x480,
			0x138, 0x58},
		{NGINX_TENGINE, 1024000, tengine, 0x1b0, 0x248, 0x340, 0x3a0, 0x418, 0x440, 0x160,
			0x58},
		{NGINX_TENGINE, 1024000, plain_tengine, 0x188, 0x220, 0x318, 0x378, 0x3f0, 0x418,
			0x138, 0x58},
		{NGINX_TENGINE, 1031003, tengine, 0x1c0, 0x258, 0x358, 0x3d8, 0x450, 0x478, 0x170,
			0x58},
		{NGINX_TENGINE, 1031003, plain_tengine, 0x198, 0x230, 0x330, 0x3b0, 0x428, 0x450,
			0x150, 0x58},
		{NGINX_ANGIE, 1000000, angie, 0x1b0, 0x248, 0x340, 0x370, 0x3e8, 0x410, 0x160,
			0x30},
		{NGINX_ANGIE, 1007000, angie, 0x1b0, 0x248, 0x340, 0x370, 0x3e8, 0x410, 0x178,
			0x30},
		{NGINX_ANGIE, 1007000, plain_angie, 0x178, 0x210, 0x308, 0x338, 0x3b0, 0x3d8, 0x150,
			0x30},
		{NGINX_ANGIE, 1008000, angie, 0x1b8, 0x250, 0x348, 0x378, 0x3f0, 0x418, 0x188,
			0x30},
		{NGINX_ANGIE, 1009000, angie, 0x1b8, 0x250, 0x340, 0x370, 0x3e8, 0x410, 0x188,
			0x30},
		{NGINX_ANGIE, 1010000, later_plain_angie, 0x180, 0x218, 0x308, 0x338, 0x3b0, 0x3d8,
			0x160, 0x30},
		{NGINX_ANGIE, 1013000, later_angie, 0x1c0, 0x258, 0x350, 0x380, 0x3f8, 0x420, 0x190,
			0x30},
		{NGINX_ANGIE, 1013000, later_plain_angie, 0x188, 0x220, 0x318, 0x348, 0x3c0, 0x3e8,
			0x168, 0x30},
	};
	struct nginx_features features;
	struct nginx_layout l;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		assert_true(nginx_features_parse(list[i].signature, &features));
		assert_int_equal(features.of_angie, list[i].variant == NGINX_ANGIE);
		nginx_shape(list[i].variant, list[i].version, &features, &l);
		assert_int_equal(l.variant, list[i].variant);
		assert_int_equal(l.at.server, list[i].server);
		assert_int_equal(l.at.status, list[i].status);
		assert_int_equal(l.at.start, list[i].start);
		assert_int_equal(l.at.uri, list[i].uri);
		assert_int_equal(l.at.main, list[i].main);
		assert_int_equal(l.at.phase, list[i].phase);
		assert_int_equal(l.at.upstream_conf, list[i].conf);
		assert_int_equal(l.at.upstream_host, list[i].host);
	}
}

static void features__of_signatures(void **state)
{
	struct nginx_features f;

	(void)state;
	assert_true(nginx_features_parse(COMPAT, &f));
	assert_true(f.has[NGINX_FEATURE_COMPAT]);
	assert_false(f.has[1]);
	assert_true(f.has[3]);
	assert_false(nginx_features_parse("", &f));
	assert_false(nginx_features_parse("4,4,4,0011111111010111001111111111111111", &f));
	assert_false(nginx_features_parse(COMPAT "1", &f));
	assert_true(nginx_features_parse("Angie," COMPAT "1", &f));
	assert_true(f.of_angie);
	assert_false(nginx_features_parse("Angie," COMPAT "11", &f));
	assert_false(nginx_features_parse("Bngie," COMPAT, &f));
	assert_false(nginx_features_parse("8,4,8,00111111110101110011111111111x1111", &f));
}

/* ---- finding ---- */

static void find__arrays_by_value(void **state)
{
	struct nginx_layout l;

	(void)state;
	play_worker();
	assert_int_equal(find(&l), 0);
	assert_int_equal(l.state, NGINX_ASSUMED);
	assert_int_equal(l.version, 1022001);
	assert_int_equal(l.connections, address(connections));
	assert_int_equal(l.read_events, address(read_events));
	assert_int_equal(l.write_events, address(write_events));
	assert_int_equal(l.nr_connections, CONNECTIONS);
	assert_int_equal(l.connection_size, CONNECTION_SIZE);
	assert_int_equal(l.event_size, EVENT_SIZE);
	assert_int_equal(l.at.number, 0xc8);
	assert_int_equal(l.loop, address(ngx_process_events_and_timers));
	assert_true(l.loop_end > l.loop);
}

static void find__the_arrays_elsewhere_in_the_cycle(void **state)
{
	struct nginx_layout l;

	(void)state;
	play_worker();
	memmove(&cycle[0x210 / 8], &cycle[0x1e8 / 8], 5 * sizeof(*cycle));
	memset(&cycle[0x1e8 / 8], 0, 5 * sizeof(*cycle));
	assert_int_equal(find(&l), 0);
	assert_int_equal(l.connections, address(connections));
}

static void find__a_master(void **state)
{
	struct nginx_layout l;

	(void)state;
	play_worker();
	put(cycle, 0x1f8, 0);
	put(cycle, 0x200, 0);
	put(cycle, 0x208, 0);
	assert_int_equal(find(&l), 0);
	assert_int_equal(l.state, NGINX_NO_WORKER);
	assert_int_equal(l.nr_connections, 0);
	ngx_cycle = NULL; /* not yet initialised */
	assert_int_equal(find(&l), 0);
	assert_int_equal(l.state, NGINX_NO_WORKER);
}

static void find__verified_by_a_request(void **state)
{
	struct nginx_layout l;

	(void)state;
	play_worker();
	play_request(0, 3, 0, 0x468);
	assert_int_equal(find(&l), 0);
	assert_int_equal(l.state, NGINX_VERIFIED);
	assert_int_equal(l.at.main, 0x468);
}

static unsigned nr_reads;

static bool read_and_count(void *context, uint64_t from, void *to, size_t len)
{
	(void)context;
	nr_reads++;
	return memory_read(&target.memory, from, to, len);
}

static bool scattered_and_count(
	void *context, const uint64_t *addresses, size_t nr, size_t size, void *to)
{
	(void)context;
	nr_reads++;
	return memory_scattered(&target.memory, addresses, nr, size, to);
}

/* Connections that wait for a request are not read one by one. */
static void find__a_request_behind_idle_connections(void **state)
{
	const struct memory counting = {.read = read_and_count, .scattered = scattered_and_count};
	struct target t = target;
	struct nginx_layout l;

	(void)state;
	t.memory = counting;
	play_worker();
	for (size_t i = 0; i < CONNECTIONS; i++) {
		put(connections[i], 0, address(main_confs));
		put(connections[i], 0x18, 20 + i);
	}
	play_request(0, CONNECTIONS - 1, 0, 0x468);
	nr_reads = 0;
	assert_int_equal(nginx_find(&t, &l, NULL), 0);
	assert_int_equal(l.state, NGINX_VERIFIED);
	assert_in_range(nr_reads, 8, 50);
}

static void find__requests_of_a_variant(void **state)
{
	struct nginx_layout l;

	(void)state;
	play_worker();
	play_request(0, 3, 0, 0x470);
	play_request(1, 5, 1, 0x470);
	assert_int_equal(find(&l), 0);
	assert_int_equal(l.state, NGINX_VERIFIED);
	assert_int_equal(l.at.main, 0x470);
	assert_int_equal(l.at.uri, 0x3f8);
	assert_int_equal(l.at.phase, 0x498);
	assert_int_equal(l.at.pool, 0x58);
	assert_int_equal(l.at.start, 0x3c0);
	assert_int_equal(l.at.server, 0x1f0);
	assert_int_equal(l.at.status, 0x288);
}

/* A request of 1.22.1 whose fields from its host on are eight bytes later. */
static void find__requests_of_a_variant_with_larger_headers(void **state)
{
	struct nginx_layout l;

	(void)state;
	play_worker();
	play_request(0, 3, 0, 0x470);
	put_string(request[0], 0x1f8, "www.example.org");
	put(request[0], 0x288, 0);
	put(request[0], 0x290, 200);
	put(request[0], 0x3c0, 0);
	put(request[0], 0x3c8, 1700000000);
	put(request[0], 0x3d0, 250);
	assert_int_equal(find(&l), 0);
	assert_int_equal(l.state, NGINX_VERIFIED);
	assert_int_equal(l.at.main, 0x470);
	assert_int_equal(l.at.uri, 0x3f8);
	assert_int_equal(l.at.start, 0x3c8);
	assert_int_equal(l.at.server, 0x1f8);
	assert_int_equal(l.at.status, 0x290);
}

/* Requests whose time, host or status are in neither place. */
static void find__not_requests_of_another_variant(void **state)
{
	static const struct {
		uint16_t offset;
		uint64_t value;
	} wrong[] = {
		{0x3c0, 0},          /* no time */
		{0x3c0, 4700000000}, /* later than now */
		{0x3c8, 1000},       /* ms */
		{0x1f0, 5000},       /* length of the host */
		{0x1f8, 8},          /* its address */
		{0x288, 3},          /* status */
	};
	struct nginx_layout l;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		play_worker();
		play_request(0, 3, 0, 0x470);
		put(request[0], wrong[i].offset, wrong[i].value);
		assert_int_equal(find(&l), -1);
	}
	play_worker();
	play_request(0, 3, 0, 0x470);
	put_string(request[0], 0x1f0, "www\x01example.org");
	assert_int_equal(find(&l), -1);
}

static void find__angie(void **state)
{
	struct nginx_layout l;

	(void)state;
	play_worker();
	ngx_http_core_module.version = 1000000;
	ngx_http_core_module.signature = "Angie," COMPAT;
	assert_int_equal(find(&l), 0);
	assert_int_equal(l.variant, NGINX_ANGIE);
	assert_int_equal(l.at.number, 0xc8);
	ngx_http_core_module.signature = COMPAT;
	assert_int_equal(find(&l), -1);
}

/* A subrequest to which its connection belongs; memory behind it refers to it. */
static void find__by_no_subrequest(void **state)
{
	struct nginx_layout l;

	(void)state;
	play_worker();
	play_request(0, 3, 0, 0x468);
	play_request(1, 3, 0, 0x468);
	put(request[1], 0x470, address(request[0]));
	put(request[1], 0x4e8, address(request[1]));
	assert_int_equal(find(&l), 0);
	assert_int_equal(l.at.main, 0x468);
	assert_int_equal(l.state, NGINX_ASSUMED);
	play_request(2, 5, 2, 0x468);
	assert_int_equal(find(&l), 0);
	assert_int_equal(l.at.main, 0x468);
	assert_int_equal(l.state, NGINX_VERIFIED);
}

static void find__not_requests_that_differ(void **state)
{
	struct nginx_layout l;

	(void)state;
	play_worker();
	play_request(0, 3, 0, 0x470);
	play_request(1, 5, 1, 0x468);
	assert_int_equal(find(&l), -1);
}

/* Its host and its status would be before its start. */
static void find__no_request_that_is_too_short(void **state)
{
	struct nginx_layout l;

	(void)state;
	play_worker();
	play_request(0, 3, 0, 0x2c8);
	assert_int_equal(find(&l), 0);
	assert_int_equal(l.state, NGINX_ASSUMED);
	assert_int_equal(l.at.server, 0x1f0);
}

static void find__not_other_modules(void **state)
{
	struct nginx_layout l;

	(void)state;
	play_worker();
	ngx_http_core_module.version = 1009011;
	assert_int_equal(find(&l), -1);
	play_worker();
	ngx_http_core_module.version = UINT64_MAX;
	assert_int_equal(find(&l), -1);
	play_worker();
	ngx_http_core_module.signature = "8,4,8,";
	assert_int_equal(find(&l), -1);
	play_worker();
	ngx_http_core_module.signature = NULL;
	assert_int_equal(find(&l), -1);
}

static void find__nothing_in_other_files(void **state)
{
	struct nginx_layout l;
	struct target other = target;

	(void)state;
	other.nr_files = 0;
	assert_int_equal(nginx_find(&other, &l, NULL), 1);
}

static void describe__version_and_state(void **state)
{
	struct nginx_layout l;
	struct strbuf text = STRBUF_INIT;

	(void)state;
	play_worker();
	assert_int_equal(find(&l), 0);
	nginx_describe(&l, "/usr/sbin/nginx", 77, &text);
	assert_string_equal(text.buf, "nginx 1.22.1 in '/usr/sbin/nginx' of process 77, layout of "
				      "its version, not verified yet by a "
				      "request, "
				      "1000 connections");
	strbuf_release(&text);
}

/* ---- reading ---- */

static struct nginx_identity identify(const struct nginx_layout *l)
{
	struct nginx_identity id = {0};

	assert_true(nginx_identify(&target.memory, l, address(request[0]), &id));
	return id;
}

/* Otherwise texts that were read before would be taken for the texts of the current request. */
static void identity__changes_with_the_texts(void **state)
{
	static const uint64_t peer[2] = {14, (uintptr_t) "127.0.0.1:8080"};
	struct nginx_identity before, after;
	struct nginx_layout l;

	(void)state;
	play_worker();
	play_request(0, 3, 0, 0x468);
	put(request[0], 0x48, address(upstream));
	assert_int_equal(find(&l), 0);
	before = identify(&l);
	after = identify(&l);
	assert_memory_equal(&before, &after, sizeof(before));
	for (int i = 0; i < 7; i++) {
		before = identify(&l);
		switch (i) {
		case 0: /* while the header Host: is read after the request line */
			put_string(request[0], l.at.server, "shop.example.org");
			break;
		case 1:
			put_string(request[0], l.at.uri, "/cart/8");
			break;
		case 2:
			put_string(request[0], l.at.args, "a=c");
			break;
		case 3:
			put(upstream, NGINX_UPSTREAM_PEER_NAME, address(peer));
			break;
		case 4:
			put(request[0], l.at.status, 404);
			break;
		case 5:
			put(request[0], l.at.phase, 3);
			break;
		case 6:
			put(request[0], NGINX_REQUEST_WRITE, 0);
			break;
		}
		after = identify(&l);
		if (!memcmp(&before, &after, sizeof(before)))
			fail_msg("change %d is not seen", i);
	}
	assert_int_equal(after.phase, NGINX_HEAD);
}

static void assert_text(const struct nginx_request *r, enum nginx_text_kind kind, const char *text)
{
	const struct nginx_text *t = &r->texts.text[kind];

	assert_int_equal(t->len, strlen(text));
	assert_memory_equal(t->bytes, text, strlen(text));
}

static void read__a_request(void **state)
{
	struct nginx_layout l;
	struct nginx_request r;
	static const uint64_t peer[2] = {14, (uintptr_t) "127.0.0.1:8080"};

	(void)state;
	play_worker();
	play_request(0, 3, 0, 0x468);
	put(request[0], 0x48, address(upstream));
	put(upstream, 0x28, address(peer));
	put(upstream, 0x160, address(uscf));
	put_string(uscf, 0x30, "backend");
	assert_int_equal(find(&l), 0);
	assert_true(nginx_request_read(&l, &target.memory, address(request[0]), &r));
	assert_text(&r, NGINX_URI, "/cart/7");
	assert_text(&r, NGINX_ARGS, "a=b");
	assert_text(&r, NGINX_METHOD, "GET");
	assert_text(&r, NGINX_HOST, "www.example.org");
	assert_text(&r, NGINX_SERVER, "example.org");
	assert_text(&r, NGINX_LOCATION, "/cart");
	assert_text(&r, NGINX_UPSTREAM, "backend");
	assert_text(&r, NGINX_PEER, "127.0.0.1:8080");
	assert_text(&r, NGINX_CLIENT, "192.0.2.7");
	assert_int_equal(r.texts.status, 200);
	assert_int_equal(r.texts.phase, 9);
	assert_int_equal(r.texts.connection, 103);
	assert_int_equal(r.texts.subrequest, 0);
	assert_int_equal(r.start_ms, 1700000000250);
	assert_int_equal(r.sent, 4711);
	assert_int_equal(r.main, address(request[0]));
	assert_true(r.consistent);
}

static void read__a_subrequest(void **state)
{
	struct nginx_layout l;
	struct nginx_request r;

	(void)state;
	play_worker();
	play_request(0, 3, 0, 0x468);
	play_request(1, 3, 0, 0x468);
	put(request[1], 0x470, address(request[0]));
	assert_int_equal(find(&l), 0);
	assert_true(nginx_request_read(&l, &target.memory, address(request[1]), &r));
	assert_int_equal(r.texts.subrequest, 1);
	assert_int_equal(r.main, address(request[0]));
	assert_int_equal(r.parent, address(request[0]));
}

static void read__long_and_unreadable_texts(void **state)
{
	struct nginx_layout l;
	struct nginx_request r;
	static char text[1000];

	(void)state;
	play_worker();
	play_request(0, 3, 0, 0x468);
	memset(text, 'x', sizeof(text) - 1);
	put_string(request[0], 0x3f0, text);
	put(request[0], 0x408, 8); /* no address */
	put(request[0], 0x430, UINT64_MAX);
	assert_int_equal(find(&l), 0);
	assert_true(nginx_request_read(&l, &target.memory, address(request[0]), &r));
	assert_int_equal(r.texts.text[NGINX_URI].len, sizeof(text) - 1);
	assert_memory_equal(r.texts.text[NGINX_URI].bytes, text, NGINX_TEXT_MAX);
	assert_text(&r, NGINX_ARGS, "");
	assert_text(&r, NGINX_METHOD, "");
	assert_text(&r, NGINX_UPSTREAM, "");
}

static void word__leads_to_a_request(void **state)
{
	struct nginx_layout l;
	const struct memory *m = &target.memory;
	uint64_t r = address(request[0]);

	(void)state;
	play_worker();
	play_request(0, 3, 0, 0x468);
	assert_int_equal(find(&l), 0);
	assert_int_equal(nginx_request_of_word(&l, m, r), r);
	assert_int_equal(nginx_request_of_word(&l, m, address(connections[3])), r);
	assert_int_equal(nginx_request_of_word(&l, m, address(read_events[3])), r);
	assert_int_equal(nginx_request_of_word(&l, m, address(write_events[3])), r);
	assert_int_equal(nginx_request_of_word(&l, m, address(connections[2])), 0);
	assert_int_equal(nginx_request_of_word(&l, m, address(connections[3]) + 8), 0);
	assert_int_equal(nginx_request_of_word(&l, m, address(connections + CONNECTIONS)), 0);
	assert_int_equal(nginx_request_of_word(&l, m, r + 4), 0);
	assert_int_equal(nginx_request_of_word(&l, m, 0), 0);
	assert_int_equal(nginx_request_of_word(&l, m, UINT64_MAX & ~7ULL), 0);
}

/* The remains of a freed request in memory are not a request. */
static void request__not_one_that_is_gone(void **state)
{
	struct nginx_layout l;
	uint64_t r = address(request[0]), sub = address(request[1]);

	(void)state;
	play_worker();
	play_request(0, 3, 0, 0x468);
	play_request(1, 3, 0, 0x468);
	assert_int_equal(find(&l), 0);
	assert_true(nginx_request_is_at(&l, &target.memory, r));
	assert_true(nginx_request_is_at(&l, &target.memory, sub));
	put(request[0], 0x58, 0); /* its pool is destroyed */
	assert_false(nginx_request_is_at(&l, &target.memory, r));
	assert_false(nginx_request_is_at(&l, &target.memory, sub));
	put(request[0], 0x58, address(cycle));
	put(connections[3], 0x18, UINT32_MAX); /* closed */
	assert_false(nginx_request_is_at(&l, &target.memory, r));
	put(connections[3], 0x18, 23);
	put(request[0], 0, 0x50545449);
	assert_false(nginx_request_is_at(&l, &target.memory, r));
}

static void connections__those_that_are_open(void **state)
{
	struct nginx_layout l;
	struct nginx_connection *list;
	size_t nr;

	(void)state;
	play_worker();
	play_request(0, 3, 0, 0x468);
	put(connections[5], 0x18, 25); /* keepalive: without a request */
	put(connections[5], 0x40, address(cycle));
	put(read_events[5], 8, 1 << 11);
	put(read_events[5], 0x28, 65000);
	put(connections[6], 0x18, 26); /* the upstream connection's */
	put(connections[6], 0, address(request[0]));
	assert_int_equal(find(&l), 0);
	list = nginx_connections_read(&l, &target.memory, &nr);
	assert_int_equal(nr, 3);
	assert_int_equal(list[0].index, 3);
	assert_int_equal(list[0].request, address(request[0]));
	assert_int_equal(list[0].number, 103);
	assert_int_equal(list[1].fd, 25);
	assert_int_equal(list[1].request, 0);
	assert_int_equal(list[1].listening, address(cycle));
	assert_int_equal(list[1].read.timer_ms, 65000);
	assert_int_equal(list[1].write.timer_ms, 0);
	assert_int_equal(list[2].request, address(request[0]));

	size_t nr_requests;
	uint64_t *requests = nginx_requests_list(list, nr, &nr_requests);

	assert_int_equal(nr_requests, 1);
	assert_int_equal(requests[0], address(request[0]));
	free(requests);
	free(list);
}

static void serving__a_timer_of_any_value(void **state)
{
	struct nginx_worker w = {.target = target};
	const struct nginx_modules none = {0};
	struct nginx_serving s;

	(void)state;
	play_worker();
	play_request(0, 3, 0, 0x468);
	put(read_events[3], 8, NGINX_EVENT_TIMER_SET);
	put(read_events[3], 0x28, 1ULL << 63);
	assert_int_equal(find(&w.layout), 0);
	nginx_serving_read(&w, &none, &s);
	assert_int_equal(s.nr_timers, 1);
	assert_true(s.nearest.is_set && s.nearest.left_ms > 0);
	nginx_serving_release(&s);
}

/* ---- modules ---- */

static const void *http_ctx[1];
static const void *conf_ctx[3];

static void play_configuration(void)
{
	play_worker();
	http_ctx[0] = main_confs;
	conf_ctx[2] = http_ctx;
	put(cycle, 0, address(conf_ctx));
}

/* ---- HTTP/2 ---- */

static uint64_t shared[0x280 / 8], streams_table[33], node[2][0x68 / 8], stream[2][8];
static unsigned char own[2][CONNECTION_SIZE] __attribute__((aligned(16)));

/* Makes connection 3 of HTTP/2, with a table at AT and requests 0 and 1 in one list. */
static void play_streams(uint16_t at)
{
	play_worker();
	memset(shared, 0, sizeof(shared));
	memset(streams_table, 0, sizeof(streams_table));
	for (size_t i = 0; i < 2; i++) {
		play_request(i, 3, i, 0x468);
		put(request[i], 8, address(own[i]));
		put(own[i], 0, address(request[i]));
		put(own[i], 0x18, 23);
		put(node[i], 0, i ? 2 * 39 + 1 : 2 * 7 + 1); /* both in list 7 of 32 */
		put(node[i], 8, i ? 0 : address(node[1]));
		put(node[i], 0x60, address(stream[i]));
		put(stream[i], 0, address(request[i]));
		put(stream[i], 8, address(shared));
		put(stream[i], 0x10, address(node[i]));
	}
	put(connections[3], 0, address(shared));
	put(connections[3], 0x40, address(main_conf)); /* a listening socket */
	put(shared, 0, address(connections[3]));
	put(shared, at, address(streams_table));
	streams_table[7] = address(node[0]);
}

/* Returns the number of requests of connection 3, which are then in S; the caller releases S. */
static size_t read_streams(struct nginx_streams *s)
{
	struct nginx_connection c;
	struct nginx_layout l;

	assert_int_equal(find(&l), 0);
	assert_true(nginx_connection_read(&l, &target.memory, address(connections[3]), &c));
	nginx_streams_read(s, &l, &target.memory, &c);
	return s->nr;
}

static void streams__and_their_requests(void **state)
{
	struct nginx_streams s = {0};

	(void)state;
	play_streams(0x178);
	assert_int_equal(read_streams(&s), 2);
	assert_int_equal(s.table, 0x178);
	assert_int_equal(s.requests[0], address(request[0]));
	assert_int_equal(s.requests[1], address(request[1]));
	put(own[1], 0, address(request[2])); /* a subrequest is active */
	assert_int_equal(read_streams(&s), 5);
	assert_int_equal(s.requests[4], address(request[2]));
	nginx_streams_release(&s);
	put(node[0], 0x60, 0); /* a node without a stream, as is kept for priorities */
	put(own[1], 0, address(request[1]));
	assert_int_equal(read_streams(&s), 1);
	nginx_streams_release(&s);
}

static void streams__of_no_other_structure(void **state)
{
	struct nginx_streams s = {0};

	(void)state;
	play_streams(0x180);
	put(stream[0], 8, address(loc_conf)); /* of another connection */
	assert_int_equal(read_streams(&s), 0);
	assert_int_equal(s.searched, 1);
	play_streams(0x180);
	put(stream[0], 0x10, address(node[1])); /* of another node */
	assert_int_equal(read_streams(&s), 0);
	play_streams(0x180);
	put(shared, 0, address(connections[2]));
	assert_int_equal(read_streams(&s), 0);
	play_streams(0x180);
	put(shared, 0x180, address(streams_table) + 8); /* it only overlaps the table */
	assert_int_equal(read_streams(&s), 0);
	play_streams(0x180);
	streams_table[7] = 0x1000; /* nothing is there */
	assert_int_equal(read_streams(&s), 0);
	play_streams(0x180);
	put(request[1], 0x58, 0); /* it is freed */
	assert_int_equal(read_streams(&s), 1);
	nginx_streams_release(&s);
}

static void streams__in_a_circle(void **state)
{
	struct nginx_streams s = {0};

	(void)state;
	play_streams(0x180);
	put(node[1], 8, address(node[0]));
	assert_int_equal(read_streams(&s), 3); /* it is noticed in the second round */
	nginx_streams_release(&s);
	put(node[1], 8, address(node[1]));
	assert_int_equal(read_streams(&s), 2);
	nginx_streams_release(&s);
}

static void streams__behind_what_looks_like_a_table(void **state)
{
	static uint64_t other[33], circle[0x68 / 8];
	struct nginx_streams s = {0};

	(void)state;
	play_streams(0x180);
	put(shared, 0x100, address(other));
	other[5] = address(circle);
	put(circle, 0, 2 * 5);
	put(circle, 8, address(circle));
	assert_int_equal(read_streams(&s), 2);
	assert_int_equal(s.table, 0x180);
	nginx_streams_release(&s);
}

static void modules__and_phases(void **state)
{
	struct nginx_layout l;
	struct nginx_modules found;

	(void)state;
	play_configuration();
	assert_int_equal(find(&l), 0);
	assert_true(nginx_modules_read(&l, &target, &found));
	assert_int_equal(found.nr, 4);
	assert_string_equal(found.list[2].name, "ngx_http_core_module");
	assert_int_equal(found.nr_handlers, 10);
	assert_string_equal(nginx_phase_name(&found, 0), "post_read");
	assert_string_equal(nginx_phase_name(&found, 1), "server_rewrite");
	assert_string_equal(nginx_phase_name(&found, 2), "find_config");
	assert_string_equal(nginx_phase_name(&found, 3), "rewrite");
	assert_string_equal(nginx_phase_name(&found, 5), "preaccess");
	assert_string_equal(nginx_phase_name(&found, 6), "access");
	assert_string_equal(nginx_phase_name(&found, 8), "precontent");
	assert_string_equal(nginx_phase_name(&found, 9), "content");
	assert_null(nginx_phase_name(&found, 10));
	assert_string_equal(nginx_phase_name(&found, NGINX_HEAD), "head");
	assert_string_equal(
		nginx_modules_find(&found, address(core_init))->name, "ngx_http_core_module");
	assert_string_equal(
		nginx_modules_find(&found, address(other_init))->name, "ngx_http_upstream_module");
	assert_null(nginx_modules_find(&found, 0));
	assert_string_equal(nginx_handler(&found, 9, 0)->name, "ngx_http_core_module");
	assert_string_equal(
		nginx_handler(&found, 9, address(other_init))->name, "ngx_http_upstream_module");
	assert_null(nginx_handler(&found, 2, 0));
	assert_true(address(other_handler));
	nginx_modules_release(&found);
}

/* ---- the file ---- */

static bool no_symbol(void *context, uint64_t at)
{
	(void)context;
	(void)at;
	return false;
}

static bool any_symbol(void *context, uint64_t at)
{
	(void)context;
	(void)at;
	return true;
}

/* Returns the link address of a function of this program. */
static uint64_t link_address(void (*function)(void))
{
	return (uintptr_t)function - nginx_file(&target)->bias;
}

static void names__between_functions_of_one_module(void **state)
{
	struct strbuf err = STRBUF_INIT;
	struct elffile *elf = elffile_open("/proc/self/exe", &err);
	struct nginx_names *names = nginx_names_new(elf, no_symbol, NULL);
	uint64_t one = link_address(core_setting), two = link_address(core_init);
	uint64_t first = one < two ? one : two, last = one < two ? two : one;

	(void)state;
	assert_non_null(names);
	assert_string_equal(nginx_names_find(names, first), "ngx_http_core_module");
	assert_string_equal(nginx_names_find(names, last - 1), "ngx_http_core_module");
	assert_string_equal(nginx_names_find(names, last), "ngx_http_core_module");
	assert_null(nginx_names_find(names, last + 1)); /* it may be another module's code */
	assert_string_equal(
		nginx_names_find(names, link_address(other_helper)), "ngx_http_upstream_module");
	assert_null(nginx_names_find(names, 0));
	assert_null(nginx_names_find(names, UINT64_MAX));
	nginx_names_free(names);
	/* functions with a symbol are not a module's static functions */
	names = nginx_names_new(elf, any_symbol, NULL);
	assert_null(nginx_names_find(names, first));
	nginx_names_free(names);
	elffile_close(elf);
	strbuf_release(&err);
}

/* ---- values for scripts ---- */

/* Adds this process as if its PID was PID. */
static int add_values(struct nginx_values *v, uint32_t pid)
{
	struct nginx_layout layout;
	struct strbuf err = STRBUF_INIT;

	assert_int_equal(find(&layout), 0);
	int result = nginx_values_add(v, pid, &target, &layout, &err);

	assert_int_equal(result<0, err.len> 0);
	strbuf_release(&err);
	return result;
}

static void values__a_program_stands_once(void **state)
{
	struct nginx_values v = NGINX_VALUES_INIT;
	char *want = xasprintf("1302.1.%" PRIxPTR ".%" PRIxPTR ".%" PRIxPTR ".%x.11.1.",
		(uintptr_t)connections, (uintptr_t)read_events, (uintptr_t)write_events,
		CONNECTIONS);
	char *code = xasprintf("%" PRIxPTR ".", (uintptr_t)ngx_process_events_and_timers);

	(void)state;
	play_configuration();
	assert_int_equal(add_values(&v, 0x1302), 0);
	assert_int_equal(add_values(&v, 17), 0);
	assert_int_equal(v.nr, 1);
	assert_memory_equal(v.processes.buf, want, strlen(want));
	assert_memory_equal(v.programs.buf, code, strlen(code));
	assert_non_null(
		strstr(v.programs.buf, ".1.f0.60.48.58.1f0.288.3f0.400.430.468.490.40.160.30."));
	assert_string_equal(v.phases.buf, "0123456789");
	assert_memory_equal(v.files.buf, "1.", 2);
	ngx_http_core_module.version = 1026000;
	assert_int_equal(add_values(&v, 18), 0);
	assert_int_equal(v.nr, 2);
	assert_string_equal(v.phases.buf, "0123456789.0123456789");
	assert_non_null(strstr(v.files.buf, ".2."));
	nginx_values_release(&v);
	free(code);
	free(want);
}

static void values__there_is_no_room_for_all(void **state)
{
	struct nginx_values v = NGINX_VALUES_INIT;
	uint32_t nr = 0;

	(void)state;
	play_configuration();
	while (nr < 1000 && !add_values(&v, 0x100000 + nr))
		nr++;
	assert_in_range(nr, 70, 120);
	nginx_values_release(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shape__as_the_headers_say),
		cmocka_unit_test(shape__of_variants),
		cmocka_unit_test(features__of_signatures),
		cmocka_unit_test(find__arrays_by_value),
		cmocka_unit_test(find__the_arrays_elsewhere_in_the_cycle),
		cmocka_unit_test(find__a_master),
		cmocka_unit_test(find__verified_by_a_request),
		cmocka_unit_test(find__a_request_behind_idle_connections),
		cmocka_unit_test(find__requests_of_a_variant),
		cmocka_unit_test(find__requests_of_a_variant_with_larger_headers),
		cmocka_unit_test(find__not_requests_of_another_variant),
		cmocka_unit_test(find__angie),
		cmocka_unit_test(find__by_no_subrequest),
		cmocka_unit_test(find__not_requests_that_differ),
		cmocka_unit_test(find__no_request_that_is_too_short),
		cmocka_unit_test(find__not_other_modules),
		cmocka_unit_test(find__nothing_in_other_files),
		cmocka_unit_test(describe__version_and_state),
		cmocka_unit_test(identity__changes_with_the_texts),
		cmocka_unit_test(read__a_request),
		cmocka_unit_test(read__a_subrequest),
		cmocka_unit_test(read__long_and_unreadable_texts),
		cmocka_unit_test(word__leads_to_a_request),
		cmocka_unit_test(request__not_one_that_is_gone),
		cmocka_unit_test(connections__those_that_are_open),
		cmocka_unit_test(serving__a_timer_of_any_value),
		cmocka_unit_test(streams__and_their_requests),
		cmocka_unit_test(streams__of_no_other_structure),
		cmocka_unit_test(streams__in_a_circle),
		cmocka_unit_test(streams__behind_what_looks_like_a_table),
		cmocka_unit_test(modules__and_phases),
		cmocka_unit_test(names__between_functions_of_one_module),
		cmocka_unit_test(values__a_program_stands_once),
		cmocka_unit_test(values__there_is_no_room_for_all),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
