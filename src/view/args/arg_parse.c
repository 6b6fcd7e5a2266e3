/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arg_parse.h"
#include "arg_value.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/similar.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

static const struct arg_option help_options[] = {
	{.letter = 'h', .set = arg_flag, .is_hidden = true},
	{0},
};
static const struct arg_table help_table = {.options = help_options};

/* The options that argp adds to every program. */
static const struct arg_option argp_options[] = {
	{"help", '?', .set = arg_flag},
	{"usage", .set = arg_flag},
	{"version", 'V', .set = arg_flag},
	{"program-name", .value = "NAME", .set = arg_flag},
	{"HANG", .value = "SECS", .set = arg_flag, .is_optional = true},
	{0},
};
static const struct arg_table argp_table = {.options = argp_options};

/* A row of a table. An alias has the row of its option. */
struct known_option {
	const struct arg_option *row;
	const char *name; /* NULL if it has none */
	int letter;       /* 0 if it has none */
	bool is_alias, is_given;
	void *to; /* what it sets */
};

struct known_list {
	const struct arg_table *program;
	void *input;
	struct known_option *list;
	size_t nr, alloc;
	size_t nr_quoted; /* words after "--" */
};

static bool is_name(const struct known_list *all, const char *name)
{
	for (size_t i = 0; i < all->nr; i++)
		if (all->list[i].name && !strcmp(all->list[i].name, name))
			return true;
	return false;
}

static void collect(struct known_list *all, const struct arg_table *table, void *input)
{
	const struct arg_option *real = NULL;

	for (const struct arg_option *o = table->options; o && (o->name || o->letter || o->help);
		o++) {
		bool is_alias = o->name && !o->set;

		if (o->name && is_name(all, o->name))
			continue;
		if (!is_alias)
			real = o;
		ALLOC_GROW(all->list, all->nr, all->alloc);
		all->list[all->nr++] = (struct known_option){
			real, o->name, o->letter, is_alias, false, (char *)input + real->at};
	}
	for (const struct arg_part *p = table->parts; p && p->table; p++)
		collect(all, p->table, (char *)input + p->at);
}

/* Ends the program if other programs have OPTION. */
static void check_elsewhere(const struct known_list *all, const char *option)
{
	const struct arg_elsewhere *e = all->program->elsewhere;

	for (; e && e->option; e++)
		if (!strcmp(e->option, option))
			arg_error("unrecognized option '%s': %s", option, e->use);
}

static void check_letter_elsewhere(const struct known_list *all, char letter)
{
	check_elsewhere(all, (const char[]){'-', letter, '\0'});
}

static void unknown(const struct known_list *all, const char *name, size_t len)
{
	char *text = xstrndup(name, len);
	struct strbuf line = STRBUF_INIT;
	struct similar similar;
	char *option = xasprintf("--%s", text);

	check_elsewhere(all, option);
	free(option);
	similar_init(&similar, text);
	for (size_t i = 0; i < all->nr; i++)
		if (all->list[i].name)
			similar_try(&similar, all->list[i].name, strlen(all->list[i].name));
	for (size_t i = 0; i < similar.nr; i++)
		strbuf_addf(&line, "%s--%s",
			!i                   ? ": did you mean "
			: i + 1 < similar.nr ? ", "
					     : " or ",
			similar.best[i].name);
	strbuf_adds(&line, similar.nr ? "?" : "; try --help");
	arg_error("unrecognized option '--%s'%s", text, line.buf);
}

static void ambiguous(const struct known_list *all, const char *name, size_t len)
{
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < all->nr; i++)
		if (all->list[i].name && !strncmp(all->list[i].name, name, len))
			strbuf_addf(&line, "%s--%s", line.len ? ", " : "", all->list[i].name);
	arg_error("option '--%.*s' is ambiguous: %s", (int)len, name, line.buf);
}

/* Returns the option of this name, or the only option that begins with it. */
static const struct known_option *find_long(
	const struct known_list *all, const char *name, size_t len)
{
	const struct known_option *found = NULL;
	bool several = false;

	for (size_t i = 0; i < all->nr; i++) {
		const struct known_option *k = &all->list[i];

		if (!k->name || strncmp(k->name, name, len))
			continue;
		if (!k->name[len])
			return k;
		several |= found != NULL;
		found = k;
	}
	if (several)
		ambiguous(all, name, len);
	if (!found)
		unknown(all, name, len);
	return found;
}

static bool needs_value(const struct known_option *k)
{
	return k->row->value && !k->row->is_optional;
}

/* Returns the number of words that "--NAME[=VALUE]" takes. */
static int check_long(const struct known_list *all, const char *word, bool has_next)
{
	const char *name = word + 2;
	size_t len = strcspn(name, "=");
	const struct known_option *k = find_long(all, name, len);

	if (name[len] && !k->row->value)
		arg_error("option '--%s' doesn't allow an argument", k->name);
	if (name[len] || !needs_value(k))
		return 1;
	if (!has_next)
		arg_error("option '--%s' requires an argument", k->name);
	return 2;
}

