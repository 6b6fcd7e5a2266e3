/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers of nginx's layout in tapsets/nginx; their values in a process are tested in nginx.c.
 */
#include "label/nginx/nginx_values.h"
#include "engine/tool.h"
#include "label/label.h"
#include "lib/lines.h"
#include "lib/util.h"

#include <ctype.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* Expects the next macro of the tapset, which defines NAME, of the layout or of its offsets, as
 * NUMBER. */
static void expect_define(struct lines *lines, const char *name, size_t number)
{
	const char *member = strchr(name, '.');
	char *want = xasprintf("@define NGINX_%s %%( %zu %%)", member ? member + 1 : name, number);
	char *line;
	size_t len;
	bool found = false;

	while (!found && lines_next(lines, &line, &len))
		found = strlen(want) <= len && !memcmp(want, line, strlen(want));
	if (!found)
		fail_msg("no line '%s' where it is expected", want);
	free(want);
}

/*
 * Each label except for the worker's PID has its number; the number of texts precedes the others.
 */
static void expect_keys(struct lines *lines)
{
	for (size_t i = 0; i < NGINX_KEY_WORKER; i++) {
		char *name = xasprintf("KEY_%s", nginx_labels.keys[i].name);

		for (char *c = name; *c; c++)
			*c = (char)toupper((unsigned char)*c);
		if (i == NGINX_TEXTS)
			expect_define(lines, "TEXTS", NGINX_TEXTS);
		expect_define(lines, name, i);
		free(name);
	}
}

/*
 * The tapset has the same numbers in the same order, followed by three numbers for each function.
 */
static void nginx_values__numbers_of_the_tapset(void **state)
{
	struct strbuf err = STRBUF_INIT;
	struct tool tool;
	struct lines lines;
	size_t next = 0;
	char *path = NULL;

	(void)state;
	setenv("FLAMETAP_DATADIR", ".", 0); /* for a program that is deeper in the tree */
	assert_int_equal(tool_find(&tool, "on-cpu", &err), 0);
	for (char **folder = tool.tapsets; *folder && !path; folder++)
		if (strstr(*folder, "/nginx"))
			path = xasprintf("%s/nginx.stpm", *folder);
	assert_non_null(path);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	lines_init(&lines, fd);
#define NUMBER(name) expect_define(&lines, #name, next++);
	NGINX_NUMBERS(NUMBER)
#undef NUMBER
	expect_define(&lines, "codes", next);
	expect_define(&lines, "NR_CODES", NGINX_CODES);
	expect_define(&lines, "NUMBERS", next + 3 * NGINX_CODES);
	expect_keys(&lines);
	lines_release(&lines);
	close(fd);
	free(path);
	tool_release(&tool);
	strbuf_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nginx_values__numbers_of_the_tapset),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
