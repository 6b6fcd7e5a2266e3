/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verifier.h"
#include "lib/util.h"

#include <stdbool.h>
#include <string.h>

/* kernel/bpf/verifier.c, print_verification_stats(); newer kernels print some per function */
static const char *const figures[] = {"processed ", "verification time ", "stack depth "};

static bool is_figures(const char *line, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(figures); i++)
		if (begins_with(line, len, figures[i]))
			return true;
	return false;
}

/* Returns the last line that begins with figures[0], or NULL. */
static const char *last_figures(const char *log)
{
	const char *last = NULL;

	for (const char *line = log; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (begins_with(line, strlen(line), figures[0]))
			last = line;
	}
	return last;
}

const char *verifier_reason(const char *log, size_t *len)
{
	const char *line = last_figures(log);

	while (line && line > log) {
		const char *end = line - 1;

		for (line = end; line > log && line[-1] != '\n';)
			line--;
		*len = (size_t)(end - line);
		if (*len && !is_figures(line, *len))
			return line;
	}
	return NULL;
}
