/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "tool_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char prefix[] = "// flametap: ";

/* The headers of the tools that come with the program. */
static const struct {
	const char *name;
	bool has_script;
	const char *text;
} headers[] = {
#include "engine/headers.inc"
};

/*
 * Takes the next word of *TEXT, which is moved behind the word and the following blanks. Returns
 * false if there is none.
 */
static bool next_word(const char **text, const char **word, size_t *len)
{
	*word = *text;
	*len = strcspn(*text, " ");
	*text += *len;
	*text += strspn(*text, " ");
	return *len > 0;
}

static bool is_word(const char *word, size_t len, const char *expected)
{
	return len == strlen(expected) && !memcmp(word, expected, len);
}

static struct tool_option *find_option(const struct tool *tool, const char *name, size_t len)
{
	for (size_t i = 0; i < tool->nr_options; i++)
		if (is_word(name, len, tool->options[i]->name))
			return tool->options[i];
	return NULL;
}

/* Parses keywords, "A=1,B=2,both=3". */
static int take_keywords(struct tool_option *o, const char *text, size_t len)
{
	const char *end = text + len;
	size_t alloc = 0;

	while (text < end) {
		size_t n = strcspn(text, ", "), name = strcspn(text, "=, ");
		uint64_t bits;

		if (!name || name >= n || !parse_u64(text + name + 1, n - name - 1, 10, &bits) ||
			!bits)
			return -1;
		ALLOC_GROW(o->keywords, o->nr_keywords, alloc);
		o->keywords[o->nr_keywords++] = (struct tool_keyword){xstrndup(text, name), bits};
		text += n + (text + n < end);
	}
	return 0;
}

/* Parses a range, "1..100", or "min..100" where min is an option declared before. */
static int take_range(const struct tool *tool, struct tool_option *o, const char *text, size_t len)
{
	const char *dots = memmem(text, len, "..", 2);
	size_t n = dots ? (size_t)(dots - text) : 0;

	if (!dots || !parse_u64(dots + 2, len - n - 2, 10, &o->max))
		return -1;
	if (!parse_u64(text, n, 10, &o->min)) {
		o->at_least = find_option(tool, text, n);
		o->min = o->at_least ? o->at_least->min : 0;
	}
	return o->min && o->min <= o->max ? 0 : -1;
}

static bool is_option_name(const char *name, size_t len)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

	for (size_t i = 0; i < len; i++)
		if (!strchr(allowed, name[i]))
			return false;
	return len > 1 && name[0] >= 'a' && name[0] <= 'z';
}

static int take_default(struct tool_option *o, const char *text, size_t len)
{
	struct strbuf ignored = STRBUF_INIT;
	char *value = xstrndup(text, len);
	int ret = tool_option_parse(o, value, &o->default_value, &ignored);

	free(value);
	strbuf_release(&ignored);
	return ret;
}

/* Parses the values: keywords, a range, or "text". */
static int take_values(const struct tool *tool, struct tool_option *o, const char *text, size_t len)
{
	o->is_text = is_word(text, len, "text");
	if (o->is_text)
		return 0;
	return memchr(text, '=', len) ? take_keywords(o, text, len)
				      : take_range(tool, o, text, len);
}

/* Parses "NAME METAVAR VALUES [compiled] [default VALUE]", which comes before the help. */
static int take_declaration(const struct tool *tool, struct tool_option *o, const char *text)
{
	const char *word;
	size_t len;

	if (!next_word(&text, &word, &len) || !is_option_name(word, len) ||
		find_option(tool, word, len))
		return -1;
	o->name = xstrndup(word, len);
	if (!next_word(&text, &word, &len))
		return -1;
	o->metavar = xstrndup(word, len);
	if (!next_word(&text, &word, &len) || take_values(tool, o, word, len))
		return -1;
	while (next_word(&text, &word, &len)) {
		if (is_word(word, len, "compiled"))
			o->compiled = true;
		else if (!is_word(word, len, "default") || !next_word(&text, &word, &len) ||
			 take_default(o, word, len))
			return -1;
	}
	/* an argument of the script cannot be omitted */
	return o->compiled && !o->default_value ? -1 : 0;
}

