/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check.h"
#include "check_list.h"
#include "lib/json.h"
#include "lib/utf8.h"
#include "lib/util.h"
#include "root.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* When a check is in question: always (0), or only for … */
enum { TO_COMPILE = 1, TO_LOAD = 2 };

static const struct {
	const char *name;
	unsigned when;
	void (*look)(struct check_context *c);
} table[] = {
	{"stap", TO_COMPILE, check_stap},
	{"kernel", TO_COMPILE, check_kernel},
	{"kernel headers", TO_COMPILE, check_headers},
	{"compiler", TO_COMPILE, check_compiler},
	{"staprun", TO_LOAD, check_staprun},
	{"module", TO_LOAD, check_module},
	{"module loading", TO_LOAD, check_modules},
	{"module signature", TO_LOAD, check_signature},
	{"rights", TO_LOAD, check_rights},
	{"container", TO_LOAD, check_container},
	{"perf timer", 0, check_timer},
	{"tracepoints", 0, check_tracepoints},
	{"uprobes", 0, check_uprobes},
	{"kprobes", 0, check_kprobes},
	{"kernel names", TO_LOAD, check_kernel_names},
	{"program names", TO_LOAD, check_user_names},
};

static const char *const state_names[] = {
	[CHECK_FOUND] = "found",
	[CHECK_MISSING] = "missing",
	[CHECK_DEGRADED] = "degraded",
};

static void add(struct check_context *c, enum check_state state, const char *fmt, va_list ap)
{
	struct checks *checks = c->checks;
	struct strbuf what = STRBUF_INIT;

	strbuf_vaddf(&what, fmt, ap);
	ALLOC_GROW(checks->list, checks->nr, checks->alloc);
	checks->list[checks->nr++] =
		(struct check){.name = c->name, .state = state, .what = strbuf_detach(&what)};
}

void check_found(struct check_context *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(c, CHECK_FOUND, fmt, ap);
	va_end(ap);
}

void check_missing(struct check_context *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(c, CHECK_MISSING, fmt, ap);
	va_end(ap);
}

void check_degraded(struct check_context *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(c, CHECK_DEGRADED, fmt, ap);
	va_end(ap);
}

void check_remedy(struct check_context *c, const char *fmt, ...)
{
	struct strbuf remedy = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&remedy, fmt, ap);
	va_end(ap);
	c->checks->list[c->checks->nr - 1].remedy = strbuf_detach(&remedy);
}

void check_remedy_install(struct check_context *c, const char *deb, const char *rpm)
{
	if (root_exists(c->request->root, "/etc/debian_version"))
		check_remedy(c, "apt install %s", deb);
	else if (root_exists(c->request->root, "/etc/redhat-release"))
		check_remedy(c, "dnf install %s", rpm);
	else
		check_remedy(c, "install %s (Debian: %s)", rpm, deb);
}

struct strbuf check_read(const struct check_context *c, const char *path)
{
	struct strbuf content = STRBUF_INIT;

	if (root_read(c->request->root, path, &content))
		strbuf_reset(&content);
	return content;
}

struct strbuf check_read_modules(const struct check_context *c, const char *name)
{
	char *path = xasprintf("%s/%s", c->modules, name);
	struct strbuf content = check_read(c, path);

	free(path);
	return content;
}

char check_read_char(const struct check_context *c, const char *path)
{
	struct strbuf content = check_read(c, path);
	char first = content.buf[0];

	strbuf_release(&content);
	return first;
}

const char *check_value(const char *text, const char *key)
{
	size_t n = strlen(key);

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (!strncmp(text, key, n))
			return text + n + strspn(text + n, " \t");
	}
	return NULL;
}

char check_config(const struct check_context *c, const char *option)
{
	char *key = xasprintf("%s=", option);
	const char *value = check_value(c->config.buf, key);

	free(key);
	if (!c->config.len)
		return 0;
	return value ? *value : 'n';
}

bool check_capability(const struct check_context *c, unsigned number)
{
	const char *set = check_value(c->status.buf, "CapEff:");
	uint64_t bits;

	return set && parse_u64(set, strcspn(set, "\n"), 16, &bits) && bits >> number & 1;
}

/* The release of the kernel that runs, from below the root; "" when that has no /proc. */
static char *running_release(const struct check_context *c)
{
	struct strbuf release = check_read(c, "/proc/sys/kernel/osrelease");
	size_t n = strcspn(release.buf, "\n/");

	release.buf[n < 64 ? n : 64] = '\0';
	return strbuf_detach(&release);
}

static void find_kernel(struct check_context *c)
{
	const char *wanted = c->request->release;
	char *running = running_release(c);

	c->checks->compile_only = wanted && strcmp(wanted, running);
	c->release = wanted ? xstrdup(wanted) : xstrdup(running);
	free(running);
	c->modules = xasprintf("/usr/lib/modules/%s", c->release);
	if (root_exists(c->request->root, c->modules) &&
		!root_exists(c->request->root, "/lib/modules"))
		return;
	free(c->modules);
	c->modules = xasprintf("/lib/modules/%s", c->release);
}

