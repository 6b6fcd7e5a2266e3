/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Headers of scripts, and the values of the options that they declare. */
#include "engine/tool.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define NEEDED                                                                                     \
	"// flametap: event reads\n// flametap: title Bytes read\n"                                \
	"// flametap: unit bytes\n// flametap: clock monotonic\n"

static char folder[] = "/tmp/flametap-tool-XXXXXX";
static char *script;

static int make_folder(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	char *stap = xasprintf("%s/stap", folder);

	script = xasprintf("%s/reads.stp", stap);
	assert_int_equal(mkdir(stap, 0700), 0);
	free(stap);
	return setenv("FLAMETAP_DATADIR", folder, 1);
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(script);
	*strrchr(script, '/') = '\0';
	rmdir(script);
	rmdir(folder);
	free(script);
	return 0;
}

static int find(struct tool *tool, const char *header, struct strbuf *err)
{
	FILE *out = fopen(script, "w");

	assert_non_null(out);
	fputs(header, out);
	assert_int_equal(fclose(out), 0);
	return tool_find(tool, "reads", err);
}

static void tool_find__header(void **state)
{
	struct strbuf err = STRBUF_INIT;
	struct tool tool;

	(void)state;
	assert_int_equal(
		find(&tool,
			"#!/usr/bin/env stap\n" NEEDED "// flametap: later 1\n"
			"// flametap: takes perl idle\n"
			"// flametap: probe syscalls:sys_enter_read\n"
			"// flametap: option min-size BYTES 1..4096 default 16: No smaller reads\n",
			&err),
		0);
	assert_int_equal(err.len, 0);
	assert_string_equal(tool.event, "reads");
	assert_string_equal(tool.title, "Bytes read");
	assert_string_equal(tool.path, script);
	assert_null(tool.program);
	assert_true(tool_takes(&tool, "perl") && tool_takes(&tool, "idle"));
	assert_false(tool_takes(&tool, "per") || tool_takes(&tool, "rate"));
	assert_false(tool_is_timed(&tool));
	assert_true(tool_has_probe(&tool, "syscalls:sys_enter_read"));
	assert_int_equal(tool_divisor(&tool), 1);
	assert_int_equal(tool.nr_options, 1);
	assert_string_equal(tool.options[0]->name, "min-size");
	assert_string_equal(tool.options[0]->metavar, "BYTES");
	assert_string_equal(tool.options[0]->help, "No smaller reads");
	assert_int_equal(tool_value(&tool, &(struct tool_values){{0}}, "min-size"), 16);
	assert_int_equal(tool_value(&tool, &(struct tool_values){{20}}, "min-size"), 20);
	assert_int_equal(tool_value(&tool, &(struct tool_values){{20}}, "max-size"), 0);
	tool_release(&tool);
	strbuf_release(&err);
}

static void tool_find__leaf_and_counts(void **state)
{
	struct strbuf err = STRBUF_INIT;
	const char *leaf;
	struct tool tool;
	size_t len;

	(void)state;
	assert_int_equal(find(&tool,
				 NEEDED "// flametap: leaf syscall path\n"
					"// flametap: counts calls\n"
					"// flametap: counts reads op=read\n",
				 &err),
		0);
	leaf = tool.leaf;
	assert_memory_equal(tool_next_word(&leaf, &len), "syscall", 7);
	assert_int_equal(len, 7);
	assert_string_equal(tool_next_word(&leaf, &len), "path");
	assert_null(tool_next_word(&leaf, &len));
	assert_int_equal(tool.nr_counts, 2);
	assert_string_equal(tool.counts[0].name, "calls");
	assert_null(tool.counts[0].label);
	assert_string_equal(tool.counts[1].label, "op");
	assert_string_equal(tool.counts[1].value, "read");
	tool_release(&tool);
	assert_int_equal(find(&tool,
				 NEEDED "// flametap: counts a\n// flametap: counts b\n"
					"// flametap: counts c\n",
				 &err),
		-1);
	strbuf_release(&err);
}