static void option_free(struct tool_option *o)
{
	for (size_t i = 0; i < o->nr_keywords; i++)
		free(o->keywords[i].name);
	free(o->keywords);
	free(o->name);
	free(o->metavar);
	free(o->help);
	free(o);
}

static int take_option(struct tool *tool, const char *text, struct strbuf *err)
{
	struct tool_option *o = xcalloc(1, sizeof(*o));
	const char *help = strstr(text, ": ");
	char *declaration = xstrndup(text, help ? (size_t)(help - text) : 0);
	int ret = 0;

	if (tool->nr_options == TOOL_OPTIONS_MAX)
		ret = fail(err, "more than %d options", TOOL_OPTIONS_MAX);
	else if (!help || take_declaration(tool, o, declaration))
		ret = fail(err,
			"invalid option '%s': declare it as 'NAME METAVAR VALUES [compiled] "
			"[default VALUE]: HELP'",
			text);
	free(declaration);
	if (ret) {
		option_free(o);
		return ret;
	}
	o->help = xstrdup(help + 2);
	tool->options[tool->nr_options++] = o;
	return 0;
}

/* Parses a probe, "timer" or "sched:sched_switch begins ends". */
static int take_probe(struct tool *tool, const char *text, struct strbuf *err)
{
	struct tool_probe probe = {0};
	const char *rest = text, *word;
	size_t len;

	if (!next_word(&rest, &word, &len) ||
		(!is_word(word, len, "timer") && !memchr(word, ':', len)))
		return fail(err, "invalid probe '%s': give timer, or GROUP:TRACEPOINT", text);
	if (memchr(word, ':', len))
		probe.tracepoint = xstrndup(word, len);
	while (next_word(&rest, &word, &len)) {
		probe.begins |= is_word(word, len, "begins");
		probe.ends |= is_word(word, len, "ends");
	}
	ALLOC_GROW(tool->probes, tool->nr_probes, tool->probes_alloc);
	tool->probes[tool->nr_probes++] = probe;
	return 0;
}

/* Parses a function, "ngx_create_pool on_pool_created [result]". */
static int take_function(struct tool *tool, const char *text, struct strbuf *err)
{
	const char *rest = text, *name, *program, *word;
	size_t name_len, program_len, len;

	if (tool->nr_functions == TOOL_FUNCTIONS_MAX)
		return fail(err, "more than %d functions", TOOL_FUNCTIONS_MAX);
	if (!next_word(&rest, &name, &name_len) || !next_word(&rest, &program, &program_len))
		return fail(err, "invalid function '%s': give it and its BPF program", text);
	tool->functions[tool->nr_functions++] =
		(struct tool_function){xstrndup(name, name_len), xstrndup(program, program_len),
			next_word(&rest, &word, &len) && is_word(word, len, "result")};
	return 0;
}

/* Parses an event, "calls", "errors error" or "requests phase=device". */
static int take_count(struct tool *tool, const char *text, struct strbuf *err)
{
	const char *rest = text, *name, *label, *value;
	size_t name_len, label_len, key_len;

	if (tool->nr_counts == TOOL_COUNTS_MAX)
		return fail(err, "more than %d further events", TOOL_COUNTS_MAX);
	if (!next_word(&rest, &name, &name_len))
		return fail(err, "invalid event '%s': give its name", text);
	struct tool_count *count = &tool->counts[tool->nr_counts++];

	*count = (struct tool_count){.name = xstrndup(name, name_len)};
	if (!next_word(&rest, &label, &label_len))
		return 0;
	value = memchr(label, '=', label_len);
	key_len = value ? (size_t)(value - label) : label_len;
	count->label = xstrndup(label, key_len);
	count->value = value ? xstrndup(value + 1, label_len - key_len - 1) : NULL;
	return 0;
}

