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
