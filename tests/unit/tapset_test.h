/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of the numbers that a tapset shares with the programs. */
#ifndef TESTS_UNIT_TAPSET_TEST_H
#define TESTS_UNIT_TAPSET_TEST_H

#include "engine/tool.h"
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* The macros of a tapset, which are read in their order. */
struct tapset_macros {
	struct lines lines;
	int fd;
};

/* Opens tapsets/NAME/NAME.stpm. */
static inline struct tapset_macros tapset_open(const char *name)
{
	struct tapset_macros macros = {.fd = -1};
	struct strbuf err = STRBUF_INIT;
	struct tool tool;

	setenv("FLAMETAP_DATADIR", ".", 0); /* for a program that is deeper in the tree */
	assert_int_equal(tool_find(&tool, "on-cpu", &err), 0);
	for (char **folder = tool.tapsets; *folder && macros.fd < 0; folder++) {
		char *path = xasprintf("%s/%s.stpm", *folder, name);

		macros.fd = open(path, O_RDONLY | O_CLOEXEC);
		free(path);
	}
	assert_true(macros.fd >= 0);
	lines_init(&macros.lines, macros.fd);
	tool_release(&tool);
	strbuf_release(&err);
	return macros;
}

static inline void tapset_close(struct tapset_macros *macros)
{
	lines_release(&macros->lines);
	close(macros->fd);
}

/*
 * Expects the macro PREFIX_NAME, after those that were expected before, to be NUMBER. NAME is a
 * member's name in C: "[" and "." are underscores there, and "]" is left out.
 */
static inline void tapset_expect(
	struct tapset_macros *macros, const char *prefix, const char *name, size_t number)
{
	char *want = xasprintf("@define %s_%s %%( %zu %%)", prefix, name, number);
	char *line;
	size_t len;
	bool found = false;

	for (char *c = want + strlen("@define "); *c && *c != ' '; c++)
		if (*c == '.' || *c == '[')
			*c = '_';
		else if (*c == ']')
			memmove(c, c + 1, strlen(c));
	while (!found && lines_next(&macros->lines, &line, &len))
		found = strlen(want) <= len && !memcmp(want, line, strlen(want));
	if (!found)
		fail_msg("no line '%s' where it is expected", want);
	free(want);
}

#endif