static void tool_find__functions(void **state)
{
	struct strbuf err = STRBUF_INIT;
	struct tool tool;

	(void)state;
	assert_int_equal(find(&tool,
				 NEEDED "// flametap: labels nginx\n"
					"// flametap: function ngx_free on_free\n"
					"// flametap: function ngx_alloc on_alloc result\n",
				 &err),
		0);
	assert_string_equal(tool.labels, "nginx");
	assert_int_equal(tool.nr_functions, 2);
	assert_string_equal(tool.functions[0].name, "ngx_free");
	assert_string_equal(tool.functions[0].program, "on_free");
	assert_false(tool.functions[0].at_result);
	assert_string_equal(tool.functions[1].program, "on_alloc");
	assert_true(tool.functions[1].at_result);
	tool_release(&tool);
	strbuf_release(&err);
}

static void tool_find__wrong_headers(void **state)
{
	static const char *const headers[] = {
		"",
		"// flametap: event reads\n",
		NEEDED "// flametap: probe read\n",
		NEEDED "// flametap: probe sched:sched_switch begins\n",
		NEEDED "// flametap: probe sched:sched_switch begins ends\n", /* not our program */
		NEEDED "// flametap: function ngx_free\n",
		NEEDED "// flametap: labels nginx\n// flametap: function a b\n// flametap: "
		       "function a b\n// flametap: function a b\n",
		NEEDED "// flametap: function ngx_free on_free\n", /* its target is not given */
		NEEDED "// flametap: option min\n",
		NEEDED "// flametap: option min US 1..2\n",
		NEEDED "// flametap: option m US 1..2: Help\n",
		NEEDED "// flametap: option Min US 1..2: Help\n",
		NEEDED "// flametap: option min US 1: Help\n",
		NEEDED "// flametap: option min US 0..2: Help\n",
		NEEDED "// flametap: option min US 3..2: Help\n",
		NEEDED "// flametap: option min US max..2: Help\n",
		NEEDED "// flametap: option min US 1..2 default 3: Help\n",
		NEEDED "// flametap: option min US 1..2 default: Help\n",
		NEEDED "// flametap: option min US 1..2 compiled: Help\n",
		NEEDED "// flametap: option min US 1..2 other: Help\n",
		NEEDED "// flametap: option kind LIST a=1,b: Help\n",
		NEEDED "// flametap: option kind LIST a=1,b=0: Help\n",
		NEEDED "// flametap: option kind LIST a=1,=2: Help\n",
		NEEDED "// flametap: option kind LIST a=1 default b: Help\n",
		NEEDED
		"// flametap: option min US 1..2: Help\n// flametap: option min US 1..2: Help\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(headers); i++) {
		struct strbuf err = STRBUF_INIT;
		struct tool tool;

		if (!find(&tool, headers[i], &err))
			fail_msg("it was taken: %s", headers[i]);
		assert_non_null(strstr(err.buf, "reads.stp"));
		assert_null(strchr(err.buf, '\n'));
		assert_null(tool.name);
		strbuf_release(&err);
	}
}

static void tool_find__ours(void **state)
{
	struct strbuf err = STRBUF_INIT;
	struct tool tool;

	(void)state;
	assert_int_equal(tool_find(&tool, "off-cpu", &err), 0);
	assert_int_equal(tool_divisor(&tool), 1000);
	assert_false(tool_is_timed(&tool));
	tool_release(&tool);
	assert_int_equal(tool_find(&tool, "on-cpu", &err), 0);
	assert_int_equal(tool_divisor(&tool), 1);
	assert_true(tool_is_timed(&tool));
	tool_release(&tool);
	assert_int_equal(tool_find(&tool, "pools", &err), 0);
	assert_true(tool.is_built_in);
	assert_int_equal(tool_need_script(&tool, &err), -1);
	strbuf_reset(&err);
	tool_release(&tool);
	assert_int_equal(tool_find(&tool, "off-beat", &err), -1);
	assert_non_null(strstr(err.buf, "'off-beat.stp'"));
	strbuf_release(&err);
}