static void find_config(struct check_context *c)
{
	char *boot = xasprintf("/boot/config-%s", c->release);

	c->config = check_read_modules(c, "build/.config");
	if (!c->config.len)
		c->config = check_read(c, boot);
	if (!c->config.len)
		c->config = check_read_modules(c, "config");
	if (!c->config.len && !c->checks->compile_only)
		c->config = check_read(c, "/proc/config.gz");
	free(boot);
}

static void find_stap(struct check_context *c)
{
	c->stap = root_find(c->request->root, "stap");
	if (c->stap && root_run(c->request->root, c->stap, "--version", &c->stap_says))
		strbuf_reset(&c->stap_says);
}

void checks_run(struct checks *checks, const struct check_request *request)
{
	*checks = (struct checks){0};
	struct check_context c = {.request = request, .checks = checks};

	c.config = c.stap_says = (struct strbuf)STRBUF_INIT;
	find_kernel(&c);
	find_config(&c);
	if (!request->module_given)
		find_stap(&c);
	c.status = check_read(&c, "/proc/self/status");
	unsigned skip =
		(request->module_given ? TO_COMPILE : 0) | (checks->compile_only ? TO_LOAD : 0);

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		if (table[i].when & skip)
			continue;
		c.name = table[i].name;
		table[i].look(&c);
	}
	strbuf_release(&c.stap_says);
	free(c.stap);
	strbuf_release(&c.status);
	strbuf_release(&c.config);
	free(c.modules);
	free(c.release);
}

void checks_release(struct checks *checks)
{
	for (size_t i = 0; i < checks->nr; i++) {
		free(checks->list[i].what);
		free(checks->list[i].remedy);
	}
	free(checks->list);
	*checks = (struct checks){0};
}

static size_t count(const struct checks *checks, enum check_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < checks->nr; i++)
		n += checks->list[i].state == state;
	return n;
}

bool checks_fit(const struct checks *checks)
{
	return !count(checks, CHECK_MISSING);
}

/* Bytes that a terminal would obey, and those that are no UTF-8, become '?'. */
static void put_plain(const char *s, FILE *out)
{
	size_t len = strlen(s), n;
	uint32_t c;

	for (; len; s += n, len -= n) {
		n = utf8_decode(s, len, &c);
		if (n && c >= 0x20 && (c < 0x7f || c >= 0xa0)) {
			fwrite(s, 1, n, out);
			continue;
		}
		fputc('?', out);
		n = n ? n : 1;
	}
}

static void put_sum(const struct checks *checks, FILE *out)
{
	bool pair = checks->compile_only;
	size_t missing = count(checks, CHECK_MISSING), degraded = count(checks, CHECK_DEGRADED);

	if (missing)
		fprintf(out, "%s: %zu missing",
			pair ? "SystemTap and that kernel do not fit" : "a recording cannot work",
			missing);
	else
		fputs(pair ? "SystemTap and that kernel fit" : "a recording would work", out);
	if (degraded)
		fprintf(out, ", %zu degraded", degraded);
	fputc('\n', out);
}

void checks_text(const struct checks *checks, FILE *out)
{
	for (size_t i = 0; i < checks->nr; i++) {
		const struct check *check = &checks->list[i];

		fprintf(out, "%-9s %-17s ", state_names[check->state], check->name);
		put_plain(check->what, out);
		if (check->remedy) {
			fputs("; ", out);
			put_plain(check->remedy, out);
		}
		fputc('\n', out);
	}
	put_sum(checks, out);
}

static void add_member(struct strbuf *json, const char *key, const char *value)
{
	strbuf_addf(json, "\"%s\": ", key);
	if (value)
		json_string(json, value, strlen(value));
	else
		strbuf_adds(json, "null");
}

void checks_json(const struct checks *checks, FILE *out)
{
	struct strbuf json = STRBUF_INIT;

	strbuf_addf(&json, "{\"works\": %s, \"compile_only\": %s, \"checks\": [",
		checks_fit(checks) ? "true" : "false", checks->compile_only ? "true" : "false");
	for (size_t i = 0; i < checks->nr; i++) {
		const struct check *check = &checks->list[i];

		strbuf_adds(&json, i ? ",\n  {" : "\n  {");
		add_member(&json, "name", check->name);
		strbuf_adds(&json, ", ");
		add_member(&json, "state", state_names[check->state]);
		strbuf_adds(&json, ", ");
		add_member(&json, "what", check->what);
		strbuf_adds(&json, ", ");
		add_member(&json, "remedy", check->remedy);
		strbuf_adds(&json, "}");
	}
	strbuf_adds(&json, "\n]}\n");
	strbuf_flush(&json, out);
	strbuf_release(&json);
}
