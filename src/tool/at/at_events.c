/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "at_events.h"
#include "at_sites.h"
#include "lib/util.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static const char *const mounts[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

void at_events_mount(void)
{
	for (size_t i = 0; i < ARRAY_LEN(mounts); i++) {
		char *events = xasprintf("%s/events", mounts[i]);
		bool is_there = !access(events, F_OK);

		free(events);
		if (is_there)
			return;
	}
	mount("tracefs", mounts[0], "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

FILE *at_events_open(const char *name)
{
	FILE *file = NULL;

	for (size_t i = 0; i < ARRAY_LEN(mounts) && !file; i++) {
		char *path = xasprintf("%s/%s", mounts[i], name);

		file = fopen(path, "re");
		free(path);
	}
	return file;
}

FILE *at_event_format(const char *group, const char *name)
{
	char *path = xasprintf("events/%s/%s/format", group, name);
	FILE *format = at_events_open(path);

	free(path);
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

/* Adds the event whose folder is PATH, which ends in GROUP/NAME. */
static void add_event(struct at_sites *sites, char *path)
{
	char *slash = strrchr(path, '/'), *group = slash;

	*slash = ':';
	while (group > path && group[-1] != '/')
		group--;
	at_sites_add(sites, &(struct at_site){.name = group});
}

void at_events_find(struct at_sites *sites, const char *pattern)
{
	const char *colon = strchr(pattern, ':');
	int group = colon ? (int)(colon - pattern) : 1;

	for (size_t i = 0; i < ARRAY_LEN(mounts) && !sites->nr; i++) {
		char *path = xasprintf("%s/events/%.*s/%s/", mounts[i], group,
			colon ? pattern : "*", colon ? colon + 1 : pattern);
		glob_t found = {0};

		if (!glob(path, GLOB_NOSORT, NULL, &found))
			for (size_t k = 0; k < found.gl_pathc; k++) {
				found.gl_pathv[k][strlen(found.gl_pathv[k]) - 1] = '\0';
				add_event(sites, found.gl_pathv[k]);
			}
		globfree(&found);
		free(path);
	}
	at_sites_sort(sites);
}
