/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "amount.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct amount_unit {
	const char *name, *full;
	double size; /* of the smallest unit */
};

/* The largest unit first. */
static const struct amount_unit times[] = {
	{"s", "seconds", 1e9},
	{"ms", "milliseconds", 1e6},
	{"us", "microseconds", 1e3},
	{"ns", "nanoseconds", 1},
};

static const struct amount_unit sizes[] = {
	{"TiB", "tebibytes", 0x1p40},
	{"GiB", "gibibytes", 0x1p30},
	{"MiB", "mebibytes", 0x1p20},
	{"KiB", "kibibytes", 0x1p10},
	{"B", "bytes", 1},
};

static const struct amount_unit *find_in(
	const struct amount_unit *units, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(name, units[i].name) || !strcmp(name, units[i].full))
			return &units[i];
	return NULL;
}

static const struct amount_unit *find_time(const char *name)
{
	if (!strcmp(name, "\xc2\xb5s")) /* "µs" */
		name = "us";
	return find_in(times, ARRAY_LEN(times), name);
}

static const struct amount_unit *find_size(const char *name)
{
	return find_in(sizes, ARRAY_LEN(sizes), name);
}

bool amount_hides_digits(double weight, const char *unit)
{
	const struct amount_unit *own = find_size(unit);

	return own && own != sizes && weight * own->size >= own[-1].size;
}

bool amount_is_time(const char *unit)
{
	return find_time(unit) != NULL;
}

int amount_width(const char *unit)
{
	return find_time(unit)   ? (int)strlen("999.9 ms")
	       : find_size(unit) ? (int)strlen("999.9 KiB")
				 : 0;
}

double amount_ns(const char *unit)
{
	const struct amount_unit *u = find_time(unit);

	return u ? u->size : 0;
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

void amount_add_scaled(struct strbuf *out, double weight, const char *unit)
{
	bool is_time = amount_is_time(unit);
	const struct amount_unit *own = is_time ? find_time(unit) : find_size(unit);
	const struct amount_unit *shown = is_time ? times : sizes;

	while (shown < own && weight * own->size < shown->size)
		shown++;
	double value = weight * own->size / shown->size;
	int digits = shown == own || value >= 999.95 ? 0 : value < 10 ? 3 : value < 100 ? 2 : 1;

	if (digits)
		strbuf_addf(out, "%.*f", digits, value);
	else
		amount_add_grouped(out, value < 0x1p63 ? (uint64_t)floor(value + 0.5) : UINT64_MAX);
	strbuf_addf(out, " %s", shown->name);
}

void amount_add(struct strbuf *out, uint64_t weight, const char *unit)
{
	if (amount_width(unit))
		amount_add_scaled(out, (double)weight, unit);
	else
		amount_add_grouped(out, weight);
}

void amount_add_unit(struct strbuf *out, uint64_t weight, const char *unit)
{
	amount_add(out, weight, unit);
	if (!amount_width(unit))
		strbuf_addf(out, " %s", unit);
}

void amount_add_plain(struct strbuf *out, uint64_t weight, const char *unit)
{
	if (amount_width(unit))
		amount_add_scaled(out, (double)weight, unit);
	else
		strbuf_addu(out, weight);
}
