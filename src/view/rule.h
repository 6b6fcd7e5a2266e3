/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules as they stand in a file, flametap-rules(5): read, not yet applied. */
#ifndef VIEW_RULE_H
#define VIEW_RULE_H

#include "lib/pattern.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lines;
struct strbuf;

/* Alternatives; none: there is no such condition. */
struct alternatives {
	struct pattern *list;
	size_t nr, alloc;
};

struct rule {
	char *category;
	unsigned kinds; /* 1 << frame_kind, 0: any */
	bool inherit;
	struct alternatives modules, functions;
};

struct rule_list {
	struct rule *list;
	uint32_t nr, alloc;
};

void rule_list_init(struct rule_list *rules);
void rule_list_release(struct rule_list *rules);

/* Puts FIRST before RULES; FIRST is empty then. */
void rule_list_prepend(struct rule_list *rules, struct rule_list *first);

/* Adds the rules of a text, of lines, or of a file; NAME stands for the file in messages. -1 and
 * one line in ERR when it cannot be read or a rule is wrong; those before it are there then. */
int rule_list_read_text(
	struct rule_list *rules, const char *name, const char *text, struct strbuf *err);
int rule_list_read(
	struct rule_list *rules, const char *name, struct lines *lines, struct strbuf *err);
int rule_list_read_file(struct rule_list *rules, const char *path, struct strbuf *err);

#endif
