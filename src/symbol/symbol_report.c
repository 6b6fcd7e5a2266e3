/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol_report.h"
#include "lib/util.h"

#include <stdlib.h>

void symbol_report_add(struct symbol_report *report, const struct symbol_module *module)
{
	ALLOC_GROW(report->list, report->nr, report->alloc);
	report->list[report->nr++] = *module;
}

void symbol_report_release(struct symbol_report *report)
{
	free(report->list);
	*report = (struct symbol_report){0};
}
