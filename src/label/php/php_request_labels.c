/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PHP's row in the table of sources of labels. */
#include "label/label.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "runtime/php/php_find.h"

#include <stdlib.h>
#include <string.h>

static const struct label_key keys[] = {
	[PHP_REQUEST_URI] = {"uri", true, true},
	[PHP_REQUEST_ARGS] = {"args", false, true},
	[PHP_REQUEST_SCRIPT] = {"script", true, false},
	[PHP_REQUEST_METHOD] = {"method", true, true},
	[PHP_REQUEST_WORKER] = {"worker", false, false},
	[PHP_REQUEST_KEYS] = {NULL, false, false},
};

static const char *const places[] = {[PHP_REQUEST_NONE] = "none", NULL};

static int find(const struct target *t, struct label_layout *layout, struct strbuf *err)
{
	struct php_request_layout *l = &layout->php_request;
	struct php_layout php;
	int found = php_find(t, NULL, &php, err);

	*layout = (struct label_layout){.kind = LABEL_PHP_REQUEST};
	if (found)
		return found;
	l->version = php.version;
	l->threads = php.threads;
	l->started = php.version < 806 ? PHP_REQUEST_STARTED_OLD : PHP_REQUEST_STARTED;
	return php_find_globals(t, "sapi_globals", &php, &l->globals, &l->at, err);
}

static void describe(
	const struct target *t, const struct label_layout *layout, uint32_t pid, struct strbuf *out)
{
	const struct target_file *file = php_file(t);
	const struct php_layout php = {
		.version = layout->php_request.version, .threads = layout->php_request.threads};

	php_describe(&php, file ? file->path : "?", pid, out);
}

static void take(const void *names, const struct label_new_set *set, uint32_t bits,
	const struct label_taker *taker)
{
	(void)names;
	for (int i = 0; i < PHP_REQUEST_TEXTS; i++) {
		const char *text = set->texts.php_request.text[i];
		size_t len = strnlen(text, PHP_REQUEST_TEXT_MAX - 1);
		char *value = xasprintf(
			"%.*s%s", (int)len, text, len == PHP_REQUEST_TEXT_MAX - 1 ? "…" : "");

		if (bits >> i & 1 && len)
			taker->take(taker->context, keys[i].name, value);
		free(value);
	}
}

const struct label_source php_request_labels = {
	.name = "php-request",
	.title = "PHP",
	.owner = "the request that PHP works on",
	.advice = "give the number of php-fpm's master, or of a process that runs PHP",
	.kind = LABEL_PHP_REQUEST,
	.children = true,
	.memberships = MEMBERSHIP_BIT(pool),
	.keys = keys,
	.process = PHP_REQUEST_WORKER,
	.place = "request",
	.places = places,
	.find = find,
	.describe = describe,
	.file = php_file,
	.take = take,
};
