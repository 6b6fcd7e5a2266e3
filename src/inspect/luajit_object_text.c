/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "luajit_object_text.h"
#include "lib/strbuf.h"
#include "lib/utf8.h"
#include "lib/util.h"
#include "runtime/lua/luajit_fast.h"
#include "runtime/lua/luajit_heads.h"

#include <inttypes.h>

enum { TEXT_MAX = 60 }; /* bytes of a string that are shown */

static void add_escaped(struct strbuf *text, const char *s, size_t len)
{
	for (size_t at = 0, size; at < len; at += size) {
		uint32_t c;

		size = utf8_decode(s + at, len - at, &c);
		if (size && utf8_is_visible(c)) {
			strbuf_add(text, s + at, size);
			continue;
		}
		size = 1;
		strbuf_addf(text, "\\x%02x", (unsigned char)s[at]);
	}
}

static void add_string(struct object_walk *w, uint64_t address, struct strbuf *text)
{
	const struct luajit_string_head *s =
		address % 8 ? NULL : memory_copy_at(w->copy, address, sizeof(*s));
	uint32_t len;
	const char *bytes;

	if (!s)
		return;
	len = s->len < TEXT_MAX ? s->len : TEXT_MAX;
	bytes = memory_copy_at(w->copy, address + sizeof(*s), len);
	if (bytes)
		add_escaped(text, bytes, len);
	if (bytes && len < s->len)
		strbuf_adds(text, "...");
}

/* Appends the place of a function, such as "file.lua:12", without the '@' or '=' of the chunk. */
static void add_place(struct object_walk *w, uint64_t proto, struct strbuf *text)
{
	const struct luajit_proto_head *p =
		proto % 8 ? NULL : memory_copy_at(w->copy, proto, sizeof(*p));
	struct strbuf chunk = STRBUF_INIT;

	if (!p)
		return;
	add_string(w, p->chunkname, &chunk);
	strbuf_adds(text, *chunk.buf == '@' || *chunk.buf == '=' ? chunk.buf + 1 : chunk.buf);
	strbuf_addf(text, ":%" PRIu32, p->first_line);
	strbuf_release(&chunk);
}

static void add_function(struct object_walk *w, uint64_t address, struct strbuf *text)
{
	const struct luajit_function_head *f = memory_copy_at(w->copy, address, sizeof(*f));
	const char *name;

	if (!f)
		return;
	name = f->head.first > 1 ? luajit_fast_name(w->layout->fast, f->head.first) : NULL;
	if (!f->head.first)
		add_place(w, f->pc - LUAJIT_PROTO_SIZE, text);
	else if (name)
		strbuf_adds(text, name);
}

static void add_trace(struct object_walk *w, uint64_t address, struct strbuf *text)
{
	const struct luajit_trace_head *t = memory_copy_at(w->copy, address, sizeof(*t));

	if (!t)
		return;
	strbuf_addf(text, "trace %u of ", t->number);
	add_place(w, t->proto, text);
}

static void add_table(struct object_walk *w, uint64_t address, struct strbuf *text)
{
	const struct luajit_table_head *t = memory_copy_at(w->copy, address, sizeof(*t));

	if (t)
		strbuf_addf(text, "%" PRIu32 " array slots, %" PRIu64 " hash slots", t->array_size,
			t->hash_mask ? t->hash_mask + UINT64_C(1) : 0);
}

static void add_thread(struct object_walk *w, uint64_t address, struct strbuf *text)
{
	const struct luajit_thread_head *t = memory_copy_at(w->copy, address, sizeof(*t));

	if (t)
		strbuf_addf(text, "%" PRIu32 " stack slots", t->stack_size);
}

static void add_cdata(struct object_walk *w, const struct luajit_head *head, struct strbuf *text)
{
	uint32_t id = head->first | (uint32_t)head->second << 8;
	const struct luajit_ctype *type = object_walk_ctype(w, id);

	strbuf_addf(text, "C type %" PRIu32, id);
	if (!type || !type->name)
		return;
	strbuf_addch(text, ' ');
	add_string(w, type->name, text);
}

static void add_userdata(const struct luajit_head *head, struct strbuf *text)
{
	static const char *const types[] = {
		"userdata", "io file", "C library of ffi", "string buffer"};

	if (head->first < ARRAY_LEN(types))
		strbuf_adds(text, types[head->first]);
}

void luajit_object_text(
	struct object_walk *w, const struct luajit_object *object, struct strbuf *text)
{
	const struct luajit_head *head = memory_copy_at(w->copy, object->address, sizeof(*head));

	if (!head)
		return;
	switch (object->use) {
	case LUAJIT_USE_STRINGS:
		add_string(w, object->address, text);
		break;
	case LUAJIT_USE_PROTOS:
		add_place(w, object->address, text);
		break;
	case LUAJIT_USE_LUA_FUNCTIONS:
	case LUAJIT_USE_C_FUNCTIONS:
		add_function(w, object->address, text);
		break;
	case LUAJIT_USE_TRACES:
		add_trace(w, object->address, text);
		break;
	case LUAJIT_USE_TABLES:
		add_table(w, object->address, text);
		break;
	case LUAJIT_USE_THREADS:
		add_thread(w, object->address, text);
		break;
	case LUAJIT_USE_CDATA:
		add_cdata(w, head, text);
		break;
	case LUAJIT_USE_USERDATA:
		add_userdata(head, text);
		break;
	default:
		break;
	}
}
