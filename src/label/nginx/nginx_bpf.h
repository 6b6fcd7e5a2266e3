/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the request that the current thread serves, in the BPF programs. Included by label_list.h.
 *
 * A function that works for a request keeps the request, its connection or one of its events in a
 * callee-saved register. So the pointer is in a register of the leaf, or among the registers that a
 * frame has saved below its return address. All frames inside the event loop work for one request.
 * Other places are not searched: other words of the stack may belong to any request that was served
 * before, and argument registers may be left over from a call that has returned, such as one that
 * made a subrequest. A function that waits for events may still have the last connection that it
 * handled in a register. So once a client's connection without a request has been found, other
 * connections do not count as leading to a request.
 */
#ifndef LABEL_NGINX_NGINX_BPF_H
#define LABEL_NGINX_NGINX_BPF_H

#ifdef __bpf__ /* tests/replay has a scratch of its own */
#include "engine/bpf/kern/scratch.h"
#endif

#define NGINX_READ(from, to, size, at)                                                             \
	((void)(from), bpf_probe_read_user(to, size, (const void *)(at)))

#include "nginx_step.h"

enum {
	NGINX_SAVED = 6,  /* registers that a callee may save, below its return address */
	NGINX_SLOTS = 56, /* offset below the CFA at which they begin, the last one first */
	NGINX_LEAF = 6,   /* callee-saved registers of the leaf */
};

/* Stores what word INDEX leads to; returns 1 if it leads to a request. */
__noinline int nginx_try_word(uint32_t lane, uint32_t index)
{
	struct scratch *s = label_scratch(lane);

	if (!s)
		return 1;
	struct label_search *search = &s->label;
	uint64_t word = search->word[index & 7], request, connection, listening;

	if (!nginx_may_point(word))
		return 0;
	request = nginx_request_of(s, &s->label.layout.nginx, word);
	if (request && (request == word || !search->owner)) {
		search->found = request;
		return 1;
	}
	connection = nginx_connection_of(s, &s->label.layout.nginx, word);
	if (request || !connection)
		return 0;
	if (search->place < NGINX_READING)
		search->place = NGINX_READING;
	if (!nginx_word(s, &listening, connection + NGINX_CONNECTION_LISTENING) && listening)
		search->owner = connection;
	return 0;
}

/* Tries the words from FIRST up to, but not including, END. */
static __always_inline void nginx_try_words(
	struct scratch *s, uint32_t lane, uint32_t first, uint32_t end)
{
	for (uint32_t i = 0; i < end; i++)
		if (i >= first && nginx_try_word(lane, i))
			break;
	s->label.searching = !s->label.found;
}

/* Sets the place by the function that contains PC. */
__noinline int nginx_see_code(uint32_t lane, uint64_t pc)
{
	struct scratch *s = label_scratch(lane);

	for (uint64_t i = 0; s && i < NGINX_CODES; i++) {
		const struct nginx_place_code *c = &s->label.layout.nginx.code[i];

		if (pc - c->start < c->size && c->place > s->label.place)
			s->label.place = c->place;
	}
	return 0;
}

__noinline int nginx_try_leaf(uint32_t lane)
{
	struct scratch *s = label_scratch(lane);

	if (!s)
		return 0;
	uint64_t *word = s->label.word;

	regs_preserved(&s->regs, word);
	nginx_see_code(lane, regs_pc(&s->regs));
	nginx_try_words(s, lane, 0, NGINX_LEAF);
	return 0;
}

/* Searches the registers that frame INDEX of the passed frames has saved. */
__noinline int nginx_search_frame(uint32_t lane, uint32_t index)
{
	struct scratch *s = label_scratch(lane);

	if (!s || !s->label.searching)
		return 0;
	const struct nginx_layout *l = &s->label.layout.nginx;
	const struct label_passed *p = &s->label.passed[index % LABEL_PASSED];
	uint64_t pc = p->pc, saved = p->saved;

	if (pc >= l->loop && pc < l->loop_end) {
		s->label.searching = false;
		if (s->label.place < NGINX_IDLE)
			s->label.place = NGINX_IDLE;
		return 0;
	}
	nginx_see_code(lane, pc);
	if (saved && !bpf_probe_read_user(s->label.word, NGINX_SAVED * sizeof(uint64_t),
			     (const void *)(p->sp - NGINX_SLOTS)))
		nginx_try_words(s, lane, NGINX_SAVED - saved, NGINX_SAVED);
	return 0;
}

/* Searches the registers, unless that was done before, and the frames that were passed. */
static __always_inline void nginx_search_here(struct scratch *s, uint32_t lane)
{
	if (!s->label.leaf) {
		s->label.leaf = true;
		nginx_try_leaf(lane);
	}
	for (uint32_t i = 0; i < LABEL_PASSED; i++)
		if (i < s->label.nr_passed)
			nginx_search_frame(lane, i);
}

/* Returns whether REQUEST is a client's request, not a subrequest. */
static __always_inline bool nginx_ends_here(struct scratch *s, uint64_t request)
{
	const struct nginx_layout *l = &s->label.layout.nginx;
	uint64_t main;

	return nginx_is_request(s, l, request) && !nginx_word(s, &main, request + l->at.main) &&
	       main == request;
}

/* Reads the identity of the request that was found; returns false if it cannot be read. */
static __always_inline bool nginx_key_here(struct scratch *s, struct nginx_identity *id)
{
	return nginx_identify(s, &s->label.layout.nginx, s->label.found, id);
}

/* Reads text KIND of the request, if it is recorded. */
__noinline int nginx_text_here(uint32_t lane, uint32_t kind)
{
	struct scratch *s = label_scratch(lane);

	if (!s || kind >= NGINX_TEXTS)
		return 0;
	struct nginx_text *text = &s->label.record.set.texts.nginx.text[kind];

	__builtin_memset(text, 0, sizeof(*text));
	if (recorded_keys(LABEL_NGINX) >> kind & 1)
		nginx_read_text(s, &s->label.layout.nginx, s->label.found, kind, text);
	return 0;
}

static __always_inline void nginx_texts_here(
	struct scratch *s, uint32_t lane, const struct nginx_identity *id)
{
	struct nginx_texts *t = &s->label.record.set.texts.nginx;
	const struct nginx_layout *l = &s->label.layout.nginx;
	uint32_t keys = recorded_keys(LABEL_NGINX);
	uint64_t word;

	for (uint32_t i = 0; i < NGINX_TEXTS; i++)
		nginx_text_here(lane, i);
	t->content_handler = keys >> NGINX_KEY_HANDLER & 1 ? id->content_handler : 0;
	t->phase = keys & (1 << NGINX_KEY_PHASE | 1 << NGINX_KEY_HANDLER) ? id->phase : 0;
	t->status = keys >> NGINX_KEY_STATUS & 1 ? id->status : 0;
	t->connection = keys >> NGINX_KEY_CONN & 1 ? id->number : 0;
	t->subrequest = t->pad = 0;
	if (keys >> NGINX_KEY_SUB & 1 && !nginx_word(s, &word, id->request + l->at.main))
		t->subrequest = word != id->request;
}

#endif
