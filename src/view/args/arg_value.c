/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arg_value.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

void arg_error(struct argp_state *state, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT, line = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	message_add(&line, text.buf, text.len);
	argp_failure(state, EXIT_USAGE_ERROR, 0, "%s", line.buf);
	strbuf_release(&text);
	strbuf_release(&line);
}

void arg_invalid(const char *option, const char *arg, const char *use, struct argp_state *state)
{
	arg_error(state, "invalid %s '%s': use %s", option, arg, use);
}

const char *arg_text(const char *option, const char *arg, const char *use, struct argp_state *state)
{
	if (!*arg)
		arg_invalid(option, arg, use, state);
	return arg;
}

uint64_t arg_count(
	const char *option, const char *arg, uint64_t min, uint64_t max, struct argp_state *state)
{
	uint64_t value = 0;

	if (!parse_u64(arg, strlen(arg), 10, &value) || value < min || value > max)
		arg_error(state, "invalid %s '%s': use a whole number from %" PRIu64 " to %" PRIu64,
			option, arg, min, max);
	return value;
}

double arg_positive(const char *option, const char *arg, double max, struct argp_state *state)
{
	double value = 0;

	if (!parse_decimal(arg, strlen(arg), &value) || value <= 0 || value > max)
		arg_error(state, "invalid %s '%s': use a number above 0, at most %.0f", option, arg,
			max);
	return value;
}

double arg_duration(const char *option, const char *arg, double max, struct argp_state *state)
{
	static const struct {
		const char *word;
		double seconds;
	} units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"h", 3600}};
	size_t len = strspn(arg, "0123456789.eE+-");
	double value = 0;

	if (parse_decimal(arg, len, &value))
		for (size_t i = 0; i < ARRAY_LEN(units); i++)
			if (!strcmp(arg + len, units[i].word) && value > 0 &&
				value * units[i].seconds <= max)
				return value * units[i].seconds;
	arg_error(state,
		"invalid %s '%s': use a time such as 5, 5s, 500ms, 2m or 1h, at most %.0f s",
		option, arg, max);
	return 0;
}

/* Returns the length of ARG without the "%" that may follow the number. */
static size_t percent_length(const char *arg)
{
	size_t len = strlen(arg);

	return len && arg[len - 1] == '%' ? len - 1 : len;
}

double arg_percent(const char *option, const char *arg, struct argp_state *state)
{
	double value = 0;

	if (!parse_decimal(arg, percent_length(arg), &value) || value > 100)
		arg_invalid(option, arg, "a percentage from 0 to 100", state);
	return value;
}

uint64_t arg_hundredths(const char *option, const char *arg, struct argp_state *state)
{
	size_t all = percent_length(arg), point = strcspn(arg, ".");
	size_t len = point < all ? point : all;
	const char *decimals = len < all ? arg + len + 1 : "0";
	size_t nr = len < all ? all - len - 1 : 1;
	uint64_t whole = 0, part = 0;

	if (!parse_u64(arg, len, 10, &whole) || whole > UINT32_MAX || nr > 2 ||
		!parse_u64(decimals, nr, 10, &part))
		arg_invalid(option, arg, "a number from 0 with at most two decimals", state);
	return whole * 100 + (nr == 1 ? part * 10 : part);
}

size_t arg_word(const char *option, const char *arg, const char *const *words, size_t nr,
	struct argp_state *state)
{
	struct strbuf use = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++)
		if (!strcmp(arg, words[i]))
			return i;
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(&use, "%s%s", !i ? "" : i + 1 < nr ? ", " : " or ", words[i]);
	arg_invalid(option, arg, use.buf, state);
	strbuf_release(&use);
	return 0;
}

bool arg_skid(const char *arg, struct argp_state *state)
{
	static const char *const words[] = {"none", "caller"};

	return arg_word("--skid", arg, words, ARRAY_LEN(words), state);
}
