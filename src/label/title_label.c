/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Labels from the command line of a process, or what the process has put in its place to tell what
 * it does, such as "postgres: walwriter", see /proc/PID/cmdline in proc(5).
 */
#include "memberships.h"
#include "lib/util.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TITLE_MAX = 200 }; /* bytes; the rest of longer ones is left out */

/* Kernel threads, and processes that end, have none. */
static char *read_title(const char *proc, uint32_t pid)
{
	char *name = xasprintf("%s/%u/cmdline", proc, pid), *title = xcalloc(1, TITLE_MAX + 1);
	FILE *in = fopen(name, "re");
	size_t len = in ? fread(title, 1, TITLE_MAX, in) : 0;

	if (in)
		fclose(in);
	free(name);
	for (; len > TITLE_MAX - 4 && title[len - 1] & 0x80; len--) /* it may be a part of UTF-8 */
		title[len - 1] = '\0';
	for (size_t i = 0; i < len; i++)
		if (iscntrl((unsigned char)title[i])) /* NUL is between the arguments */
			title[i] = ' ';
	while (len && title[len - 1] == ' ')
		title[--len] = '\0';
	if (len)
		return title;
	free(title);
	return NULL;
}

static const char *whole_title(const char *text, size_t *len)
{
	*len = strlen(text);
	return text;
}

const struct membership_label title_label = {
	.read = read_title, .value = whole_title, .changes = true};

/* The label pool: php-fpm gives its workers the title "php-fpm: pool NAME". */
static const char *pool_in_title(const char *text, size_t *len)
{
	static const char before[] = "php-fpm: pool ";

	if (strncmp(text, before, strlen(before)))
		return NULL;
	text += strlen(before);
	*len = strlen(text);
	return *len ? text : NULL;
}

const struct membership_label pool_label = {
	.read = read_title, .value = pool_in_title, .changes = true};

/* Returns whether the word, of LEN bytes, is "[local]" or "HOST(PORT)". */
static bool is_host(const char *word, size_t len)
{
	size_t digits = len;

	if (len == strlen("[local]") && !memcmp(word, "[local]", len))
		return true;
	if (!len || word[--digits] != ')')
		return false;
	while (digits && isdigit((unsigned char)word[digits - 1]))
		digits--;
	return digits > 1 && digits < len - 1 && word[digits - 1] == '(';
}

/* Returns what follows the word at TEXT if it is WORD, or else TEXT. */
static const char *after_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	return !strncmp(text, word, len) && text[len] == ' ' ? text + len + 1 : text;
}

/*
 * The labels database and role: PostgreSQL gives a process that serves a client the title
 * "postgres: [CLUSTER: ][walsender ]ROLE [DATABASE ]HOST ACTIVITY", see backend_startup.c. Returns
 * the role and, in AFTER, what follows it up to the host, or NULL if the title is another.
 */
static const char *client_in_title(const char *text, size_t *role, const char **after)
{
	const char *begin = after_word(text, "postgres:"), *last = NULL, *word;
	size_t len = strcspn(begin, " ");

	if (begin == text)
		return NULL;
	if (len && begin[len - 1] == ':' && begin[len])
		begin += len + 1;
	begin = after_word(begin, "walsender");
	for (word = begin; *word; word += len + 1) {
		len = strcspn(word, " ");
		if (is_host(word, len))
			break;
		if (!word[len])
			return NULL;
		last = word;
	}
	if (!*word || !last)
		return NULL;
	*after = last > begin ? last : word;
	*role = (size_t)(*after - begin) - 1;
	return begin;
}

static const char *role_in_title(const char *text, size_t *len)
{
	const char *after;

	return client_in_title(text, len, &after);
}

static const char *database_in_title(const char *text, size_t *len)
{
	size_t role;
	const char *after;

	if (!client_in_title(text, &role, &after))
		return NULL;
	*len = strcspn(after, " ");
	return is_host(after, *len) ? NULL : after;
}

const struct membership_label database_label = {
	.read = read_title, .value = database_in_title, .changes = true};
const struct membership_label role_label = {
	.read = read_title, .value = role_in_title, .changes = true};
