/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe.h"
#include "lib/util.h"
#include "named_event.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 6, TEXT_MAX = 1000 };

/* A part of a probe point: NAME or NAME("ARGUMENT"). */
struct probe_part {
	const char *name, *argument; /* the argument is NULL if there is none */
	size_t name_len, argument_len;
};

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '*' || c == '?';
}

/* Takes ("ARGUMENT") at *AT. Returns false if something else is in the parentheses. */
static bool take_argument(const char **at, struct probe_part *part)
{
	const char *start = *at + 2, *end;

	if ((*at)[1] != '"' || !(end = strchr(start, '"')) || end[1] != ')' || end == start ||
		memchr(start, '\\', (size_t)(end - start)))
		return false;
	part->argument = start;
	part->argument_len = (size_t)(end - start);
	*at = end + 2;
	return true;
}

static bool take_part(const char **at, struct probe_part *part)
{
	*part = (struct probe_part){.name = *at};
	while (is_name_char(**at))
		(*at)++;
	part->name_len = (size_t)(*at - part->name);
	return part->name_len && (**at != '(' || take_argument(at, part));
}

/* Splits TEXT. Returns the number of parts, or 0 if it has another syntax. */
static size_t split(const char *text, struct probe_part *parts)
{
	size_t nr = 0;

	do {
		if (nr == PARTS_MAX || !take_part(&text, &parts[nr]))
			return 0;
		nr++;
	} while (*text == '.' && *++text);
	return *text ? 0 : nr;
}

static bool is(const struct probe_part *part, const char *name)
{
	return part->name_len == strlen(name) && !memcmp(part->name, name, part->name_len) &&
	       !part->argument;
}

static bool is_with(const struct probe_part *part, const char *name)
{
	return part->argument && part->name_len == strlen(name) &&
	       !memcmp(part->name, name, part->name_len);
}

static char *argument_of(const struct probe_part *part)
{
	return xstrndup(part->argument, part->argument_len);
}

/* Returns whether the last part may be left out, and sets at_return if it is .return. */
static bool take_end(struct probe *probe, const struct probe_part *rest, size_t nr)
{
	probe->at_return = nr == 1 && is(rest, "return");
	return !nr || probe->at_return || (nr == 1 && is(rest, "call"));
}

static bool take_function(
	struct probe *probe, enum probe_kind kind, const struct probe_part *parts, size_t nr)
{
	if (!nr || !is_with(parts, "function") ||
		memchr(parts->argument, '@', parts->argument_len) ||
		!take_end(probe, parts + 1, nr - 1))
		return false;
	probe->kind = kind;
	probe->name = argument_of(parts);
	return true;
}

static bool take_kernel(struct probe *probe, const struct probe_part *parts, size_t nr)
{
	if (nr != 1 || !is_with(parts, "trace"))
		return take_function(probe, PROBE_KERNEL, parts, nr);
	probe->kind = PROBE_TRACE;
	probe->name = argument_of(parts);
	return true;
}

static bool take_mark(struct probe *probe, const struct probe_part *parts, size_t nr)
{
	bool has_provider = nr == 2 && is_with(parts, "provider");

	if (nr != 1U + has_provider || !is_with(&parts[nr - 1], "mark"))
		return false;
	probe->kind = PROBE_MARK;
	probe->provider = has_provider ? argument_of(parts) : NULL;
	probe->name = argument_of(&parts[nr - 1]);
	return true;
}

static bool take_process(struct probe *probe, const struct probe_part *parts, size_t nr)
{
	if (!take_function(probe, PROBE_USER, parts + 1, nr - 1) &&
		!take_mark(probe, parts + 1, nr - 1))
		return false;
	probe->file = parts->argument ? argument_of(parts) : NULL;
	return true;
}

static bool take_syscall(struct probe *probe, const struct probe_part *parts, size_t nr)
{
	if (!nr || parts->argument || !take_end(probe, parts + 1, nr - 1))
		return false;
	probe->kind = PROBE_SYSCALL;
	probe->name = xstrndup(parts->name, parts->name_len);
	return true;
}

static bool take_perf(struct probe *probe, const struct probe_part *parts, size_t nr)
{
	if (nr != 2 || parts[1].argument || !(is(parts, "sw") || is(parts, "hw")))
		return false;
	probe->kind = is(parts, "sw") ? PROBE_SOFTWARE : PROBE_HARDWARE;
	probe->name = xstrndup(parts[1].name, parts[1].name_len);
	return true;
}

/* Sets what the built-in engine needs. Returns false if only SystemTap knows such a probe point. */
static bool interpret(struct probe *probe, const struct probe_part *parts, size_t nr)
{
	if (is(parts, "kernel"))
		return take_kernel(probe, parts + 1, nr - 1);
	if (is(parts, "process") || is_with(parts, "process"))
		return take_process(probe, parts, nr);
	if (is(parts, "syscall"))
		return take_syscall(probe, parts + 1, nr - 1);
	return is(parts, "perf") && take_perf(probe, parts + 1, nr - 1);
}

/*
 * Returns whether TEXT may stand between "probe" and the body in a script: it must not end the
 * probe point.
 */
static bool is_probe_point(const char *text)
{
	bool quoted = false;
	int depth = 0;

	if (!isalpha((unsigned char)*text) || strlen(text) > TEXT_MAX)
		return false;
	for (; *text; text++) {
		if (!isgraph((unsigned char)*text) || *text == '\\')
			return false;
		quoted ^= *text == '"';
		if (quoted)
			continue;
		depth += (*text == '(') - (*text == ')');
		if (depth < 0 || strchr("{};#%$@'`=,", *text))
			return false;
	}
	return !quoted && !depth;
}

bool probe_parse(struct probe *probe, const char *text)
{
	struct probe_part parts[PARTS_MAX];
	size_t nr = split(text, parts);

	*probe = (struct probe){.kind = PROBE_OTHER};
	if (!is_probe_point(text))
		return false;
	probe->text = xstrdup(text);
	if (nr)
		interpret(probe, parts, nr);
	return true;
}

/* Returns whether TEXT is GROUP:NAME. */
static bool is_tracepoint(const char *text)
{
	const char *colon = strchr(text, ':');
	size_t len = strlen(text);

	for (size_t i = 0; i < len; i++)
		if (!is_name_char(text[i]) && text[i] != ':')
			return false;
	return colon && colon != text && colon[1] && !strchr(colon + 1, ':') && len <= TEXT_MAX;
}

bool probe_parse_event(struct probe *probe, const char *text)
{
	struct named_event event;
	bool is_named = named_event_find(&event, text);

	*probe = (struct probe){.kind = is_named ? PROBE_NAMED : PROBE_TRACE, .is_perf = true};
	if (!is_named && !is_tracepoint(text))
		return false;
	probe->text = xstrdup(text);
	probe->name = xstrdup(text);
	return true;
}

bool probe_is_pattern(const struct probe *probe)
{
	return probe->name && strpbrk(probe->name, "*?");
}

void probe_release(struct probe *probe)
{
	free(probe->text);
	free(probe->name);
	free(probe->provider);
	free(probe->file);
	*probe = (struct probe){0};
}
