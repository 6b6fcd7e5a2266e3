/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source_path.h"

#include <string.h>

bool source_path_is_text(const char *path)
{
	static const char code[] = " code";
	size_t len = strlen(path), end = sizeof(code) - 1;

	return !*path || strchr("([<-", *path) || (len > end && !strcmp(path + len - end, code));
}
