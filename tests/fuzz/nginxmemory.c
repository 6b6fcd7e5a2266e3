/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A worker of nginx 1.22.1 whose memory may hold anything. Each five bytes of the input change a
 * word of a worker that has connections, requests, a stream, pools, modules, and zones of shared
 * memory. The first byte tells whether some of these words change only while the worker is read.
 */
#include "fuzz.h"
#include "nginx/nginx_filters.h"
#include "label/nginx/nginx_find.h"
#include "nginx/nginx_serving.h"
#include "nginx/nginx_zones.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/elf/elffacts.h"
#include "symbol/elf/elffile.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* Offsets in the image. */
enum {
	HEADS = 0,
	STARTS = 0x200, /* .eh_frame_hdr */
	CODE = 0x800,
	MODULES = 0x1800,
	CONTEXTS = 0x2000,
	NAMES = 0x2400,
	LIST = 0x2700,
	CONF = 0x2800,
	PHASES = 0x2900,
	VARIABLES = 0x2c00,
	CYCLE = 0x3000,
	CONNECTIONS = 0x3400,
	READ_EVENTS = 0x3a00,
	WRITE_EVENTS = 0x3d00,
	REQUESTS = 0x4000,
	CONFS = 0x5200,
	UPSTREAM = 0x5500,
	TEXTS = 0x5800,
	POOL = 0x5c00,
	ZONES = 0x6000,
	STREAMS = 0x7000,
	SHARED = 0x8000,
	SIZE = 0x10000,
};

enum {
	BASE = 0x200000,
	FUNCTION = 0x40,
	NR_FUNCTIONS = 64,
	MODULE = 0x100,
	NR_MODULES = 6,
	CONNECTION = 0xf0,
	EVENT = 0x60,
	NR_CONNECTIONS = 6,
	REQUEST = 0x600,
	NR_REQUESTS = 3,
	NR_STREAMS = 1,
	STREAMS_MAX = 1 << 16, /* listed requests of streams */
	ZONE = 0x4000,
	NODES = 4,
	CHANGES = 64,
	READS_MAX = 1 << 20, /* for all reads of one query */
};

static struct image {
	uint8_t bytes[SIZE];
	uint64_t texts;
	size_t reads;
	struct change {
		uint64_t at, value;
	} later[CHANGES]; /* one is applied every 32 reads */
	size_t nr_later, next;
} image;

static const char *const module_names[NR_MODULES] = {"ngx_core_module", "ngx_http_module",
	"ngx_http_core_module", "ngx_http_upstream_module", "ngx_http_lua_module",
	"ngx_http_write_filter_module"};

static const struct {
	const char *name;
	uint64_t at;
} symbols[] = {
	{"ngx_cycle", VARIABLES},
	{"ngx_current_msec", VARIABLES + 8},
	{"ngx_http_top_header_filter", VARIABLES + 16},
	{"ngx_http_top_body_filter", VARIABLES + 24},
	{"ngx_http_top_request_body_filter", VARIABLES + 32},
	{"ngx_process_events_and_timers", CODE},
	{"ngx_http_core_rewrite_phase", CODE + FUNCTION},
	{"ngx_http_core_find_config_phase", CODE + 2 * FUNCTION},
	{"ngx_http_core_post_rewrite_phase", CODE + 3 * FUNCTION},
	{"ngx_http_core_access_phase", CODE + 4 * FUNCTION},
	{"ngx_http_core_post_access_phase", CODE + 5 * FUNCTION},
	{"ngx_http_core_content_phase", CODE + 6 * FUNCTION},
	{"ngx_http_empty_handler", CODE + 7 * FUNCTION},
	{"ngx_event_accept", CODE + 8 * FUNCTION},
};

/* ---- the contents of its file ---- */

bool elffacts_variable(const struct elffile *elf, const char *name, struct elf_variable *variable)
{
	uint64_t at = 0;

	must(elf && *name);
	for (size_t i = 0; i < ARRAY_LEN(symbols); i++)
		if (!strcmp(symbols[i].name, name))
			at = symbols[i].at;
	for (size_t i = 0; i < NR_MODULES; i++)
		if (!strcmp(module_names[i], name))
			at = MODULES + i * MODULE;
	*variable = (struct elf_variable){.address = at, .size = FUNCTION};
	return at;
}

