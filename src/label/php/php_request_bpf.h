/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the request that the current thread serves, in the BPF programs. Included by label_list.h.
 * PHP's globals tell it, so the stack is not searched.
 */
#ifndef LABEL_PHP_PHP_REQUEST_BPF_H
#define LABEL_PHP_PHP_REQUEST_BPF_H

#include "label/label_hash_bpf.h"
#include "runtime/vm_read_bpf.h"

static __always_inline void php_request_search_here(struct scratch *s, uint32_t lane)
{
	const struct php_request_layout *l = &s->label.layout.php_request;
	uint64_t globals;
	uint8_t started;

	(void)lane;
	s->label.leaf = true;
	s->label.searching = false;
	if (follow_path(&l->globals, &globals) == VM_ON &&
		!bpf_probe_read_user(
			&started, sizeof(started), (const void *)(globals + l->at + l->started)) &&
		started)
		s->label.found = globals + l->at;
}

/* Requests are not counted. */
static __always_inline bool php_request_ends_here(struct scratch *s, uint64_t address)
{
	(void)s;
	(void)address;
	return false;
}

/* Reads text KIND of the request, at ADDRESS, if it is recorded. */
__noinline int php_request_text(uint32_t lane, uint32_t kind, uint64_t address)
{
	struct scratch *s = label_scratch(lane);

	if (!s || kind >= PHP_REQUEST_TEXTS)
		return 0;
	char *text = s->label.record.set.texts.php_request.text[kind];

	__builtin_memset(text, 0, PHP_REQUEST_TEXT_MAX);
	if (address && recorded_keys(LABEL_PHP_REQUEST) >> kind & 1)
		bpf_probe_read_user_str(text, PHP_REQUEST_TEXT_MAX, (const void *)address);
	return 0;
}

/* Removes the query from the URI. */
__noinline int php_request_cut_query(uint32_t lane)
{
	struct scratch *s = label_scratch(lane);
	bool is_query = false;

	if (!s)
		return 0;
	char *uri = s->label.record.set.texts.php_request.text[PHP_REQUEST_URI];

	for (uint64_t i = 0; i < PHP_REQUEST_TEXT_MAX; i++) {
		is_query |= uri[i] == '?';
		if (is_query)
			uri[i] = 0;
	}
	return 0;
}

__noinline uint64_t php_request_hash(uint32_t lane)
{
	struct scratch *s = label_scratch(lane);

	if (!s)
		return 0;
	const uint64_t *word = (const uint64_t *)&s->label.record.set.texts.php_request;

	return label_hash(1, word, sizeof(struct php_request_texts) / sizeof(*word));
}

/* Returns whether V is the URI that the client has asked for. */
static __always_inline bool php_request_is_uri(const struct php_fcgi_variable *v)
{
	union {
		char text[16];
		uint64_t word[2];
	} name = {{0}};
	const union {
		char text[16];
		uint64_t word[2];
	} uri = {"REQUEST_URI"};

	return v->name_len == PHP_FCGI_URI_LEN &&
	       !bpf_probe_read_user(name.text, PHP_FCGI_URI_LEN, (const void *)v->name) &&
	       name.word[0] == uri.word[0] && name.word[1] == uri.word[1];
}

/* Returns the address of the URI in the variables of the FastCGI request, or 0 if there is none. */
__noinline uint64_t php_request_fcgi_uri(uint32_t lane)
{
	struct scratch *s = label_scratch(lane);
	struct php_fcgi_variable v = {0};

	if (!s || bpf_probe_read_user(&v.next, sizeof(v.next), (const void *)s->label.found) ||
		!v.next ||
		bpf_probe_read_user(&v.next, sizeof(v.next),
			(const void *)(v.next + PHP_FCGI_TABLE + PHP_FCGI_SLOT * sizeof(uint64_t))))
		return 0;
	for (uint64_t i = 0; i < PHP_FCGI_CHAIN; i++) {
		if (!v.next || bpf_probe_read_user(&v, sizeof(v), (const void *)v.next))
			return 0;
		if (php_request_is_uri(&v))
			return v.value;
	}
	return 0;
}

/* Reads the texts of the request that was found, and their hash. */
static __always_inline bool php_request_key_here(struct scratch *s, struct php_request_identity *id)
{
	const uint64_t from = s->label.found + PHP_REQUEST_INFO;
	uint64_t *info = s->label.word;

	if (bpf_probe_read_user(info, PHP_INFO_WORDS * sizeof(*info), (const void *)from))
		return false;
	uint64_t uri = php_request_fcgi_uri(LANE_EVENT);

	php_request_text(LANE_EVENT, PHP_REQUEST_URI, uri ? uri : info[PHP_INFO_URI]);
	php_request_text(LANE_EVENT, PHP_REQUEST_ARGS, info[PHP_INFO_ARGS]);
	php_request_text(LANE_EVENT, PHP_REQUEST_SCRIPT, info[PHP_INFO_SCRIPT]);
	php_request_text(LANE_EVENT, PHP_REQUEST_METHOD, info[PHP_INFO_METHOD]);
	php_request_cut_query(LANE_EVENT);
	id->hash = php_request_hash(LANE_EVENT);
	return true;
}

/* The texts were read with the identity. */
static __always_inline void php_request_texts_here(
	struct scratch *s, uint32_t lane, const struct php_request_identity *id)
{
	(void)s;
	(void)lane;
	(void)id;
}

#endif
