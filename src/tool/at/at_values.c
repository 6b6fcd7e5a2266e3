/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "at_values.h"
#include "arch/x86_64/arguments.h"
#include "at_arguments.h"
#include "at_events.h"
#include "at_fields.h"
#include "at_sites.h"
#include "engine/probe.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

/* Returns the text of the value, for messages. The caller frees it. */
static char *text_of(const struct measure_value *value)
{
	switch (value->kind) {
	case VALUE_ARG:
		return xasprintf("$arg%u", value->arg);
	case VALUE_RETURN:
		return xstrdup("$return");
	case VALUE_NAME:
		break;
	}
	return xasprintf("$%s", value->name);
}

static int refuse(const struct probe *probe, const struct measure_value *value, const char *why,
	struct strbuf *err)
{
	char *text = text_of(value);

	fail(err, "cannot take %s at %s: %s", text, probe->text, why);
	free(text);
	return -1;
}

/* ---- tracepoints and system calls ---- */

/* The record of a system call has the arguments, or the result, in words from here on. */
enum { SYSCALL_WORDS = 16 };

static int find_in_syscall(struct at_place *place, const struct measure_value *value,
	const struct probe *probe, bool at_return, struct strbuf *err)
{
	if (value->kind == VALUE_RETURN && at_return) {
		*place = (struct at_place){.offset = SYSCALL_WORDS, .size = 8, .is_signed = true};
		return 0;
	}
	if (at_return)
		return refuse(probe, value, "the arguments are known at the call only", err);
	if (value->kind == VALUE_RETURN)
		return refuse(probe, value, "it is known at the .return only", err);
	if (value->kind == VALUE_ARG) {
		if (value->arg > PROBE_ARGS)
			return refuse(probe, value, "it has no such argument", err);
		*place = (struct at_place){
			.offset = (uint16_t)(SYSCALL_WORDS + 8 * (value->arg - 1)),
			.size = value->size ? value->size : 8,
			.is_signed = value->size ? value->is_signed : true};
		return 0;
	}
	char *event = xasprintf("sys_enter_%s", probe->name);
	int ret = at_field_find(place, "syscalls", event, value->name, err);

	free(event);
	return ret;
}

static int find_in_tracepoint(struct at_place *place, const struct measure_value *value,
	const struct probe *probe, struct strbuf *err)
{
	const char *colon = strchr(probe->name, ':');
	char *group;
	int ret;

	if (value->kind != VALUE_NAME)
		return refuse(
			probe, value, "a tracepoint has fields, such as $NAME, but no such", err);
	group = colon ? xstrndup(probe->name, (size_t)(colon - probe->name))
		      : at_event_group(probe->name);
	ret = at_field_find(
		place, group ? group : "", colon ? colon + 1 : probe->name, value->name, err);
	free(group);
	return ret;
}

/* ---- functions ---- */

/* Finds the type of the argument or result. Returns DEBUG_NO_FUNCTION if it is not known. */
static enum debug_argument_result describe(struct debug_argument *argument,
	const struct measure_value *value, const struct probe *probe, const struct at_sites *found)
{
	uint32_t number = value->kind == VALUE_ARG ? value->arg : 0;

	return probe->kind == PROBE_KERNEL
		       ? at_argument_in_kernel(argument, probe->name, value->name, number)
		       : at_argument_in_files(argument, found, value->name, number);
}

static int find_in_registers(struct at_place *place, const struct measure_value *value,
	const struct debug_argument *argument, const struct probe *probe, struct strbuf *err)
{
	uint32_t number = value->kind == VALUE_RETURN ? 0 : argument->number;

	if (number > REGISTER_ARGUMENTS)
		return refuse(probe, value, "it is not passed in a register", err);
	place->offset = number ? argument_at(number) : RESULT_AT;
	place->size = (uint8_t)argument->size;
	place->is_signed = argument->is_signed;
	return 0;
}

static const char *reason(enum debug_argument_result result, const struct measure_value *value)
{
	switch (result) {
	case DEBUG_NO_FUNCTION:
		return "there is no debug information of the function; $arg1 to $arg6 are its "
		       "registers";
	case DEBUG_NO_ARGUMENT:
		return value->kind == VALUE_RETURN ? "the function returns nothing"
						   : "the function has no such argument";
	case DEBUG_NO_INTEGER:
		return "it is no number or pointer in a register";
	case DEBUG_ARGUMENT:
		break;
	}
	return "";
}

static int find_in_function(struct at_place *place, const struct measure_value *value,
	const struct probe *probe, bool at_return, const struct at_sites *found, bool *untyped,
	struct strbuf *err)
{
	struct debug_argument argument = {value->arg, value->size, value->is_signed};

	if (at_return != (value->kind == VALUE_RETURN))
		return refuse(probe, value,
			at_return ? "the arguments are known at the call only"
				  : "it is known at the .return only",
			err);
	if (value->size)
		return find_in_registers(place, value, &argument, probe, err);
	enum debug_argument_result result = probe_is_pattern(probe)
						    ? DEBUG_NO_FUNCTION
						    : describe(&argument, value, probe, found);

	if (result == DEBUG_NO_FUNCTION && value->kind != VALUE_NAME) {
		*untyped = true;
		argument = (struct debug_argument){value->arg, 8, true};
	} else if (result != DEBUG_ARGUMENT) {
		return refuse(probe, value, reason(result, value), err);
	}
	return find_in_registers(place, value, &argument, probe, err);
}

int at_value_find(struct at_place *place, const struct measure_value *value,
	const struct probe *probe, bool at_return, const struct at_sites *found, bool *untyped,
	struct strbuf *err)
{
	switch (probe->kind) {
	case PROBE_TRACE:
		return find_in_tracepoint(place, value, probe, err);
	case PROBE_SYSCALL:
		return find_in_syscall(place, value, probe, at_return, err);
	case PROBE_KERNEL:
	case PROBE_USER:
		return find_in_function(place, value, probe, at_return, found, untyped, err);
	case PROBE_MARK: /* see at_marks.h */
	case PROBE_SOFTWARE:
	case PROBE_HARDWARE:
	case PROBE_NAMED:
	case PROBE_OTHER:
		break;
	}
	return refuse(probe, value, "an event that is counted has no values", err);
}