enum elf_thread_place elffacts_thread_place(
	const struct elffile *elf, const char *name, uint64_t *value)
{
	must(elf && *name);
	*value = 0;
	return THREAD_NOWHERE;
}

bool elffacts_section(
	const struct elffile *elf, const char *name, uint64_t *address, uint64_t *size)
{
	must(elf && !strcmp(name, ".text"));
	*address = CODE;
	*size = MODULES - CODE;
	return true;
}

void elffacts_ask(const struct elf_question *list, size_t nr)
{
	must(list && nr);
}

struct elffacts;
void elffacts_free(struct elffacts *facts)
{
	must(!facts);
}

bool elffile_mapped(
	const struct elffile *elf, uint64_t file_offset, uint64_t len, uint64_t *address)
{
	must(elf && len);
	*address = file_offset;
	return true;
}

/* ---- its memory ---- */

static void put(uint64_t at, uint64_t value)
{
	memcpy(image.bytes + at, &value, sizeof(value));
}

static uint64_t get(uint64_t at)
{
	uint64_t value;

	memcpy(&value, image.bytes + at, sizeof(value));
	return value;
}

static bool is_there(uint64_t address, size_t len)
{
	return address - BASE <= SIZE && len <= SIZE - (address - BASE);
}

static bool read_image(void *context, uint64_t address, void *to, size_t len)
{
	must(!context && image.reads++ < READS_MAX);
	if (image.next < image.nr_later && image.reads % 32 == 0) {
		put(image.later[image.next].at, image.later[image.next].value);
		image.next++;
	}
	if (!is_there(address, len))
		return false;
	memcpy(to, image.bytes + (address - BASE), len);
	return true;
}

static uint64_t put_text(const char *text)
{
	uint64_t at = image.texts;

	memcpy(image.bytes + at, text, strlen(text) + 1);
	image.texts += strlen(text) + 1;
	return BASE + at;
}

static void put_string(uint64_t at, const char *text)
{
	put(at, strlen(text));
	put(at + 8, put_text(text));
}

static uint64_t function(uint64_t nr)
{
	return BASE + CODE + nr * FUNCTION;
}

static void put_heads(void)
{
	const Elf64_Ehdr head = {.e_ident = ELFMAG,
		.e_phoff = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 4};
	const Elf64_Phdr list[] = {
		{.p_type = PT_LOAD, .p_flags = PF_X, .p_vaddr = CODE, .p_memsz = MODULES - CODE},
		{.p_type = PT_LOAD,
			.p_flags = PF_W,
			.p_vaddr = MODULES,
			.p_memsz = CYCLE - MODULES},
		{.p_type = PT_GNU_RELRO, .p_vaddr = CONTEXTS, .p_memsz = CONF - CONTEXTS},
		{.p_type = PT_GNU_EH_FRAME, .p_vaddr = STARTS, .p_memsz = CODE - STARTS},
	};

	memcpy(image.bytes + HEADS, &head, sizeof(head));
	memcpy(image.bytes + HEADS + sizeof(head), list, sizeof(list));
	put(STARTS, 0x3b031b01);
	put(STARTS + 8, NR_FUNCTIONS);
	for (uint64_t i = 0; i < NR_FUNCTIONS; i++) {
		int32_t start = (int32_t)(CODE + i * FUNCTION) - STARTS;

		memcpy(image.bytes + STARTS + 12 + 8 * i, &start, sizeof(start));
	}
}

/* Puts an instruction at byte AT of function NR: mov (8b) or lea (8d) of TO to rax. */
static void put_operand(uint64_t nr, uint64_t at, uint8_t opcode, uint64_t to)
{
	uint8_t *code = image.bytes + CODE + nr * FUNCTION + at;
	int32_t by = (int32_t)(to - (CODE + nr * FUNCTION + at + 7));

	memcpy(code, (const uint8_t[]){0x48, opcode, 0x05}, 3);
	memcpy(code + 3, &by, sizeof(by));
}

