/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "file_labels.h"
#include "kern/file_name.h"
#include "lib/util.h"

#include <bpf/bpf.h>
#include <stdlib.h>
#include <string.h>

/* Returns the name of a file without a path, by the type of its file system. */
static char *type_text(const char *type)
{
	const char *name = !strcmp(type, "pipefs")   ? "pipe"
			   : !strcmp(type, "sockfs") ? "socket"
						     : type;

	return xasprintf("[%s]", name);
}

static char *path_text(const struct file_name *name)
{
	if (name->is_type)
		return type_text(name->path);
	return xasprintf("%s%s", name->is_cut ? "..." : "", *name->path ? name->path : "/");
}

uint32_t file_labels_add(
	struct samples *s, uint32_t set, const char *key, int names, uint32_t number)
{
	struct file_name name;

	if (!number || bpf_map_lookup_elem(names, &number, &name))
		return set;
	name.path[FILE_PATH - 1] = '\0';
	char *text = path_text(&name);

	set = samples_label(s, set, key, text);
	free(text);
	return set;
}
