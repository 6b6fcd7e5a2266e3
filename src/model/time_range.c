/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "time_range.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <string.h>
#include <time.h>

enum { TEXT_MAX = 64 };

static const uint64_t SECOND = 1000000000, DAY = 86400 * SECOND;

/* Parses a number with a unit, such as 500ms, or without one, in seconds. */
static bool parse_duration(const char *text, size_t len, uint64_t *ns)
{
	static const struct {
		const char *word;
		double seconds;
	} units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"h", 3600}, {"d", 86400}};
	size_t digits = strspn(text, "0123456789.");
	double value;

	if (digits > len || !parse_decimal(text, digits, &value))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		double seconds = value * units[i].seconds;

		if (strlen(units[i].word) != len - digits ||
			memcmp(units[i].word, text + digits, len - digits) || seconds > 1e9)
			continue;
		*ns = (uint64_t)(seconds * 1e9 + 0.5);
		return true;
	}
	return false;
}

/* Parses the fraction of a second at TEXT, which may be empty. */
static bool parse_fraction(const char *text, uint64_t *ns)
{
	double value = 0;

	if (*text && (*text != '.' || !parse_decimal(text, strlen(text), &value)))
		return false;
	*ns = (uint64_t)(value * 1e9 + 0.5);
	return true;
}

static bool parse_clock(const char *text, struct time_point *point)
{
	struct tm tm = {.tm_isdst = -1};
	const char *end = strptime(text, "%H:%M:%S", &tm);
	uint64_t fraction;

	if (!end || !parse_fraction(end, &fraction))
		return false;
	point->kind = TIME_OF_DAY;
	point->ns = (uint64_t)(tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec) * SECOND + fraction;
	return true;
}

static bool parse_date(char *text, struct time_point *point)
{
	size_t len = strlen(text);
	bool is_utc = len && text[len - 1] == 'Z';
	struct tm tm = {.tm_isdst = -1};
	uint64_t fraction;

	if (is_utc)
		text[len - 1] = '\0';
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);

	if (!end || !parse_fraction(end, &fraction))
		return false;
	time_t seconds = is_utc ? timegm(&tm) : mktime(&tm);

	if (seconds < 0 || (uint64_t)seconds > INT64_MAX / SECOND)
		return false;
	point->kind = TIME_DATE;
	point->ns = (uint64_t)seconds * SECOND + fraction;
	return true;
}

bool time_point_parse(const char *from, size_t len, struct time_point *point)
{
	char text[TEXT_MAX] = "";
	bool is_end = len && *from == '-';

	if (len >= sizeof(text))
		return false;
	memcpy(text, from, len);
	if (strchr(text, 'T'))
		return parse_date(text, point);
	if (strchr(text, ':'))
		return parse_clock(text, point);
	point->kind = is_end ? TIME_END : TIME_BEGIN;
	return parse_duration(text + is_end, len - is_end, &point->ns);
}

bool time_range_parse(const char *text, struct time_range *range)
{
	*range = (struct time_range){0};
	/* both points may contain '-', so each one is tried as the mark between them */
	for (const char *mark = strchr(text, '-'); mark; mark = strchr(mark + 1, '-')) {
		size_t len = (size_t)(mark - text), rest = strlen(mark + 1);

		*range = (struct time_range){0};
		if ((!len || time_point_parse(text, len, &range->from)) &&
			(!rest || time_point_parse(mark + 1, rest, &range->to)))
			return len || rest;
	}
	return false;
}

/* Returns the local time of day of TIME, in ns. */
static uint64_t time_of_day(uint64_t time)
{
	time_t seconds = (time_t)(time / SECOND);
	struct tm tm = {0};

	localtime_r(&seconds, &tm);
	return (uint64_t)(tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec) * SECOND + time % SECOND;
}

/* Sets *NS to POINT, from the begin. Returns false if that needs STARTED, which is 0. */
static bool resolve(
	const struct time_point *point, uint64_t started, uint64_t duration, uint64_t *ns)
{
	switch (point->kind) {
	case TIME_OPEN:
		return true;
	case TIME_BEGIN:
		*ns = point->ns;
		return true;
	case TIME_END:
		*ns = point->ns < duration ? duration - point->ns : 0;
		return true;
	case TIME_OF_DAY:
		*ns = started ? (point->ns + DAY - time_of_day(started)) % DAY : 0;
		return started;
	case TIME_DATE:
		*ns = point->ns > started ? point->ns - started : 0;
		return started;
	}
	return false;
}

int time_range_resolve(const struct time_range *range, uint64_t started, uint64_t duration,
	uint64_t *from, uint64_t *to, struct strbuf *err)
{
	*from = 0;
	*to = duration;
	if (!resolve(&range->from, started, duration, from) ||
		!resolve(&range->to, started, duration, to))
		return fail(err,
			"it does not say when it was recorded: give times after its begin, such as "
			"2s");
	if (*to > duration)
		*to = duration;
	if (*from >= *to)
		return fail(err, "the selected time, from %.3f to %.3f s, is empty: it took %.3f s",
			(double)*from / 1e9, (double)*to / 1e9, (double)duration / 1e9);
	return 0;
}