/* Module NR has the functions from 10 + 8 * NR on; the second of them is a filter. */
static void put_modules(void)
{
	image.texts = NAMES;
	for (uint64_t i = 0; i < NR_MODULES; i++) {
		uint64_t at = MODULES + i * MODULE, own = 10 + 8 * i;

		put(at, i == 2);
		put(at + 8, i);
		put(at + 16, put_text(module_names[i]));
		put(at + 0x28, 1022001);
		put(at + 0x38, BASE + CONTEXTS + 0x40 * i);
		put(at + 0x48, i ? NGINX_SIGNATURE : 0x45524f43);
		put(at + 0x50 + 8, function(own));
		put(CONTEXTS + 0x40 * i + 8, function(own));
		put(LIST + 8 * i, BASE + at);
		put_operand(own, 0, 0x8d, CODE + (own + 1) * FUNCTION);
		put_operand(own, 8, 0x8b, VARIABLES + 0x80 + 8 * i);
		put_operand(own + 1, 0, 0x8b, VARIABLES + 0x80 + 8 * i);
		put(VARIABLES + 0x80 + 8 * i, i + 1 < NR_MODULES ? function(own + 9) : 0);
	}
	put(MODULES + 2 * MODULE + 0x30, put_text("8,4,8,0011111111010111001111111111111111"));
	for (uint64_t i = 0; i < 3; i++)
		put(VARIABLES + 16 + 8 * i, function(11 + 8 * i));
	put(CONF + 8, BASE + CONF + 0x40);
	put(CONF + 0x40, BASE + CONF + 0x60);
	put(CONF + 0x68, BASE + CONF + 0x80);
	put(CONF + 0x80 + NGINX_MAIN_CONF_PHASES, BASE + PHASES);
	for (uint64_t i = 0; i < 8; i++) {
		put(PHASES + 24 * i, function(i));
		put(PHASES + 24 * i + 8, function(11 + 8 * (i % NR_MODULES)));
	}
}

static void put_cycle(void)
{
	put(VARIABLES, BASE + CYCLE);
	put(CYCLE, BASE + CONF);
	put(CYCLE + 8, BASE + POOL);
	put(CYCLE + 0x80, NR_CONNECTIONS - NR_REQUESTS - 2); /* free connections */
	put(CYCLE + 0x88, BASE + LIST);
	put(CYCLE + 0xa0, BASE + CONNECTIONS + 3 * CONNECTION + 0xb8); /* reusable connections */
	put(CYCLE + 0xa8, BASE + CONNECTIONS + 3 * CONNECTION + 0xb8);
	put(CYCLE + 0xb0, 1);
	put(CYCLE + 0x1e8, NR_CONNECTIONS);
	put(CYCLE + 0x1f8, BASE + CONNECTIONS);
	put(CYCLE + 0x200, BASE + READ_EVENTS);
	put(CYCLE + 0x208, BASE + WRITE_EVENTS);
	/* the zones: last part, first part of two, size, room */
	put(CYCLE + 0x1f8 - 0x48, BASE + CYCLE + 0x1f8 - 0x40);
	put(CYCLE + 0x1f8 - 0x40, BASE + ZONES);
	put(CYCLE + 0x1f8 - 0x38, 1);
	put(CYCLE + 0x1f8 - 0x30, BASE + ZONES + 0x200);
	put(CYCLE + 0x1f8 - 0x28, 0x50);
	put(CYCLE + 0x1f8 - 0x20, 1);
	put(ZONES + 0x200, BASE + ZONES + 0x50);
	put(ZONES + 0x208, 1);
}

