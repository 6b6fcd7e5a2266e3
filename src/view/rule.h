/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses files of rules, flametap-rules(5). */
#ifndef VIEW_RULE_H
#define VIEW_RULE_H

#include "lib/pattern.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lines;
struct strbuf;

/* The alternatives of a condition. Without alternatives, there is no such condition. */
struct alternatives {
	struct pattern *list;
	size_t nr, alloc;
};

struct rule {
	char *category;
	unsigned kinds; /* 1 << frame_kind for each kind, or 0 for any kind */
	bool inherit;
	struct alternatives modules, functions;
};

struct rule_list {
	struct rule *list;
	uint32_t nr, alloc;
};

void rule_list_init(struct rule_list *rules);
void rule_list_release(struct rule_list *rules);

/* Moves the rules in FIRST to the beginning of RULES. */
void rule_list_prepend(struct rule_list *rules, struct rule_list *first);

/*
 * Add the rules of a text, of lines, or of a file. NAME is the file's name in messages. Return -1
 * and append one line to ERR if the file cannot be read or a rule is invalid; the rules before it
 * remain.
 */
int rule_list_read_text(
	struct rule_list *rules, const char *name, const char *text, struct strbuf *err);
int rule_list_read(
	struct rule_list *rules, const char *name, struct lines *lines, struct strbuf *err);
int rule_list_read_file(struct rule_list *rules, const char *path, struct strbuf *err);

#endif
