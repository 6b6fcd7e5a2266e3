/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nginx's row in the table of sources of labels. */
#include "label/label.h"
#include "lib/argv.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "nginx_find.h"
#include "nginx_modules.h"
#include "nginx_values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct label_key keys[] = {
	[NGINX_URI] = {"uri", true, true},
	[NGINX_ARGS] = {"args", false, true},
	[NGINX_METHOD] = {"method", true, true},
	[NGINX_HOST] = {"host", true, true},
	[NGINX_SERVER] = {"server", true, false},
	[NGINX_LOCATION] = {"location", true, false},
	[NGINX_UPSTREAM] = {"upstream", true, true},
	[NGINX_PEER] = {"peer", true, true},
	[NGINX_CLIENT] = {"client", false, true},
	[NGINX_KEY_PHASE] = {"phase", true, false},
	[NGINX_KEY_HANDLER] = {"handler", true, false},
	[NGINX_KEY_STATUS] = {"status", true, false},
	[NGINX_KEY_SUB] = {"sub", true, false},
	[NGINX_KEY_CONN] = {"conn", false, true},
	[NGINX_KEY_WORKER] = {"worker", false, false},
	[NGINX_KEYS] = {NULL, false, false},
};

static const char *const places[NGINX_PLACES + 1] = {
	[NGINX_OTHER] = "other",
	[NGINX_IDLE] = "idle",
	[NGINX_TIMERS] = "timers",
	[NGINX_READING] = "reading",
	[NGINX_QUIC] = "quic",
	[NGINX_ACCEPT] = "accept",
	[NGINX_CLOSING] = "closing",
};

static int find(const struct target *t, struct label_layout *layout, struct strbuf *err)
{
	*layout = (struct label_layout){.kind = LABEL_NGINX};
	return nginx_find(t, &layout->nginx, err);
}

/* Returns the state. A worker allocates its connections after the fork, and then gets a request. */
static enum label_state state_of(const struct label_layout *layout)
{
	switch (layout->nginx.state) {
	case NGINX_VERIFIED:
		return LABEL_COMPLETE;
	case NGINX_ASSUMED:
		return LABEL_UNVERIFIED;
	default:
		return LABEL_INCOMPLETE;
	}
}

static void describe(
	const struct target *t, const struct label_layout *layout, uint32_t pid, struct strbuf *out)
{
	const struct target_file *file = nginx_file(t);

	nginx_describe(&layout->nginx, file ? file->path : "?", pid, out);
}

static void close_names(void *names)
{
	if (names)
		nginx_modules_release(names);
	free(names);
}

static void *open_names(const struct target *t, const struct label_layout *layout)
{
	struct nginx_modules *modules = xcalloc(1, sizeof(*modules));

	if (nginx_modules_read(&layout->nginx, t, modules) && modules->nr_handlers)
		return modules;
	close_names(modules);
	return NULL;
}

/* ---- the labels of a request ---- */

static void take_text(
	const struct nginx_text *text, const char *key, const struct label_taker *taker)
{
	char value[NGINX_TEXT_MAX + sizeof("…")];
	size_t len = text->len < NGINX_TEXT_MAX ? text->len : NGINX_TEXT_MAX;

	if (!len)
		return;
	memcpy(value, text->bytes, len);
	strcpy(value + len, text->len > NGINX_TEXT_MAX ? "…" : "");
	taker->take(taker->context, key, value);
}

static void take_number(uint64_t number, const char *key, const struct label_taker *taker)
{
	char value[24];

	snprintf(value, sizeof(value), "%" PRIu64, number);
	taker->take(taker->context, key, value);
}

static void take(const void *names, const struct label_new_set *set, uint32_t bits,
	const struct label_taker *taker)
{
	const struct nginx_texts *t = &set->texts.nginx;
	const struct nginx_modules *modules = names;
	const struct nginx_module *handler =
		modules ? nginx_handler(modules, t->phase, t->content_handler) : NULL;
	const char *phase = modules ? nginx_phase_name(modules, t->phase) : NULL;

	for (int i = 0; i < NGINX_TEXTS; i++)
		if (bits >> i & 1)
			take_text(&t->text[i], keys[i].name, taker);
	if (bits >> NGINX_KEY_PHASE & 1 && phase)
		taker->take(taker->context, "phase", phase);
	if (bits >> NGINX_KEY_HANDLER & 1 && handler)
		taker->take(taker->context, "handler", handler->name);
	if (bits >> NGINX_KEY_STATUS & 1 && t->status)
		take_number(t->status, "status", taker);
	if (bits >> NGINX_KEY_SUB & 1 && t->subrequest)
		taker->take(taker->context, "sub", "1");
	if (bits >> NGINX_KEY_CONN & 1)
		take_number(t->connection, "conn", taker);
}

/* ---- for scripts ---- */

static void release_values(void *values)
{
	if (values)
		nginx_values_release(values);
	free(values);
}

static int add_values(void **values, const struct target *t, const struct label_layout *layout,
	uint32_t pid, struct strbuf *err)
{
	if (!*values) {
		*values = xmalloc(sizeof(struct nginx_values));
		*(struct nginx_values *)*values = (struct nginx_values)NGINX_VALUES_INIT;
	}
	return nginx_values_add(*values, pid, t, &layout->nginx, err);
}

static void give_values(const void *values, uint32_t bits, struct argv *argv)
{
	argv_add(argv, xasprintf("nginx_keys=%" PRIu32, bits));
	if (values)
		nginx_values_give(values, "", argv);
}

static void put_text(struct nginx_text *to, uint64_t len, const char *text)
{
	size_t nr = strlen(text);

	if (nr > NGINX_TEXT_MAX)
		nr = NGINX_TEXT_MAX;
	memcpy(to->bytes, text, nr);
	to->len = len > NGINX_TEXT_MAX ? len : nr;
}

static void put(struct label_new_set *set, int key, uint64_t number, const char *text)
{
	struct nginx_texts *t = &set->texts.nginx;

	if (key < NGINX_TEXTS) {
		if (text)
			put_text(&t->text[key], number, text);
		return;
	}
	switch (key) {
	case NGINX_KEY_PHASE:
		t->phase = (uint32_t)number;
		break;
	case NGINX_KEY_HANDLER:
		t->content_handler = number;
		break;
	case NGINX_KEY_STATUS:
		t->status = (uint32_t)number;
		break;
	case NGINX_KEY_SUB:
		t->subrequest = (uint32_t)number;
		break;
	case NGINX_KEY_CONN:
		t->connection = number;
		break;
	}
}

const struct label_source nginx_labels = {
	.name = "nginx",
	.title = "nginx",
	.owner = "the request that nginx works on",
	.advice = "give the number of its master or of a worker",
	.kind = LABEL_NGINX,
	.children = true,
	.keys = keys,
	.process = NGINX_KEY_WORKER,
	.place = "request",
	.places = places,
	.find = find,
	.state = state_of,
	.describe = describe,
	.open = open_names,
	.close = close_names,
	.file = nginx_file,
	.end = "ngx_http_free_request",
	.ends = "requests",
	.take = take,
	.add_values = add_values,
	.give_values = give_values,
	.release_values = release_values,
	.put = put,
};
