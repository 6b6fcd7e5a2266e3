/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header of a script in a user's data folder: its declarations are in bounds. */
#include "engine/tool.h"
#include "fuzz.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/fuzz-script-XXXXXX";
static char *stap, *path;

static void remove_folder(void)
{
	unlink(path);
	rmdir(stap);
	rmdir(folder);
}

static void make_folder(void)
{
	must(mkdtemp(folder));
	stap = xasprintf("%s/stap", folder);
	path = xasprintf("%s/fuzz.stp", stap);
	must(!mkdir(stap, 0700) && !setenv("FLAMETAP_DATADIR", folder, 1));
	atexit(remove_folder);
}

static void write_script(const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "w");

	must(file && fwrite(data, 1, size, file) == size && !fclose(file));
}

/* The printed text of a value must parse as the same value. */
static void check_option(const struct tool_option *o, uint64_t value)
{
	struct strbuf text = STRBUF_INIT, err = STRBUF_INIT;
	uint64_t again = 0;

	must(o->name && o->metavar && o->help && (o->keywords || (o->min && o->min <= o->max)));
	if (value) {
		tool_option_print(o, value, &text);
		if (text.len)
			must(!tool_option_parse(o, text.buf, &again, &err) && again == value);
	}
	strbuf_release(&text);
	strbuf_release(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tool_values values = {{3, 1, 2}};
	struct strbuf err = STRBUF_INIT;
	struct tool tool;

	if (!path)
		make_folder();
	write_script(data, size);
	if (tool_find(&tool, "fuzz", &err)) {
		must(err.len);
	} else {
		must(tool.event && tool.title && tool.unit && tool.clock && tool_divisor(&tool));
		must(!tool_need_script(&tool, &err) && tool.nr_options <= TOOL_OPTIONS_MAX);
		for (size_t i = 0; i < tool.nr_options; i++)
			check_option(tool.options[i], tool.options[i]->default_value);
		tool_values_check(&tool, &values, &err);
		tool_release(&tool);
	}
	strbuf_release(&err);
	return 0;
}
