/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arg_parse.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/similar.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The options that argp adds to the table of every program. */
static const struct argp_option own[] = {
	{"help", '?', NULL, 0, NULL, 0},
	{"usage", 0, NULL, 0, NULL, 0},
	{"version", 'V', NULL, 0, NULL, 0},
	{"program-name", 0, "NAME", 0, NULL, 0},
	{"HANG", 0, "SECS", OPTION_ARG_OPTIONAL, NULL, 0},
	{0},
};
static const struct argp own_argp = {.options = own};

/* A short or long option. An alias takes a value if its option does. */
struct known_option {
	const char *name; /* NULL if it has none */
	int letter;       /* 0 if it has none */
	bool takes_value, needs_value;
};

struct known_list {
	struct known_option *list;
	size_t nr, alloc;
};

static __attribute__((format(printf, 1, 2), noreturn)) void refuse(const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	program_say("%s", text.buf);
	exit(EXIT_USAGE_ERROR);
}

static void collect(struct known_list *all, const struct argp *argp)
{
	const struct argp_option *real = argp->options;

	for (const struct argp_option *o = real; o && (o->name || o->key || o->doc); o++) {
		if (o->flags & OPTION_DOC || !(o->name || o->key))
			continue;
		if (!(o->flags & OPTION_ALIAS))
			real = o;
		ALLOC_GROW(all->list, all->nr, all->alloc);
		all->list[all->nr++] = (struct known_option){
			.name = o->name,
			.letter = o->key > 0 && o->key < 128 && isprint(o->key) ? o->key : 0,
			.takes_value = real->arg,
			.needs_value = real->arg && !(real->flags & OPTION_ARG_OPTIONAL),
		};
	}
	for (const struct argp_child *c = argp->children; c && c->argp; c++)
		collect(all, c->argp);
}

static void unknown(const struct known_list *all, const char *name, size_t len)
{
	char *text = xstrndup(name, len);
	struct strbuf line = STRBUF_INIT;
	struct similar similar;

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
	refuse("unrecognized option '--%s'%s", text, line.buf);
}

static void ambiguous(const struct known_list *all, const char *name, size_t len)
{
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < all->nr; i++)
		if (all->list[i].name && !strncmp(all->list[i].name, name, len))
			strbuf_addf(&line, "%s--%s", line.len ? ", " : "", all->list[i].name);
	refuse("option '--%.*s' is ambiguous: %s", (int)len, name, line.buf);
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

/* Returns the number of words that "--NAME[=VALUE]" takes. */
static int check_long(const struct known_list *all, const char *word, bool has_next)
{
	const char *name = word + 2;
	size_t len = strcspn(name, "=");
	const struct known_option *k = find_long(all, name, len);

	if (name[len] && !k->takes_value)
		refuse("option '--%s' doesn't allow an argument", k->name);
	if (name[len] || !k->needs_value)
		return 1;
	if (!has_next)
		refuse("option '--%s' requires an argument", k->name);
	return 2;
}

static const struct known_option *find_letter(const struct known_list *all, char letter)
{
	for (size_t i = 0; i < all->nr; i++)
		if (all->list[i].letter == letter)
			return &all->list[i];
	return NULL;
}

static bool is_name(const struct known_list *all, const char *name)
{
	for (size_t i = 0; i < all->nr; i++)
		if (all->list[i].name && !strcmp(all->list[i].name, name))
			return true;
	return false;
}

/* Returns the number of words that "-abcVALUE" takes. */
static int check_letters(const struct known_list *all, const char *word, bool has_next)
{
	for (const char *s = word + 1; *s; s++) {
		const struct known_option *k = find_letter(all, *s);

		if (!k && is_name(all, word + 1))
			refuse("unrecognized option '%s': did you mean -%s?", word, word);
		if (!k)
			refuse("unrecognized option '-%c'; try --help", *s);
		if (!k->needs_value && k->takes_value)
			return 1;
		if (k->needs_value && !s[1] && !has_next)
			refuse("option '-%c' requires an argument", *s);
		if (k->needs_value)
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

static void check_words(const struct known_list *all, int argc, char **argv, unsigned flags)
{
	bool in_order = flags & ARGP_IN_ORDER || getenv("POSIXLY_CORRECT");

	for (int i = 1; i < argc && !is_help(argv[i]);) {
		const char *word = argv[i];
		bool is_option = *word == '-' && word[1];

		if (!strcmp(word, "--") || (!is_option && in_order))
			return;
		if (!is_option)
			i++;
		else if (word[1] == '-')
			i += check_long(all, word, i + 1 < argc);
		else
			i += check_letters(all, word, i + 1 < argc);
	}
}

void arg_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
	struct known_list all = {0};

	collect(&all, argp);
	collect(&all, &own_argp);
	check_words(&all, argc, argv, flags);
	free(all.list);
	argp_parse(argp, argc, argv, flags, NULL, input);
}
