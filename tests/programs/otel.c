/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * otel [LIBRARY]: attaches contexts to its threads as an OpenTelemetry SDK does (OTEP 4947), each
 * while a function of its own works, and publishes the names of their attributes (OTEP 4719). After
 * SIGUSR1 it publishes a further name, and uses it. Compiled with -DLIBRARY it is only the library
 * with the variable, which the program loads; with -DPROGRAM the program without the variable;
 * without both, the program has it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct record {
	unsigned char trace[16], span[8], valid, flags;
	uint16_t size;
	unsigned char attributes[612];
};

void otel_attach(struct record *record);

#ifndef PROGRAM
__attribute__((visibility("default"))) __thread struct record *volatile otel_thread_ctx_v1;

#ifdef LARGE
/* so that the library's block has no room beside the program's */
__attribute__((visibility("default"))) __thread char otel_large[1 << 20];
#endif

__attribute__((visibility("default"))) void otel_attach(struct record *record)
{
	otel_thread_ctx_v1 = record;
}
#endif

#ifndef LIBRARY

/* ---- the names of attributes ---- */

struct context {
	char signature[8];
	uint32_t version, payload_size;
	volatile uint64_t published;
	const void *payload;
};

struct message {
	unsigned char bytes[500];
	size_t size;
};

/* Appends a field of a protobuf message, of fewer than 128 bytes. */
static void add_field(struct message *m, unsigned number, const void *bytes, size_t size)
{
	m->bytes[m->size++] = (unsigned char)(number << 3 | 2);
	m->bytes[m->size++] = (unsigned char)size;
	memcpy(m->bytes + m->size, bytes, size);
	m->size += size;
}

static void add_text(struct message *m, unsigned number, const char *text)
{
	add_field(m, number, text, strlen(text));
}

static void add_message(struct message *m, unsigned number, const struct message *part)
{
	add_field(m, number, part->bytes, part->size);
}

static void add_attribute(
	struct message *m, unsigned number, const char *key, const struct message *value)
{
	struct message attribute = {.size = 0};

	add_text(&attribute, 1, key);
	add_message(&attribute, 2, value);
	add_message(m, number, &attribute);
}

/* Publishes the names of the first NR attributes. */
static void publish(size_t nr)
{
	static const char *const names[] = {"http.route", "user", "db.system"};
	static struct message messages[4];
	static struct context *context;
	struct message list = {.size = 0}, value = {.size = 0}, version = {.size = 0};
	struct message service = {.size = 0}, resource = {.size = 0};
	struct message *m = &messages[nr];

	for (size_t i = 0; i < nr; i++) {
		struct message name = {.size = 0};

		add_text(&name, 1, names[i]);
		add_message(&list, 1, &name);
	}
	add_message(&value, 5, &list);
	add_text(&version, 1, "tlsdesc_v1_dev");
	add_text(&service, 1, "shop");
	add_attribute(&resource, 1, "service.name", &service);
	m->size = 0;
	add_message(m, 1, &resource);
	add_attribute(m, 2, "threadlocal.schema_version", &version);
	add_attribute(m, 2, "threadlocal.attribute_key_map", &value);
	if (!context) {
		int fd = memfd_create("OTEL_CTX", MFD_CLOEXEC);

		if (fd < 0 || ftruncate(fd, sizeof(*context)))
			exit(2);
		context = mmap(NULL, sizeof(*context), PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
		close(fd);
	}
	context->published = 0;
	context->version = 2;
	context->payload_size = (uint32_t)m->size;
	context->payload = m->bytes;
	memcpy(context->signature, "OTEL_CTX", sizeof(context->signature));
	context->published = nr;
}

/* ---- contexts ---- */

static void (*attach)(struct record *);
static volatile sig_atomic_t is_late;
static volatile unsigned long sum;

static void add(struct record *r, unsigned number, const char *value)
{
	size_t len = strlen(value);

	r->attributes[r->size++] = (unsigned char)number;
	r->attributes[r->size++] = (unsigned char)len;
	memcpy(r->attributes + r->size, value, len);
	r->size = (uint16_t)(r->size + len);
}

static void spin(void)
{
	for (int i = 0; i < 1000000; i++)
		sum += (unsigned long)i;
}

#define WORK(name)                                                                                 \
	__attribute__((noinline)) static void name(void)                                           \
	{                                                                                          \
		spin();                                                                            \
		sum++;                                                                             \
	}
WORK(carts)
WORK(orders)
WORK(rests)
WORK(helps)
WORK(lates)

static struct record begin(unsigned trace, const char *route)
{
	struct record r = {.valid = 1, .flags = 1};

	memset(r.trace, (int)trace, sizeof(r.trace));
	memset(r.span, (int)trace + 1, sizeof(r.span));
	add(&r, 0, route);
	return r;
}

static void work_on(void (*work)(void), struct record *record)
{
	attach(record);
	work();
	attach(NULL);
}

static void *help(void *unused)
{
	struct record record = begin(0x30, "/help");

	for (;;)
		work_on(helps, &record);
	return unused;
}

static void on_signal(int unused)
{
	(void)unused;
	is_late = 1;
}

static void work_late(unsigned round)
{
	struct record record;
	char route[20];

	snprintf(route, sizeof(route), "/late/%u", round);
	record = begin(0x40, route);
	add(&record, 2, "pg");
	work_on(lates, &record);
}

int main(int argc, char **argv)
{
	struct record cart = begin(0x10, "/cart"), order = begin(0x20, "/before"), bad;
	pthread_t thread;

#ifdef PROGRAM
	void *library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW);

	attach = library ? (void (*)(struct record *))dlsym(library, "otel_attach") : NULL;
#else
	(void)argc;
	(void)argv;
	attach = otel_attach;
#endif
	if (!attach)
		return 2;
	add(&cart, 1, "mei");
	add(&order, 0, "/orders"); /* the last one counts */
	add(&order, 7, "unknown");
	bad = cart;
	bad.valid = 0;
	publish(2);
	signal(SIGUSR1, on_signal);
	if (pthread_create(&thread, NULL, help, NULL))
		return 2;
	for (unsigned i = 0;; i++) {
		work_on(carts, &cart);
		work_on(orders, &order);
		work_on(rests, i % 2 ? NULL : &bad);
		if (is_late == 1)
			publish(3);
		if (is_late)
			is_late = 2;
		if (is_late)
			work_late(i);
	}
}

#endif