static void put_connections(void)
{
	for (uint64_t i = 0; i < NR_CONNECTIONS; i++) {
		uint64_t at = CONNECTIONS + i * CONNECTION;

		put(at + 8, BASE + READ_EVENTS + i * EVENT);
		put(at + 0x10, BASE + WRITE_EVENTS + i * EVENT);
		put(at + 0x18, i < 5 ? 20 + i : UINT32_MAX);
		put(at + 0x40, BASE + CYCLE);
		put_string(at + 0x78, "192.0.2.7");
		put(at + 0xb8, BASE + CYCLE + 0xa0);
		put(at + 0xb8 + 8, BASE + CYCLE + 0xa0);
		put(at + 0xc8, 100 + i);
		put(READ_EVENTS + i * EVENT, BASE + at);
		put(READ_EVENTS + i * EVENT + 8, NGINX_EVENT_TIMER_SET);
		put(READ_EVENTS + i * EVENT + 0x10, function(7));
		put(READ_EVENTS + i * EVENT + 0x28, 1000 * i);
		put(WRITE_EVENTS + i * EVENT, BASE + at);
	}
	put(CONNECTIONS + 2 * CONNECTION + 0x40, 0); /* a connection to an upstream */
	put(READ_EVENTS + 4 * EVENT + 8, NGINX_EVENT_ACCEPT);
}

static void put_request(uint64_t r, uint64_t c)
{
	put(c, BASE + r);
	put(r, NGINX_SIGNATURE);
	put(r + 8, BASE + c);
	put(r + 0x20, BASE + CONFS);
	put(r + 0x28, BASE + CONFS);
	put(r + 0x38, function(6));
	put(r + 0x58, BASE + POOL);
	put_string(r + 0x1f0, "www.example.org");
	put(r + 0x288, 200);
	put(r + 0x3c0, 1700000000);
	put_string(r + 0x3f0, "/cart/7");
	put_string(r + 0x400, "a=b");
	put_string(r + 0x430, "GET");
	put(r + 0x468, BASE + r);
	put(r + 0x490, 6);
}

/* Puts a request with an active subrequest, and a request that is sent to an upstream. */
static void put_requests(void)
{
	static const uint64_t connection[] = {0, 0, 1}, main_request[] = {0, 0, 2};

	put(CONFS + 8, BASE + CONFS + 0x40);
	put_string(CONFS + 0x40, "/cart");
	put_string(CONFS + 0x80, "example.org");
	for (uint64_t i = 0; i < NR_REQUESTS; i++) {
		uint64_t r = REQUESTS + i * REQUEST;

		put_request(r, CONNECTIONS + connection[i] * CONNECTION);
		put(r + 0x48, BASE + UPSTREAM);
		put(r + 0x468, BASE + REQUESTS + main_request[i] * REQUEST);
		put(r + 0x470, main_request[i] == i ? 0 : BASE + REQUESTS);
	}
	put(CONNECTIONS + 2 * CONNECTION, BASE + REQUESTS + 2 * REQUEST);
	put(UPSTREAM + 0x28, BASE + UPSTREAM + 0x1c0);
	put(UPSTREAM + 0x160, BASE + UPSTREAM + 0x1d0);
	put_string(UPSTREAM + 0x1c0, "127.0.0.1:80");
	put_string(UPSTREAM + 0x1d0 + 0x30, "backend");
}

/* Puts a connection of HTTP/2 with a request, and a node without a request. */
static void put_streams(void)
{
	uint64_t table = STREAMS + 0x280, node = table + 0x100, stream = node + 0xe0;
	uint64_t own = stream + 0x20, c = CONNECTIONS + 3 * CONNECTION;

	put(c, BASE + STREAMS);
	put(STREAMS, BASE + c);
	put(STREAMS + 0x178, BASE + table);
	put(table + 8, BASE + node);
	put(node, 2 * 1 + 1);
	put(node + 0x70, 2 * 33 + 1);
	put(node + 8, BASE + node + 0x70);
	put(node + 0x70 + 0x60, BASE + stream);
	put(stream, BASE + STREAMS + 0x600);
	put(stream + 8, BASE + STREAMS);
	put(stream + 16, BASE + node + 0x70);
	put(own + 8, BASE + READ_EVENTS + 3 * EVENT);
	put(own + 0x10, BASE + WRITE_EVENTS + 3 * EVENT);
	put(own + 0x18, 23);
	put_request(STREAMS + 0x600, own);
}

