/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "label_keys.h"
#include "label/label.h"
#include "label/memberships.h"
#include "lib/similar.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"
#include "options.h"
#include "runtime/vm.h"
#include "view/args/arg_value.h"

#include <stdlib.h>
#include <string.h>

struct key_list {
	struct key_word {
		const char *text;
		size_t len;
	} * list;
	size_t nr, alloc;
};

static void add_word(struct key_list *keys, const char *text, size_t len)
{
	ALLOC_GROW(keys->list, keys->nr, keys->alloc);
	keys->list[keys->nr++] = (struct key_word){text, len};
}

static void add(struct key_list *keys, const char *text)
{
	add_word(keys, text, strlen(text));
}

/* Adds the keys of the script's own labels. "-" stands for none. */
static void add_of_tool(struct key_list *keys, const struct tool *tool)
{
	const char *rest = tool->keys, *word;
	size_t len;

	while ((word = tool_next_word(&rest, &len)))
		if (len != 1 || *word != '-')
			add_word(keys, word, len);
}

static bool has_states(uint32_t selected)
{
	for (int i = 0; i < NR_VMS; i++)
		if (vms[i]->states && selected & VM_BIT(vms[i]->kind))
			return true;
	return false;
}

static void add_of_source(struct key_list *keys, const struct label_source *source)
{
	for (int i = 0; source->keys[i].name; i++)
		add(keys, source->keys[i].name);
	if (source->place)
		add(keys, source->place);
}

static struct key_list keys_of(const struct options *o)
{
	const struct engine_request *q = &o->session.request;
	struct key_list keys = {0};

	add_of_tool(&keys, q->tool);
	if (vm_have_operators(q->vms) && tool_takes(q->tool, "operators"))
		add(&keys, VM_OP_LABEL);
	if (has_states(q->vms))
		add(&keys, VM_STATE_LABEL);
	for (size_t i = 0; i < q->labels.nr; i++)
		add_of_source(&keys, q->labels.list[i].source);
	if (q->measure.ranges || q->module) /* a module may have been built with --distr */
		add(&keys, RECORDING_RANGE);
	for (int i = 0; i < NR_MEMBERSHIPS; i++)
		add(&keys, membership_keys[i]);
	for (size_t i = 0; i < o->nr_set; i++)
		add_word(&keys, o->set[i], strcspn(o->set[i], "="));
	return keys;
}

/* Returns whether KEY is a label whose name processes choose. */
static bool is_chosen(const struct chosen_sources *sources, const char *key)
{
	for (size_t i = 0; i < sources->nr; i++)
		if (strchr(key, '.') && sources->list[i].source->dotted)
			return true;
	return false;
}

static bool has_key(const struct options *o, const struct key_list *keys, const char *key)
{
	if (is_chosen(&o->session.request.labels, key))
		return true;
	for (size_t i = 0; i < keys->nr; i++)
		if (keys->list[i].len == strlen(key) &&
			!memcmp(keys->list[i].text, key, keys->list[i].len))
			return true;
	return false;
}

static bool has_vm_key(const struct vm *vm, const struct tool *tool, const char *key)
{
	if (!strcmp(key, VM_STATE_LABEL))
		return vm->states && tool_takes(tool, "vm");
	return !strcmp(key, VM_OP_LABEL) && vm->operator_name && tool_takes(tool, "operators");
}

/* Appends the options with which rows can have the label KEY: " --lua, --python". */
static void add_options(const struct tool *tool, const char *key, struct strbuf *out)
{
	for (int i = 0; i < NR_VMS; i++)
		if (has_vm_key(vms[i], tool, key))
			strbuf_addf(out, "%s --%s", out->len ? "," : "", vms[i]->language->name);
	strbuf_adds(out, out->len ? ", --vm auto or --mixed" : "");
	for (int i = 0; i < NR_LABEL_SOURCES && tool_takes(tool, "label"); i++)
		if (label_key_bit(label_sources[i], key, strlen(key)))
			strbuf_addf(out, "%s --%s", out->len ? " or" : "", label_sources[i]->name);
}

/* WORDS has what else OPTION could name. */
static __attribute__((noreturn)) void refuse(const struct options *o, const struct key_list *keys,
	const char *option, const char *key, const struct recording_view *words)
{
	const struct tool *tool = o->session.request.tool;
	struct strbuf text = STRBUF_INIT, needs = STRBUF_INIT;
	struct similar similar;

	message_add_path(&text, key);
	add_options(tool, key, &needs);
	if (needs.len)
		arg_error("--%s: the label %s needs%s", option, text.buf, needs.buf);
	similar_init(&similar, key);
	for (size_t i = 0; i < keys->nr; i++) {
		strbuf_adds(&text, i ? ", " : "; its labels are ");
		strbuf_add(&text, keys->list[i].text, keys->list[i].len);
		similar_try(&similar, keys->list[i].text, keys->list[i].len);
	}
	recording_end_no_key(words, &similar, &text);
	arg_error("--%s: the script %s does not record the label %.*s", option, tool->name,
		(int)(text.len - 1), text.buf);
}

static void check_by(const struct options *o, const struct key_list *keys, const char *key)
{
	if (!has_key(o, keys, key))
		refuse(o, keys, "by", key, &o->view);
}

void label_keys_check(const struct options *o)
{
	struct key_list keys = keys_of(o);

	if (o->session.request.tool->keys) {
		if (o->view.by)
			check_by(o, &keys, o->view.by);
		for (size_t i = 0; o->view.by_more[i]; i++)
			check_by(o, &keys, o->view.by_more[i]);
		for (size_t i = 0; i < o->where.nr; i++)
			if (!has_key(o, &keys, o->where.choices[i].key))
				refuse(o, &keys, "where", o->where.choices[i].key,
					&(struct recording_view){0});
	}
	free(keys.list);
}

void label_keys_list(const struct tool *tool, struct strbuf *out)
{
	struct key_list keys = {0};

	add_of_tool(&keys, tool);
	for (size_t i = 0; i < keys.nr; i++) {
		strbuf_add(out, keys.list[i].text, keys.list[i].len);
		strbuf_adds(out, ", ");
	}
	free(keys.list);
}
