/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "amount.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const struct time_unit {
	const char *name, *full;
	double ns;
} units[] = {
	{"s", "seconds", 1e9},
	{"ms", "milliseconds", 1e6},
	{"us", "microseconds", 1e3},
	{"ns", "nanoseconds", 1},
};

static const struct time_unit *find_unit(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (!strcmp(name, units[i].name) || !strcmp(name, units[i].full))
			return &units[i];
	return strcmp(name, "\xc2\xb5s") ? NULL : &units[2]; /* "µs" */
}

bool amount_is_time(const char *unit)
{
	return find_unit(unit) != NULL;
}

double amount_ns(const char *unit)
{
	const struct time_unit *u = find_unit(unit);

	return u ? u->ns : 0;
}

void amount_add_grouped(struct strbuf *out, uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			strbuf_addch(out, ',');
		strbuf_addch(out, digits[i]);
	}
}

void amount_add_time(struct strbuf *out, double weight, const char *unit)
{
	const struct time_unit *own = find_unit(unit), *shown = units;

	while (shown < own && weight * own->ns < shown->ns)
		shown++;
	double value = weight * own->ns / shown->ns;
	int digits = shown == own || value >= 999.95 ? 0 : value < 10 ? 3 : value < 100 ? 2 : 1;

	if (digits)
		strbuf_addf(out, "%.*f", digits, value);
	else
		amount_add_grouped(out, value < 0x1p63 ? (uint64_t)floor(value + 0.5) : UINT64_MAX);
	strbuf_addf(out, " %s", shown->name);
}

void amount_add(struct strbuf *out, uint64_t weight, const char *unit)
{
	if (amount_is_time(unit))
		amount_add_time(out, (double)weight, unit);
	else
		amount_add_grouped(out, weight);
}

void amount_add_unit(struct strbuf *out, uint64_t weight, const char *unit)
{
	amount_add(out, weight, unit);
	if (!amount_is_time(unit))
		strbuf_addf(out, " %s", unit);
}
