/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "request.h"
#include "case.h"
#include "label/nginx/nginx_find.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- definitions that the BPF programs have around their functions ---- */

#undef __noinline
#undef __always_inline
#define __noinline static __attribute__((noinline))
#define __always_inline inline __attribute__((always_inline))

static struct scratch {
	struct request_regs { /* as in struct request_stack */
		uint64_t pc, argument, preserved[6];
	} regs;
	struct label_search label;
} scratch;

_Static_assert(sizeof(scratch.regs) == sizeof((struct request_stack){0}.reg), "");

static uint32_t recorded_keys(enum label_kind kind)
{
	(void)kind;
	return ~0U;
}

static const struct memory *read_from;

static struct scratch *label_scratch(uint32_t lane)
{
	(void)lane;
	return &scratch;
}

static int bpf_probe_read_user(void *to, uint32_t size, const void *from)
{
	return memory_read(read_from, (uintptr_t)from, to, size) ? 0 : -1;
}

static uint64_t regs_pc(const struct request_regs *r)
{
	return r->pc;
}

static void regs_preserved(const struct request_regs *r, uint64_t *to)
{
	memcpy(to, r->preserved, sizeof(r->preserved));
}

#include "label/nginx/nginx_bpf.h"

/* ---- the stack ---- */

bool request_read_stack(const char *line, struct request_stack *stack)
{
	char *end;

	stack->whole = strtoull(line, &end, 16);
	for (size_t i = 0; i < REQUEST_REGISTERS; i++)
		stack->reg[i] = strtoull(end, &end, 16);
	for (stack->nr = 0; *end == ' ' && stack->nr < REQUEST_FRAMES; stack->nr++) {
		struct label_passed *p = &stack->frames[stack->nr];

		p->sp = strtoull(end, &end, 16);
		p->pc = strtoull(end, &end, 16);
		p->saved = strtoull(end, &end, 16);
	}
	return !*end;
}

void request_write_stack(const struct request_stack *stack, FILE *out)
{
	fprintf(out, "stack %x", stack->whole);
	for (size_t i = 0; i < REQUEST_REGISTERS; i++)
		fprintf(out, " %" PRIx64, stack->reg[i]);
	for (size_t i = 0; i < stack->nr; i++)
		fprintf(out, " %" PRIx64 " %" PRIx64 " %" PRIx64, stack->frames[i].sp,
			stack->frames[i].pc, stack->frames[i].saved);
	fprintf(out, "\n");
}

/* ---- the request ---- */

int request_find(const struct target *t, struct strbuf *out)
{
	int found = nginx_find(t, &scratch.label.layout.nginx, out);

	scratch.label.layout.kind = LABEL_NGINX;
	if (!found)
		nginx_describe(&scratch.label.layout.nginx, nginx_file(t)->path, 0, out);
	return found;
}

/* Does what begin_label(), search_label() and take_label() in label/label_bpf.h and core.h do. */
static void search(const struct request_stack *stack)
{
	memcpy(&scratch.regs, stack->reg, sizeof(scratch.regs));
	scratch.label = (struct label_search){.on = true,
		.searching = true,
		.place = NGINX_OTHER,
		.layout = scratch.label.layout};
	nginx_search_here(&scratch, 0);
	for (size_t i = 0; i < stack->nr && scratch.label.searching; i += scratch.label.nr_passed) {
		size_t left = stack->nr - i;

		scratch.label.nr_passed = left < LABEL_PASSED ? (uint32_t)left : LABEL_PASSED;
		memcpy(scratch.label.passed, stack->frames + i,
			scratch.label.nr_passed * sizeof(*stack->frames));
		nginx_search_here(&scratch, 0);
	}
}

static void add_label(const char *name, const char *value, size_t len, struct strbuf *out)
{
	if (!len)
		return;
	strbuf_addf(out, "\t%s ", name);
	case_escape(value, len, out);
	strbuf_addch(out, '\n');
}

/* Appends the labels that nginx also has as variables. */
static void add_labels(const struct nginx_texts *t, struct strbuf *out)
{
	static const char *const names[NGINX_TEXTS] = {[NGINX_URI] = "uri",
		[NGINX_ARGS] = "args",
		[NGINX_METHOD] = "method",
		[NGINX_HOST] = "host",
		[NGINX_SERVER] = "server",
		[NGINX_CLIENT] = "client"};

	for (size_t i = 0; i < NGINX_TEXTS; i++)
		if (names[i])
			add_label(names[i], t->text[i].bytes,
				t->text[i].len < NGINX_TEXT_MAX ? t->text[i].len : NGINX_TEXT_MAX,
				out);
	strbuf_addf(out, "\tconn %" PRIu64 "\n\tsub %" PRIu32 "\n", t->connection, t->subrequest);
}

void request_labels(
	const struct memory *memory, const struct request_stack *stack, struct strbuf *out)
{
	struct nginx_identity id = {0};

	read_from = memory;
	search(stack);
	if (!scratch.label.found && (!scratch.label.searching || stack->whole)) {
		strbuf_adds(out, "\tno request\n");
	} else if (!scratch.label.found || !nginx_key_here(&scratch, &id)) {
		strbuf_adds(out, "\tnot known\n");
	} else {
		nginx_texts_here(&scratch, 0, &id);
		add_labels(&scratch.label.record.set.texts.nginx, out);
	}
}

static void look_at(const uint64_t *words, size_t nr)
{
	struct nginx_identity id;

	(void)nginx_ends_here;
	for (size_t i = 0; i < nr; i++) {
		scratch.label.found =
			nginx_request_of(&scratch, &scratch.label.layout.nginx, words[i]);
		if (scratch.label.found && nginx_key_here(&scratch, &id))
			nginx_texts_here(&scratch, 0, &id);
	}
}

void request_look_around(const struct memory *memory, const struct request_stack *stack)
{
	uint64_t saved[NGINX_SAVED];

	read_from = memory;
	look_at(stack->reg, REQUEST_REGISTERS);
	for (size_t i = 0; i < stack->nr; i++)
		if (memory_read(memory, stack->frames[i].sp - NGINX_SLOTS, saved, sizeof(saved)))
			look_at(saved, NGINX_SAVED);
}