/* Puts two blocks and a large allocation. */
static void put_pool(void)
{
	put(POOL, BASE + POOL + 0x80);
	put(POOL + 8, BASE + POOL + 0x100);
	put(POOL + 16, BASE + POOL + 0x100);
	put(POOL + 0x38, BASE + POOL + 0x60);
	put(POOL + 0x68, BASE + POOL + 0x210);
	put(POOL + 0x100, BASE + POOL + 0x140);
	put(POOL + 0x108, BASE + POOL + 0x200);
	put(POOL + 0x208, 0x41);
}

/* Puts a slab allocator with three free pages in two runs. */
static void put_slab(uint64_t at)
{
	uint64_t pages = at + 0x500, head = at + 0x30;

	put(at + 16, 8);
	put(at + 24, 3);
	put(at + 32, BASE + pages);
	put(at + 40, BASE + pages + 5 * 24);
	put(head, 0);
	put(head + 8, BASE + pages + 24);
	put(head + 16, BASE + pages + 3 * 24);
	put(at + 72, BASE + at + 0x300);
	put(at + 80, 3);
	put(at + 23 * 8, BASE + at + 0x1000);
	put(at + 24 * 8, BASE + at);
	put(pages + 24, 2);
	put(pages + 32, BASE + pages + 3 * 24);
	put(pages + 40, BASE + head);
	put(pages + 3 * 24, 1);
	put(pages + 3 * 24 + 8, BASE + head);
	put(pages + 3 * 24 + 16, BASE + pages + 24);
}

static void put_zones(void)
{
	uint64_t dict = SHARED + 0x1000, last = dict + 0x40;

	for (uint64_t i = 0; i < 2; i++) {
		uint64_t at = ZONES + 0x50 * i;

		put(at + 8, BASE + SHARED + i * ZONE);
		put(at + 16, ZONE);
		put_string(at + 24, i ? "cache" : "dict");
		put(at + 64, BASE + MODULES + (i ? 2 : 4) * MODULE);
		put_slab(SHARED + i * ZONE);
	}
	put(dict + 8, BASE + dict + 0x18);
	for (uint64_t i = 0; i < NODES; i++) {
		uint64_t node = dict + 0x80 + 0x800 * i;

		put(node + 32, 3ULL << 16 | 10ULL << 32);
		put(node + 40, i);
		put(node + 48, BASE + last);
		put(last + 8, BASE + node + 48);
		last = node + 48;
	}
	put(last + 8, BASE + dict + 0x40);
	put(dict + 0x40, BASE + last);
}

/* Makes the new value of the word OLD from three bytes: a small number, an address, a value near to
 * OLD, or any value. */
static uint64_t make_word(const uint8_t *b, uint64_t old)
{
	uint64_t both = (uint64_t)b[2] << 8 | b[1];

	switch (b[0] % 6) {
	case 0:
		return (uint64_t)(int64_t)(int16_t)both;
	case 1:
		return BASE + both;
	case 2:
		return old + (uint64_t)(int64_t)(int16_t)both;
	case 3:
		return (uint64_t)b[2] << (b[1] & 63);
	case 4:
		return get(both % (SIZE / 8) * 8);
	default:
		return (both << 8 | b[0]) * 0x9e3779b97f4a7c15ULL;
	}
}

static void change(const uint8_t *data, size_t size, bool is_later)
{
	for (; size >= 5; data += 5, size -= 5) {
		uint64_t at = ((uint64_t)data[0] << 8 | data[1]) % (SIZE / 8) * 8;
		uint64_t value = make_word(data + 2, get(at));

		if (is_later && data[2] & 0x80 && image.nr_later < CHANGES)
			image.later[image.nr_later++] = (struct change){at, value};
		else
			put(at, value);
	}
}

/* ---- the results of reading it ---- */

static bool is_fixed(void)
{
	return !image.nr_later;
}

/* The head of the request must be in memory. */
static void check_head(const struct nginx_request *r)
{
	must(r->consistent && is_there(r->address, 16) && !(r->address & 7));
	must((uint32_t)get(r->address - BASE) == NGINX_SIGNATURE);
	must(get(r->address - BASE + 8) == r->connection);
	must(r->texts.subrequest == (r->main != r->address));
}