static const struct tool_option *option(const struct tool *tool, const char *name)
{
	for (size_t i = 0; i < tool->nr_options; i++)
		if (!strcmp(tool->options[i]->name, name))
			return tool->options[i];
	fail_msg("no option %s", name);
	return NULL;
}

static void tool_option__lists(void **state)
{
	static const struct {
		const char *list;
		uint64_t bits;
		const char *printed;
	} wants[] = {
		{"S", 1, "S"},
		{"S,D", 3, "S,D"},
		{"T", 12, "T"},
		{"blocked", 15, "S,D,T"},
		{"runnable", 48, "R,W"},
		{"R,blocked", 31, "S,D,T,R"},
		{"I,I", 192, "I"},
		{"all", 255, "S,D,T,R,W,I"},
	};
	struct strbuf text = STRBUF_INIT;
	struct tool tool;

	(void)state;
	assert_int_equal(tool_find(&tool, "off-cpu", &text), 0);
	for (size_t i = 0; i < ARRAY_LEN(wants); i++) {
		uint64_t bits;

		assert_int_equal(
			tool_option_parse(option(&tool, "state"), wants[i].list, &bits, &text), 0);
		assert_int_equal(bits, wants[i].bits);
		tool_option_print(option(&tool, "state"), bits, &text);
		assert_string_equal(text.buf, wants[i].printed);
		strbuf_reset(&text);
	}
	tool_release(&tool);
	strbuf_release(&text);
}

static void tool_option__invalid(void **state)
{
	static const struct {
		const char *option, *text;
	} wrong[] = {
		{"state", ""},
		{"state", ","},
		{"state", "S,"},
		{"state", ",S"},
		{"state", "s"},
		{"state", "SD"},
		{"state", "S D"},
		{"state", "sleeping"},
		{"min", "0"},
		{"min", ""},
		{"min", "1.5"},
		{"min", "-1"},
		{"min", "1000000000001"},
	};
	struct strbuf err = STRBUF_INIT;
	struct tool tool;

	(void)state;
	assert_int_equal(tool_find(&tool, "off-cpu", &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		uint64_t value;

		assert_int_equal(tool_option_parse(option(&tool, wrong[i].option), wrong[i].text,
					 &value, &err),
			-1);
		assert_non_null(strstr(err.buf, wrong[i].option));
		strbuf_reset(&err);
	}
	tool_release(&tool);
	strbuf_release(&err);
}

static void tool_values__order(void **state)
{
	struct strbuf err = STRBUF_INIT;
	struct tool tool;

	(void)state;
	assert_int_equal(find(&tool,
				 NEEDED "// flametap: option low N 1..9 default 2: Low\n"
					"// flametap: option high N low..9: High\n",
				 &err),
		0);
	assert_int_equal(tool_values_check(&tool, &(struct tool_values){{0, 0}}, &err), 0);
	assert_int_equal(tool_values_check(&tool, &(struct tool_values){{5, 5}}, &err), 0);
	assert_int_equal(tool_values_check(&tool, &(struct tool_values){{5, 0}}, &err), 0);
	assert_int_equal(tool_values_check(&tool, &(struct tool_values){{5, 4}}, &err), -1);
	assert_string_equal(err.buf, "--low exceeds --high");
	strbuf_reset(&err);
	assert_int_equal(tool_values_check(&tool, &(struct tool_values){{0, 1}}, &err), -1);
	tool_release(&tool);
	strbuf_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tool_find__header),
		cmocka_unit_test(tool_find__functions),
		cmocka_unit_test(tool_find__leaf_and_counts),
		cmocka_unit_test(tool_find__wrong_headers),
		cmocka_unit_test(tool_find__ours),
		cmocka_unit_test(tool_option__lists),
		cmocka_unit_test(tool_option__invalid),
		cmocka_unit_test(tool_values__order),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
