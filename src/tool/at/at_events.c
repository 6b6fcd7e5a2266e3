/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "at_events.h"
#include "lib/util.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

static const char *const mounts[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

FILE *at_event_format(const char *group, const char *name)
{
	FILE *format = NULL;

	for (size_t i = 0; i < ARRAY_LEN(mounts) && !format; i++) {
		char *path = xasprintf("%s/events/%s/%s/format", mounts[i], group, name);

		format = fopen(path, "re");
		free(path);
	}
	return format;
}

char *at_event_group(const char *name)
{
	char *group = NULL;

	for (size_t i = 0; i < ARRAY_LEN(mounts) && !group; i++) {
		char *pattern = xasprintf("%s/events/*/%s", mounts[i], name);
		glob_t found = {0};

		if (!glob(pattern, GLOB_NOSORT, NULL, &found) && found.gl_pathc) {
			const char *start =
				found.gl_pathv[0] + strlen(mounts[i]) + strlen("/events/");

			group = xstrndup(start, strcspn(start, "/"));
		}
		globfree(&found);
		free(pattern);
	}
	return group;
}
