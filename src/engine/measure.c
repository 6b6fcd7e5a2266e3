/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure.h"
#include "lib/util.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { EXPRESSION_MAX = 500 };

/* SystemTap's functions for arguments, see tapset/registers.stp. */
static const struct arg_function {
	const char *name;
	uint8_t size;
	bool is_signed;
} arg_functions[] = {
	{"int_arg", 4, true},
	{"uint_arg", 4, false},
	{"long_arg", 8, true},
	{"ulong_arg", 8, false},
	{"longlong_arg", 8, true},
	{"ulonglong_arg", 8, false},
	{"pointer_arg", 8, false},
};

static const char *skip_blanks(const char *s)
{
	while (*s == ' ')
		s++;
	return s;
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Returns the name at *AT, which the caller frees, and moves *AT past it, or NULL. */
static char *take_name(const char **at)
{
	const char *start = *at;

	if (isdigit((unsigned char)*start))
		return NULL;
	while (is_name_char(**at))
		(*at)++;
	return *at == start ? NULL : xstrndup(start, (size_t)(*at - start));
}

/* Parses "(1)" at *AT. Returns the number of an argument, or 0. */
static unsigned take_number(const char **at)
{
	const char *s = *at;

	if (s[0] != '(' || s[1] < '1' || s[1] > '0' + PROBE_ARGS || s[2] != ')')
		return 0;
	*at = s + 3;
	return (unsigned)(s[1] - '0');
}

/* Interprets the function NAME, whose arguments are at *AT. */
static bool take_call(struct measure_value *v, const char *name, const char **at)
{
	if (!strcmp(name, "returnval") && begins_with(*at, strlen(*at), "()")) {
		v->kind = VALUE_RETURN;
		*at += 2;
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(arg_functions); i++) {
		const struct arg_function *f = &arg_functions[i];

		if (strcmp(f->name, name))
			continue;
		v->kind = VALUE_ARG;
		v->size = f->size;
		v->is_signed = f->is_signed;
		v->arg = take_number(at);
		return v->arg;
	}
	return false;
}

/* Returns the number N of the name argN, or 0 if it is another name. */
static unsigned number_of(const char *name)
{
	uint64_t number;

	if (strncmp(name, "arg", 3) || name[3] == '0' ||
		!parse_u64(name + 3, strlen(name + 3), 10, &number) || number > MARK_ARGS)
		return 0;
	return (unsigned)number;
}

/* Interprets NAME, which the value takes over if it is a name. */
static void take_variable(struct measure_value *v, char *name, bool dollar)
{
	unsigned number = dollar ? number_of(name) : 0;

	if (number)
		*v = (struct measure_value){.kind = VALUE_ARG, .arg = number};
	else if (!strcmp(name, dollar ? "return" : "retval"))
		*v = (struct measure_value){.kind = VALUE_RETURN};
	else
		*v = (struct measure_value){.kind = VALUE_NAME, .name = name};
	if (v->kind != VALUE_NAME)
		free(name);
}

/* Parses the value at *AT and moves *AT past it. */
static bool take_value(struct measure_value *v, const char **at)
{
	bool dollar = **at == '$', found = true;

	*v = (struct measure_value){0};
	*at += dollar;
	char *name = take_name(at);

	if (!name)
		return false;
	if (**at != '(') {
		take_variable(v, name, dollar);
		return true;
	}
	found = !dollar && take_call(v, name, at);
	free(name);
	return found;
}

bool measure_value_parse(struct measure_value *parsed, const char *text)
{
	const char *at = skip_blanks(text);

	if (!take_value(parsed, &at))
		return false;
	if (!*skip_blanks(at))
		return true;
	measure_value_release(parsed);
	return false;
}

static enum measure_compare take_compare(const char **at)
{
	static const struct {
		const char *text;
		enum measure_compare compare;
	} operators[] = {
		{"==", COMPARE_EQUAL},
		{"!=", COMPARE_NOT_EQUAL},
		{"<=", COMPARE_LESS_EQUAL},
		{">=", COMPARE_GREATER_EQUAL},
		{"<", COMPARE_LESS},
		{">", COMPARE_GREATER},
	};

	*at = skip_blanks(*at);
	for (size_t i = 0; i < ARRAY_LEN(operators); i++)
		if (begins_with(*at, strlen(*at), operators[i].text)) {
			*at = skip_blanks(*at + strlen(operators[i].text));
			return operators[i].compare;
		}
	return COMPARE_NONE;
}

/* Parses the constant that TEXT is. Numbers are decimal, or hexadecimal after 0x. */
static bool take_constant(const char *text, int64_t *constant)
{
	const char *digits = text + (*text == '-');
	bool is_hex = !strncmp(digits, "0x", 2);
	char *end;

	if (!isdigit((unsigned char)*digits))
		return false;
	errno = 0;
	*constant = strtoll(text, &end, is_hex ? 16 : 10);
	return !errno && !*skip_blanks(end);
}

bool measure_test_parse(struct measure_test *parsed, const char *text)
{
	const char *at = skip_blanks(text);

	if (!take_value(&parsed->value, &at))
		return false;
	parsed->compare = take_compare(&at);
	if (parsed->compare && take_constant(at, &parsed->constant))
		return true;
	measure_value_release(&parsed->value);
	return false;
}

void measure_value_release(struct measure_value *value)
{
	free(value->name);
	*value = (struct measure_value){0};
}

void measure_parse(struct measure *m)
{
	m->knows_value = m->value && measure_value_parse(&m->value_parsed, m->value);
	m->knows_test = m->test && measure_test_parse(&m->test_parsed, m->test);
}

void measure_release(struct measure *m)
{
	measure_value_release(&m->value_parsed);
	measure_value_release(&m->test_parsed.value);
}

bool measure_needs_stap(const struct measure *m)
{
	return (m->value && !m->knows_value) || (m->test && !m->knows_test);
}

bool measure_is_expression(const char *text)
{
	int depth = 0;

	if (!*skip_blanks(text) || strlen(text) > EXPRESSION_MAX)
		return false;
	for (; *text; text++) {
		depth += (*text == '(') - (*text == ')');
		if (depth < 0 || !isprint((unsigned char)*text) || strchr("{};\\`#", *text))
			return false;
	}
	return !depth;
}

/* Returns whether the word NAME is in TEXT. */
static bool has_word(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at += len)
		if ((at == text || !is_name_char(at[-1])) && !is_name_char(at[len]))
			return true;
	return false;
}

bool measure_is_of_return(const char *text)
{
	return has_word(text, "return") || has_word(text, "retval") || has_word(text, "returnval");
}
