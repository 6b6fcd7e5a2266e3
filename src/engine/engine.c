/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine.h"
#include "lib/util.h"

#include <string.h>

static const struct engine_ops *const engines[] = {&stap_engine};

const struct engine_ops *engine_find(const char *name, struct strbuf *err)
{
	if (!strcmp(name, "auto"))
		return engines[0];
	for (size_t i = 0; i < ARRAY_LEN(engines); i++)
		if (!strcmp(engines[i]->name, name))
			return engines[i];
	fail(err, "no engine '%s': use auto or stap", name);
	return NULL;
}
