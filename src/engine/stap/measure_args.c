/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure_args.h"
#include "engine/engine.h"
#include "lib/argv.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <inttypes.h>

/* Returns whether all probe points are of KIND. */
static bool are_all(const struct engine_request *r, enum probe_kind kind)
{
	for (size_t i = 0; i < r->nr_probes; i++)
		if (r->probes[i].kind != kind)
			return false;
	return true;
}

/*
 * Adds a value as SystemTap knows it. What has the same name with both engines may need another one
 * here: where there is no debug information, arguments and results of functions are known by
 * functions of the tapsets only, and system calls have variables.
 */
static void add_value(
	struct strbuf *text, const struct measure_value *v, const struct engine_request *r)
{
	bool syscalls = are_all(r, PROBE_SYSCALL);

	switch (v->kind) {
	case VALUE_ARG:
		strbuf_addf(text, "%s_arg(%u)",
			v->size == 4               ? (v->is_signed ? "int" : "uint")
			: v->size && !v->is_signed ? "ulonglong"
						   : "longlong",
			v->arg);
		break;
	case VALUE_RETURN:
		strbuf_addf(
			text, "@choose_defined($return, %s)", syscalls ? "retval" : "returnval()");
		break;
	case VALUE_NAME:
		if (syscalls)
			strbuf_addf(text, "@choose_defined($%s, %s)", v->name, v->name);
		else
			strbuf_addf(text, "$%s", v->name);
		break;
	}
}

/* Returns whether all probe points are such that the names of values can be chosen here. */
static bool has_own_names(const struct engine_request *r)
{
	return are_all(r, PROBE_SYSCALL) || are_all(r, PROBE_KERNEL) || are_all(r, PROBE_USER);
}

static void add_measured(struct argv *a, const struct engine_request *r)
{
	const struct measure *m = &r->measure;
	struct strbuf text = STRBUF_INIT;

	if (m->knows_value && has_own_names(r))
		add_value(&text, &m->value_parsed, r);
	else
		strbuf_adds(&text, m->value ? m->value : "1");
	argv_add(a, strbuf_detach(&text));
}

/* Adds the test for hits and the test for returns. */
static void add_tests(struct argv *a, const struct engine_request *r)
{
	static const char *const operators[] = {[COMPARE_EQUAL] = "==",
		[COMPARE_NOT_EQUAL] = "!=",
		[COMPARE_LESS] = "<",
		[COMPARE_LESS_EQUAL] = "<=",
		[COMPARE_GREATER] = ">",
		[COMPARE_GREATER_EQUAL] = ">="};
	const struct measure *m = &r->measure;
	struct strbuf text = STRBUF_INIT;
	bool returns = m->latency && m->test && measure_is_of_return(m->test);

	if (m->knows_test && has_own_names(r)) {
		add_value(&text, &m->test_parsed.value, r);
		strbuf_addf(&text, " %s %" PRId64, operators[m->test_parsed.compare],
			m->test_parsed.constant);
	} else {
		strbuf_adds(&text, m->test ? m->test : "1");
	}
	argv_add(a, returns ? xstrdup("1") : xstrdup(text.buf));
	argv_add(a, returns ? xstrdup(text.buf) : xstrdup("1"));
	strbuf_release(&text);
}

/*
 * Adds a probe point, or the point where its calls return. Where the kernel has no debug file, stap
 * takes the one behind the "!".
 */
static void add_probe(struct argv *a, const struct probe *probe, bool is_return)
{
	const char *end = is_return ? ".return" : "";

	if (probe->kind == PROBE_KERNEL)
		argv_add(a, xasprintf("%s%s!,kprobe.function(\"%s\")%s", probe->text, end,
				    probe->name, probe->at_return || is_return ? ".return" : ""));
	else
		argv_add(a, xasprintf("%s%s", probe->text, end));
}

void measure_args_add(struct argv *a, const struct engine_request *r)
{
	const struct measure *m = &r->measure;

	argv_add(a, xstrdup(m->latency ? "latency" : "value"));
	add_measured(a, r);
	add_tests(a, r);
	argv_add(a, xstrdup(m->ranges ? "ranges" : "none"));
	for (size_t i = 0; i < r->nr_probes; i++) {
		add_probe(a, &r->probes[i], false);
		if (m->latency)
			add_probe(a, &r->probes[i], true);
		else
			argv_add(a, xstrdup("never"));
	}
}