/* Takes one line of the header, "KEY VALUE". Unknown keys belong to later versions. */
static int take_line(struct tool *tool, const char *line, struct strbuf *err)
{
	const struct {
		const char *key;
		char **value;
	} keys[] = {
		{"event", &tool->event},
		{"title", &tool->title},
		{"unit", &tool->unit},
		{"clock", &tool->clock},
		{"none", &tool->none},
		{"takes", &tool->takes},
		{"stacks", &tool->stacks},
		{"actions", &tool->actions},
		{"preload", &tool->preload},
		{"program", &tool->program},
		{"labels", &tool->labels},
		{"keys", &tool->keys},
		{"table", &tool->table},
		{"leaf", &tool->leaf},
	};
	const char *key;
	size_t len;

	if (!next_word(&line, &key, &len) || !*line)
		return 0;
	if (is_word(key, len, "option"))
		return take_option(tool, line, err);
	if (is_word(key, len, "probe"))
		return take_probe(tool, line, err);
	if (is_word(key, len, "function"))
		return take_function(tool, line, err);
	if (is_word(key, len, "counts"))
		return take_count(tool, line, err);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (is_word(key, len, keys[i].key) && !*keys[i].value)
			*keys[i].value = xstrdup(line);
	return 0;
}

static int check_header(const struct tool *tool, struct strbuf *err)
{
	bool begins = false, ends = false;

	if (!tool->event || !tool->title || !tool->unit || !tool->clock)
		return fail(err, "one of '%sevent|title|unit|clock VALUE' is missing", prefix);
	for (size_t i = 0; i < tool->nr_probes; i++) {
		begins |= tool->probes[i].begins;
		ends |= tool->probes[i].ends;
	}
	if (tool->nr_functions && !tool->labels)
		return fail(err, "functions need '%slabels SOURCE'", prefix);
	if (begins != ends || (begins && strcmp(tool->unit, "us")))
		return fail(err, "what a probe begins another one must end, and its unit is us");
	return 0;
}

