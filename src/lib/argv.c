/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "argv.h"
#include "util.h"

#include <stdlib.h>
#include <string.h>

void argv_add(struct argv *a, char *word)
{
	ALLOC_GROW(a->words, a->nr + 1, a->alloc);
	a->words[a->nr++] = word;
	a->words[a->nr] = NULL;
}

void argv_pair(struct argv *a, const char *option, char *value)
{
	argv_add(a, xstrdup(option));
	argv_add(a, value);
}

static void print_word(const char *word, FILE *out)
{
	if (*word && !word[strcspn(word, " \t\n'\"\\$`*?[]()<>|&;~#!{}")]) {
		fprintf(out, " %s", word);
		return;
	}
	fputs(" '", out);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[]){*word, 0}, out);
	fputc('\'', out);
}

void argv_print(const struct argv *a, FILE *out)
{
	for (size_t i = 0; i < a->nr; i++)
		print_word(a->words[i], out);
}

void argv_release(struct argv *a)
{
	for (size_t i = 0; i < a->nr; i++)
		free(a->words[i]);
	free(a->words);
	*a = (struct argv){0};
}