/* The texts of the request must be in memory. */
static void check_texts(const struct nginx_request *r)
{
	for (size_t i = 0; i < NGINX_TEXTS; i++) {
		const struct nginx_text *t = &r->texts.text[i];
		size_t len = t->len < NGINX_TEXT_MAX ? t->len : NGINX_TEXT_MAX;

		must(t->len <= UINT32_MAX && memmem(image.bytes, SIZE, t->bytes, len));
	}
}

static void check_words(const struct nginx_layout *l, const struct memory *m)
{
	image.reads = 0;
	for (uint64_t at = CONNECTIONS; at < CONFS; at += 8) {
		uint64_t address = nginx_request_of_word(l, m, get(at));
		struct nginx_request r;

		must(!address || !is_fixed() || nginx_request_is_at(l, m, address));
		if (address && nginx_request_read(l, m, address, &r) && is_fixed())
			check_head(&r);
	}
}

static void check_pool(const struct nginx_pool *p)
{
	must(p->used + p->unused == p->block_bytes && p->used <= p->block_bytes);
	must(p->nr_unknown <= p->nr_large && p->nr_large <= 1 << 16 && p->nr_blocks <= 1 << 16);
}

static void check_serving(const struct nginx_worker *w, const struct nginx_modules *modules)
{
	const struct nginx_layout *l = &w->layout;
	struct nginx_serving s;
	uint64_t nr = 0;

	image.reads = 0;
	nginx_serving_read(w, modules, &s);
	for (size_t i = 0; i < NGINX_USES; i++)
		nr += s.nr[i];
	must(nr == s.nr_open && s.nr_open <= l->nr_connections &&
		s.nr_requests <= 2 * (nr + STREAMS_MAX));
	must(!s.is_consistent || s.nr_free + s.nr_open == s.nr_connections);
	for (size_t i = 0; i < s.nr_open; i++) {
		const struct nginx_connection *c = &s.connections[i];

		must(c->fd > 0 && c->index < l->nr_connections && s.uses[i] < NGINX_USES);
		must(c->address == l->connections + (uint64_t)c->index * l->connection_size);
	}
	for (size_t i = 0; i < s.nr_requests; i++) {
		if (is_fixed()) {
			check_head(&s.requests[i].request);
			check_texts(&s.requests[i].request);
		}
		check_pool(&s.requests[i].pool);
		for (size_t k = 0; k < i; k++)
			must(s.requests[k].request.address != s.requests[i].request.address);
	}
	nginx_serving_release(&s);
}

static void check_filters(const struct nginx_modules *modules, const struct target *t)
{
	struct nginx_filters filters;

	image.reads = 0;
	nginx_filters_read(&filters, modules, t);
	for (int i = 0; i < NGINX_CHAINS; i++) {
		const struct nginx_chain *c = &filters.chain[i];

		must(c->nr <= 256 && (!c->is_whole || c->nr));
		for (size_t k = 0; k < c->nr; k++) {
			const struct nginx_module *m = c->list[k].module;

			must(!m || (m >= modules->list && m < modules->list + modules->nr));
			for (size_t j = 0; j < k; j++)
				must(c->list[j].function != c->list[k].function);
		}
	}
	nginx_filters_release(&filters);
}

static void check_modules(const struct nginx_modules *modules)
{
	must(modules->nr <= 1024 && modules->nr_handlers <= 256);
	for (size_t i = 0; i < modules->nr; i++) {
		size_t len = strlen(modules->list[i].name);

		must(len && len < 64);
		must(!is_fixed() || memmem(image.bytes, SIZE, modules->list[i].name, len));
	}
	for (size_t i = 0; i < modules->nr_handlers; i++) {
		must(modules->handlers[i].phase < NGINX_PHASES && nginx_phase_name(modules, i));
		nginx_handler(modules, i, function(i));
	}
}