static int read_file(struct tool *tool, struct strbuf *err)
{
	struct lines lines;
	char *line;
	size_t len, skip = strlen(prefix);
	int fd = open(tool->path, O_RDONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return fail(err, "cannot open '%s': %s", tool->path, strerror(errno));
	strbuf_addf(err, "header of '%s': ", tool->path);
	lines_init(&lines, fd);
	while (!ret && lines_next(&lines, &line, &len)) {
		if (len < skip || memcmp(line, prefix, skip))
			continue;
		char *text = xstrndup(line + skip, len - skip);

		ret = take_line(tool, text, err);
		free(text);
	}
	lines_release(&lines);
	close(fd);
	if (!ret)
		ret = check_header(tool, err);
	return ret;
}

/* Reads the built-in header. Returns false if no such script is known. */
static bool read_built_in(struct tool *tool, struct strbuf *err)
{
	const char *text = NULL;

	for (size_t i = 0; i < ARRAY_LEN(headers) && !text; i++)
		if (!strcmp(headers[i].name, tool->name)) {
			text = headers[i].text;
			tool->is_built_in = !headers[i].has_script;
		}
	while (text && *text) {
		size_t n = strcspn(text, "\n");
		char *line = xstrndup(text, n);

		take_line(tool, line, err);
		free(line);
		text += n + 1;
	}
	return text;
}

static int not_found(const char *name, struct strbuf *err)
{
	fail(err, "cannot find the script '%s.stp', neither beside the program nor in '%s', ", name,
		PKGDATADIR);
	tool_files_describe(err);
	return fail(err, "; set FLAMETAP_DATADIR, or --scripts lists all scripts");
}

int tool_find(struct tool *tool, const char *name, struct strbuf *err)
{
	size_t before = err->len;
	int ret;

	*tool = (struct tool){.name = xstrdup(name)};
	tool->path = tool_files_find(name, &tool->tapsets, err);
	if (tool->path)
		ret = read_file(tool, err);
	else if (err->len > before)
		ret = -1;
	else
		ret = read_built_in(tool, err) ? 0 : not_found(name, err);
	if (ret) {
		tool_release(tool);
		return -1;
	}
	err->len = before;
	if (err->alloc)
		err->buf[before] = '\0';
	return 0;
}

void tools_describe(struct strbuf *out, struct strbuf *err)
{
	const char *built_in[ARRAY_LEN(headers) + 1] = {NULL};

	for (size_t i = 0; i < ARRAY_LEN(headers); i++)
		built_in[i] = headers[i].name;
	char **list = tool_files_list(built_in);

	for (char **name = list; *name; name++) {
		struct tool tool;

		if (!tool_find(&tool, *name, err)) {
			strbuf_addf(out, "%-16s %-36s %s\n", tool.name, tool.title,
				tool.path ? tool.path : "built in");
			tool_release(&tool);
		} else {
			strbuf_addch(err, '\n');
		}
		free(*name);
	}
	free(list);
}

int tool_need_script(const struct tool *tool, struct strbuf *err)
{
	return tool->path ? 0 : not_found(tool->name, err);
}

bool tool_takes(const struct tool *tool, const char *option)
{
	const char *text = tool->takes ? tool->takes : "", *word;
	size_t len;

	while (next_word(&text, &word, &len))
		if (is_word(word, len, option))
			return true;
	return false;
}

const char *tool_next_word(const char **text, size_t *len)
{
	const char *word;

	return *text && next_word(text, &word, len) ? word : NULL;
}

bool tool_is_in_user(const struct tool *tool)
{
	return tool->nr_functions || (tool->stacks && !strcmp(tool->stacks, "user"));
}

bool tool_is_timed(const struct tool *tool)
{
	for (size_t i = 0; i < tool->nr_probes; i++)
		if (!tool->probes[i].tracepoint)
			return true;
	return false;
}

/* Returns whether an option that is a text was given. */
static bool has_text(const struct tool *tool, const struct tool_values *values)
{
	for (size_t i = 0; i < tool->nr_options; i++)
		if (tool->options[i]->is_text && values->list[i])
			return true;
	return false;
}

char *tool_find_preload(const struct tool *tool, const struct tool_values *values)
{
	static const char *const beside[] = {"../build", "..", "../lib/flametap"};
	char exe[PATH_MAX], *found = NULL;

	if (!tool->preload || tool_value(tool, values, "preload") != 1 || has_text(tool, values) ||
		!tool_files_program(exe))
		return NULL;
	for (size_t i = 0; !found && i < ARRAY_LEN(beside); i++) {
		char *path = xasprintf("%s/%s/%s", exe, beside[i], tool->preload);

		found = realpath(path, NULL);
		free(path);
	}
	return found;
}

bool tool_has_probe(const struct tool *tool, const char *tracepoint)
{
	for (size_t i = 0; i < tool->nr_probes; i++)
		if (tool->probes[i].tracepoint && !strcmp(tool->probes[i].tracepoint, tracepoint))
			return true;
	return false;
}

bool tool_measures(const struct tool *tool)
{
	for (size_t i = 0; i < tool->nr_probes; i++)
		if (tool->probes[i].begins)
			return true;
	return false;
}

unsigned tool_divisor(const struct tool *tool)
{
	return tool_measures(tool) && strcmp(tool->unit, "ns") != 0 ? 1000 : 1;
}

uint64_t tool_value_at(const struct tool *tool, const struct tool_values *values, size_t i)
{
	return values->list[i] ? values->list[i] : tool->options[i]->default_value;
}

const char *tool_text(const struct tool *tool, const struct tool_values *values, const char *name)
{
	return (const char *)(uintptr_t)tool_value(tool, values, name);
}

uint64_t tool_value(const struct tool *tool, const struct tool_values *values, const char *name)
{
	for (size_t i = 0; i < tool->nr_options; i++)
		if (!strcmp(tool->options[i]->name, name))
			return tool_value_at(tool, values, i);
	return 0;
}

/* Returns the bits of a keyword, or 0 if it is unknown. */
static uint64_t keyword_bits(const struct tool_option *o, const char *word, size_t len)
{
	for (size_t i = 0; i < o->nr_keywords; i++)
		if (is_word(word, len, o->keywords[i].name))
			return o->keywords[i].bits;
	return 0;
}

bool tool_leaves_out(const struct tool *tool, const struct tool_values *values, const char *name,
	const char *word)
{
	for (size_t i = 0; i < tool->nr_options; i++) {
		const struct tool_option *o = tool->options[i];
		uint64_t bits = strcmp(o->name, name) ? 0 : keyword_bits(o, word, strlen(word));

		if (bits)
			return !(tool_value_at(tool, values, i) & bits);
	}
	return false;
}

static int parse_list(const struct tool_option *o, const char *text, uint64_t *value)
{
	*value = 0;
	for (;;) {
		size_t n = strcspn(text, ",");
		uint64_t bits = keyword_bits(o, text, n);

		if (!bits)
			return -1;
		*value |= bits;
		if (!text[n])
			return 0;
		text += n + 1;
	}
}

int tool_option_parse(
	const struct tool_option *o, const char *text, uint64_t *value, struct strbuf *err)
{
	if (o->is_text) {
		*value = (uintptr_t)text;
		return *text ? 0 : fail(err, "invalid --%s '': use a name", o->name);
	}
	if (!o->keywords) {
		if (parse_u64(text, strlen(text), 10, value) && *value >= o->min &&
			*value <= o->max)
			return 0;
		return fail(err,
			"invalid --%s '%s': use a whole number from %" PRIu64 " to %" PRIu64,
			o->name, text, o->min, o->max);
	}
	if (!parse_list(o, text, value))
		return 0;
	fail(err, "invalid --%s '%s': use a list of ", o->name, text);
	for (size_t i = 0; i < o->nr_keywords; i++)
		strbuf_addf(err, "%s%s", i ? "," : "", o->keywords[i].name);
	return -1;
}

int tool_values_check(const struct tool *tool, const struct tool_values *values, struct strbuf *err)
{
	for (size_t i = 0; i < tool->nr_options; i++) {
		const struct tool_option *low = tool->options[i]->at_least;
		uint64_t value = tool_value_at(tool, values, i);

		if (low && value && tool_value(tool, values, low->name) > value)
			return fail(err, "--%s exceeds --%s", low->name, tool->options[i]->name);
	}
	return 0;
}

void tool_option_print(const struct tool_option *o, uint64_t value, struct strbuf *out)
{
	const char *comma = "";
	uint64_t printed = 0;

	if (o->is_text)
		strbuf_adds(out, (const char *)(uintptr_t)value);
	else if (!o->keywords)
		strbuf_addf(out, "%" PRIu64, value);
	for (size_t i = 0; i < o->nr_keywords; i++) {
		uint64_t bits = o->keywords[i].bits;

		if (bits & ~value || !(bits & ~printed))
			continue;
		strbuf_addf(out, "%s%s", comma, o->keywords[i].name);
		printed |= bits;
		comma = ",";
	}
}

void tool_release(struct tool *tool)
{
	char *const strings[] = {tool->name, tool->path, tool->event, tool->title, tool->unit,
		tool->clock, tool->none, tool->takes, tool->stacks, tool->actions, tool->preload,
		tool->program, tool->labels, tool->keys, tool->table, tool->leaf};

	for (char **t = tool->tapsets; t && *t; t++)
		free(*t);
	free(tool->tapsets);
	for (size_t i = 0; i < tool->nr_probes; i++)
		free(tool->probes[i].tracepoint);
	free(tool->probes);
	for (size_t i = 0; i < tool->nr_functions; i++) {
		free(tool->functions[i].name);
		free(tool->functions[i].program);
	}
	for (size_t i = 0; i < tool->nr_counts; i++) {
		free(tool->counts[i].name);
		free(tool->counts[i].label);
		free(tool->counts[i].value);
	}
	for (size_t i = 0; i < tool->nr_options; i++)
		option_free(tool->options[i]);
	for (size_t i = 0; i < ARRAY_LEN(strings); i++)
		free(strings[i]);
	*tool = (struct tool){0};
}
