/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arg_value.h"
#include "lib/pattern.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *const arg_skid_words[] = {"none", "caller", NULL};

void arg_error(const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	program_say("%s", text.buf);
	exit(EXIT_USAGE_ERROR);
}

void arg_invalid(const struct arg_option *option, const char *arg, const char *use)
{
	arg_error("invalid --%s '%s': use %s", option->name, arg, use);
}

/* Sets TO, an integer of the option's size. */
static void put(const struct arg_option *option, uint64_t value, void *to)
{
	switch (option->size) {
	case sizeof(uint8_t):
		*(uint8_t *)to = (uint8_t)value;
		break;
	case sizeof(uint32_t):
		*(uint32_t *)to = (uint32_t)value;
		break;
	default:
		*(uint64_t *)to = value;
	}
}

void arg_flag(const struct arg_option *option, const char *arg, void *to)
{
	(void)option;
	(void)arg;
	*(bool *)to = true;
}

void arg_text(const struct arg_option *option, const char *arg, void *to)
{
	if (option->use && !*arg)
		arg_invalid(option, arg, option->use);
	*(const char **)to = arg;
}

void arg_choice(const struct arg_option *option, const char *arg, void *to)
{
	int *choice = to;

	(void)arg;
	if (option->use && *choice && *choice != option->choice)
		arg_error("give only one of %s", option->use);
	*choice = option->choice;
}

void arg_count(const struct arg_option *option, const char *arg, void *to)
{
	uint64_t value = 0;

	if (!parse_u64(arg, strlen(arg), 10, &value) || value < option->min || value > option->max)
		arg_error("invalid --%s '%s': use a whole number from %" PRIu64 " to %" PRIu64,
			option->name, arg, option->min, option->max);
	put(option, value, to);
}

void arg_positive(const struct arg_option *option, const char *arg, void *to)
{
	double *value = to;

	if (!parse_decimal(arg, strlen(arg), value) || *value <= 0 || *value > (double)option->max)
		arg_error("invalid --%s '%s': use a number above 0, at most %" PRIu64, option->name,
			arg, option->max);
}

void arg_duration(const struct arg_option *option, const char *arg, void *to)
{
	static const struct {
		const char *word;
		double seconds;
	} units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"h", 3600}};
	size_t len = strspn(arg, "0123456789.eE+-");
	double value = 0, *seconds = to;

	if (parse_decimal(arg, len, &value))
		for (size_t i = 0; i < ARRAY_LEN(units); i++) {
			*seconds = value * units[i].seconds;
			if (!strcmp(arg + len, units[i].word) && value > 0 &&
				*seconds <= (double)option->max)
				return;
		}
	arg_error("invalid --%s '%s': use a time such as 5, 5s, 500ms, 2m or 1h, at most %" PRIu64
		  " s",
		option->name, arg, option->max);
}

/* Returns the length of ARG without the "%" that may follow the number. */
static size_t percent_length(const char *arg)
{
	size_t len = strlen(arg);

	return len && arg[len - 1] == '%' ? len - 1 : len;
}

void arg_percent(const struct arg_option *option, const char *arg, void *to)
{
	double *value = to;

	if (!parse_decimal(arg, percent_length(arg), value) || *value > 100)
		arg_invalid(option, arg, "a percentage from 0 to 100");
}

void arg_hundredths(const struct arg_option *option, const char *arg, void *to)
{
	size_t all = percent_length(arg), point = strcspn(arg, ".");
	size_t len = point < all ? point : all;
	const char *decimals = len < all ? arg + len + 1 : "0";
	size_t nr = len < all ? all - len - 1 : 1;
	uint64_t whole = 0, part = 0;

	if (!parse_u64(arg, len, 10, &whole) || whole > UINT32_MAX || nr > 2 ||
		!parse_u64(decimals, nr, 10, &part))
		arg_invalid(option, arg, "a number from 0 with at most two decimals");
	*(uint64_t *)to = whole * 100 + (nr == 1 ? part * 10 : part);
}

size_t arg_word_index(const struct arg_option *option, const char *arg)
{
	const char *const *words = option->words;
	struct strbuf use = STRBUF_INIT;

	for (size_t i = 0; words[i]; i++)
		if (!strcmp(arg, words[i]))
			return i;
	for (size_t i = 0; words[i]; i++)
		strbuf_addf(&use, "%s%s", !i ? "" : words[i + 1] ? ", " : " or ", words[i]);
	arg_invalid(option, arg, use.buf);
}

void arg_word(const struct arg_option *option, const char *arg, void *to)
{
	put(option, arg_word_index(option, arg), to);
}