static void check_zones(const struct nginx_worker *w, const struct nginx_modules *modules)
{
	struct nginx_zones zones;

	image.reads = 0;
	nginx_zones_read(w, modules, &zones);
	must(!zones.nr || zones.list);
	for (size_t i = 0; i < zones.nr; i++) {
		const struct nginx_zone *z = &zones.list[i];

		must(z->name && z->nr_slots <= NGINX_SLOTS_MAX && (!z->has_dict || z->has_slab));
		if (z->has_slab)
			must(z->free_pages <= z->pages && z->largest_free <= z->free_pages);
		if (z->has_dict)
			must(z->dict.expired <= z->dict.keys && z->dict.keys <= SIZE / 8);
	}
	nginx_zones_release(&zones);
}

static void check_layout(const struct nginx_layout *l)
{
	must(l->state <= NGINX_VERIFIED && !l->connections == !l->nr_connections);
	must(!l->connections || (l->connection_size >= 0xa0 && l->event_size >= 64));
	must(l->at.pool < l->at.server && l->at.server < l->at.status);
	must(l->at.status < l->at.start && l->at.start < l->at.main && l->at.main < REQUEST);
}

/* Everything must be read from a worker that is not changed; changes may only change that. */
static void check_plain(const struct nginx_worker *w, const struct nginx_modules *modules)
{
	struct nginx_serving s;
	struct nginx_zones zones;
	struct nginx_filters filters;

	nginx_filters_read(&filters, modules, &w->target);
	must(filters.chain[NGINX_HEADER_FILTERS].nr == NR_MODULES);
	must(filters.chain[NGINX_BODY_FILTERS].is_whole);
	nginx_filters_release(&filters);
	nginx_serving_read(w, modules, &s);
	nginx_zones_read(w, modules, &zones);
	must(w->layout.state == NGINX_VERIFIED && modules->nr == NR_MODULES);
	must(modules->nr_handlers == 8 && s.is_consistent &&
		s.nr_requests == NR_REQUESTS + NR_STREAMS);
	for (size_t i = 0; i < s.nr_requests; i++)
		must(s.requests[i].is_consistent && s.requests[i].request.texts.text[0].len);
	must(s.requests[0].pool.nr_blocks == 2 && s.requests[0].pool.large_bytes == 0x38);
	must(zones.is_known && zones.nr == 2 && zones.list[1].has_slab);
	must(zones.list[0].free_pages == 3 && zones.list[0].largest_free == 2);
	must(zones.list[0].has_dict && zones.list[0].dict.keys == NODES);
	nginx_serving_release(&s);
	nginx_zones_release(&zones);
}

static void use(struct nginx_worker *w, bool is_plain)
{
	struct strbuf err = STRBUF_INIT;
	struct nginx_modules modules;
	int ret = nginx_find(&w->target, &w->layout, &err);

	must((ret < 0) == (err.len > 0) && ret <= 0 && !(is_plain && ret));
	if (!ret) {
		check_layout(&w->layout);
		strbuf_reset(&err);
		nginx_describe(&w->layout, "nginx", 1, &err);
		check_words(&w->layout, &w->target.memory);
		image.reads = 0;
		nginx_modules_read(&w->layout, &w->target, &modules);
		check_modules(&modules);
		check_filters(&modules, &w->target);
		check_serving(w, &modules);
		check_zones(w, &modules);
		if (is_plain)
			check_plain(w, &modules);
		nginx_modules_release(&modules);
	}
	strbuf_release(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct elffile *elf; /* none of its contents are read */
	struct target_file files[] = {
		{NULL, "/usr/sbin/nginx", BASE}, {NULL, "/lib/libc.so.6", BASE}};
	struct nginx_worker w = {.pid = 1,
		.target = {.files = files, .nr_files = 2, .memory = {.read = read_image}}};

	if (!size)
		return 0;
	if (!elf)
		elf = elffile_open_vdso();
	must(elf);
	files[0].elf = files[1].elf = elf;
	memset(&image, 0, sizeof(image));
	put_heads();
	put_modules();
	image.texts = TEXTS;
	put_cycle();
	put_connections();
	put_requests();
	put_streams();
	put_pool();
	put_zones();
	must(image.texts <= POOL);
	change(data + 1, size - 1, *data & 1);
	use(&w, size == 1);
	return 0;
}