static const struct known_option *find_letter(const struct known_list *all, char letter)
{
	for (size_t i = 0; i < all->nr; i++)
		if (all->list[i].letter == letter)
			return &all->list[i];
	return NULL;
}

/* Returns the number of words that "-abcVALUE" takes. */
static int check_letters(const struct known_list *all, const char *word, bool has_next)
{
	for (const char *s = word + 1; *s; s++) {
		const struct known_option *k = find_letter(all, *s);

		if (!k && is_name(all, word + 1))
			arg_error("unrecognized option '%s': did you mean -%s?", word, word);
		if (!k) {
			check_letter_elsewhere(all, *s);
			arg_error("unrecognized option '-%c'; try --help", *s);
		}
		if (k->row->value && k->row->is_optional)
			return 1;
		if (needs_value(k) && !s[1] && !has_next)
			arg_error("option '-%c' requires an argument", *s);
		if (needs_value(k))
			return s[1] ? 1 : 2;
	}
	return 1;
}

/* Whether the program ends at this word. argp handles options from left to right. */
static bool is_help(const char *word)
{
	static const char *const words[] = {"-?", "-h", "--help", "--usage", "-V", "--version"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

/* Checks all options. Returns the number of words after "--". */
static size_t check_words(const struct known_list *all, int argc, char **argv)
{
	bool in_order = all->program->in_order || getenv("POSIXLY_CORRECT");

	for (int i = 1; i < argc && !is_help(argv[i]);) {
		const char *word = argv[i];
		bool is_option = *word == '-' && word[1];

		if (!strcmp(word, "--"))
			return (size_t)(argc - i - 1);
		if (!is_option && in_order)
			return 0;
		if (!is_option)
			i++;
		else if (word[1] == '-')
			i += check_long(all, word, i + 1 < argc);
		else
			i += check_letters(all, word, i + 1 < argc);
	}
	return 0;
}

/* ---- argp ---- */

/* Returns argp's key of row I, which is 0 for a heading. */
static int key_of(const struct known_list *all, size_t i)
{
	const struct known_option *k = &all->list[i];

	return !k->row->set ? 0 : k->letter ? k->letter : 0x100 + (int)i;
}

/* Returns the rows for argp. The caller frees them. */
static struct argp_option *list_options(const struct known_list *all)
{
	struct argp_option *list = xcalloc(all->nr + 1, sizeof(*list));

	for (size_t i = 0; i < all->nr; i++) {
		const struct known_option *k = &all->list[i];
		int flags = (k->is_alias ? OPTION_ALIAS : 0) |
			    (k->row->is_hidden ? OPTION_HIDDEN : 0) |
			    (k->row->is_optional ? OPTION_ARG_OPTIONAL : 0);

		list[i] = (struct argp_option){k->name, key_of(all, i),
			k->is_alias ? NULL : k->row->value, flags,
			k->is_alias ? NULL : k->row->help, k->row->group};
	}
	return list;
}

static void set_known(struct known_option *k, const char *arg)
{
	if (k->row->once && k->is_given)
		arg_error("--%s: given twice; %s", k->name, k->row->once);
	k->is_given = true;
	k->row->set(k->row, arg, k->to);
}

static error_t set_option(const struct known_list *all, int key, const char *arg)
{
	for (size_t i = 0; i < all->nr; i++)
		if (key == key_of(all, i) && key) {
			set_known(&all->list[i], arg);
			return 0;
		}
	return ARGP_ERR_UNKNOWN;
}

static bool take_words(const struct arg_table *table, void *input, const struct arg_words *words)
{
	if (table->take_words) {
		table->take_words(input, words);
		return true;
	}
	for (const struct arg_part *p = table->parts; p && p->table; p++)
		if (take_words(p->table, (char *)input + p->at, words))
			return true;
	return false;
}

/* Settles parts first, from the last one to the first one. */
static void settle(const struct arg_table *table, void *input)
{
	size_t nr = 0;

	while (table->parts && table->parts[nr].table)
		nr++;
	while (nr--)
		settle(table->parts[nr].table, (char *)input + table->parts[nr].at);
	if (table->settle)
		table->settle(input);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct known_list *all = state->input;
	const struct arg_words words = {
		state->argv + state->next, (size_t)(state->argc - state->next), all->nr_quoted};

	switch (key) {
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	case ARGP_KEY_ARGS:
		return take_words(all->program, all->input, &words) ? 0 : ARGP_ERR_UNKNOWN;
	case ARGP_KEY_SUCCESS:
		settle(all->program, all->input);
		return 0;
	default:
		return set_option(all, key, arg);
	}
}

void arg_parse(const struct arg_table *table, int argc, char **argv, void *input)
{
	struct known_list all = {.program = table, .input = input};

	collect(&all, table, input);
	collect(&all, &help_table, input);

	struct argp_option *options = list_options(&all);
	const struct argp argp = {options, parse, table->words, table->about, NULL, NULL, NULL};

	collect(&all, &argp_table, input);
	all.nr_quoted = check_words(&all, argc, argv);
	argp_parse(&argp, argc, argv, table->in_order ? ARGP_IN_ORDER : 0, NULL, &all);
	free(options);
	free(all.list);
}
