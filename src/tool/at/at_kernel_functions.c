/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "at_kernel_functions.h"
#include "at_events.h"
#include "at_sites.h"
#include "engine/probe.h"
#include "lib/pattern.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes "NAME [MODULE]", as tracefs has it. */
static void take_name(struct at_sites *sites, const struct probe *probe, char *line)
{
	line[strcspn(line, " \t\n")] = '\0';
	if (*line && pattern_or_name_matches(probe->name, line, strlen(line)))
		at_sites_add(sites, &(struct at_site){.name = line});
}

/* Takes "ADDRESS TYPE NAME [MODULE]", as kallsyms has it. */
static void take_symbol(struct at_sites *sites, const struct probe *probe, char *line)
{
	char *type = strchr(line, ' ');

	if (type && (type[1] == 't' || type[1] == 'T') && type[2] == ' ')
		take_name(sites, probe, type + 3);
}

int at_kernel_functions_find(struct at_sites *sites, const struct probe *probe, struct strbuf *err)
{
	FILE *in = at_events_open("available_filter_functions");
	bool has_types = !in;
	char *line = NULL;
	size_t room = 0;

	if (!in)
		in = fopen("/proc/kallsyms", "re");
	while (in && getline(&line, &room, in) > 0)
		(has_types ? take_symbol : take_name)(sites, probe, line);
	free(line);
	if (in)
		fclose(in);
	at_sites_sort(sites);
	return sites->nr ? 0
			 : fail(err, "cannot probe %s: the kernel has no function that matches",
				   probe->text);
}
