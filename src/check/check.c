/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check.h"
#include "check_list.h"
#include "lib/format/json.h"
#include "lib/root.h"
#include "lib/utf8.h"
#include "lib/util.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* When a check applies: always (0), only to compile, or only to load modules. */
enum { TO_COMPILE = 1, TO_LOAD = 2 };

struct check_entry {
	const char *name;
	unsigned when;
	void (*run)(struct check_context *c);
};

static const struct check_entry stap_checks[] = {
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
	{"vm", TO_LOAD, check_vm},
};

static const struct check_entry bpf_checks[] = {
	{"bpf kernel", 0, check_bpf_kernel},
	{"kernel types", 0, check_bpf_types},
	{"bpf rights", 0, check_bpf_rights},
	{"lockdown", 0, check_bpf_lockdown},
	{"container", 0, check_bpf_container},
	{"perf timer", 0, check_bpf_timer},
	{"tracepoints", 0, check_tracepoints},
	{"uprobes", 0, check_bpf_uprobes},
	{"program files", 0, check_bpf_files},
	{"kernel names", 0, check_bpf_names},
	{"wake-ups", 0, check_bpf_wakeups},
	{"events", 0, check_bpf_events},
	{"program names", 0, check_user_names},
	{"vm", 0, check_vm},
	{"labels", 0, check_label},
	{"trial", 0, check_trial},
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

bool check_fits_so_far(const struct check_context *c)
{
	return checks_fit(c->checks);
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

bool check_root(const struct check_context *c)
{
	const char *ids = check_value(c->status.buf, "Uid:");
	unsigned real, effective;

	return ids && sscanf(ids, "%u %u", &real, &effective) == 2 && !effective;
}

void check_namespace(const struct check_context *c, const char *of, char name[64])
{
	char *path = xasprintf("%s/proc/%s", c->request->root, of);
	ssize_t n = readlink(path, name, 63);

	name[n > 0 ? n : 0] = '\0';
	free(path);
}

/* Returns the release of the running kernel, read below the root, or "" if there is no /proc. */
static char *running_release(const struct check_context *c)
{
	struct strbuf release = check_read(c, "/proc/sys/kernel/osrelease");
	size_t n = strcspn(release.buf, "\n/");

	release.buf[n < 64 ? n : 64] = '\0';
	return strbuf_detach(&release);
}

static void find_kernel(struct check_context *c)
{
	const char *requested = c->request->release;
	char *running = running_release(c);

	c->checks->compile_only = requested && strcmp(requested, running);
	c->release = requested ? xstrdup(requested) : xstrdup(running);
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
	if (c->stap && root_run(c->request->root, c->stap, "--version", &c->stap_version))
		strbuf_reset(&c->stap_version);
}

static void run_list(
	struct check_context *c, const struct check_entry *list, size_t nr, unsigned skip)
{
	for (size_t i = 0; i < nr; i++) {
		if (list[i].when & skip)
			continue;
		c->name = list[i].name;
		list[i].run(c);
	}
}

void checks_run(struct checks *checks, const struct check_request *request)
{
	struct check_context c = {.request = request, .checks = checks};

	*checks = request->built_in ? (struct checks){.engine = "bpf", .by = "the built-in engine"}
				    : (struct checks){.engine = "stap", .by = "SystemTap"};

	c.config = c.stap_version = (struct strbuf)STRBUF_INIT;
	find_kernel(&c);
	find_config(&c);
	if (!request->module_given && !request->built_in)
		find_stap(&c);
	c.status = check_read(&c, "/proc/self/status");
	unsigned skip =
		(request->module_given ? TO_COMPILE : 0) | (checks->compile_only ? TO_LOAD : 0);

	if (request->built_in)
		run_list(&c, bpf_checks, ARRAY_LEN(bpf_checks), skip);
	else
		run_list(&c, stap_checks, ARRAY_LEN(stap_checks), skip);
	strbuf_release(&c.stap_version);
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

size_t checks_missing(const struct checks *checks)
{
	return count(checks, CHECK_MISSING);
}

bool checks_fit(const struct checks *checks)
{
	return !checks_missing(checks);
}

const struct checks *checks_first_fit(const struct checks *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (checks_fit(&list[i]))
			return &list[i];
	return NULL;
}

/* Writes S. Control characters and invalid UTF-8 become '?'. */
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

static void put_sum(const struct checks *checks, bool several, FILE *out)
{
	size_t missing = count(checks, CHECK_MISSING), degraded = count(checks, CHECK_DEGRADED);

	if (checks->compile_only)
		fprintf(out, "SystemTap and that kernel %s", missing ? "do not fit" : "fit");
	else
		fprintf(out, "a recording%s%s %s", several ? " by " : "", several ? checks->by : "",
			missing ? "cannot work" : "would work");
	if (missing)
		fprintf(out, ": %zu missing", missing);
	if (degraded)
		fprintf(out, ", %zu degraded", degraded);
	fputc('\n', out);
}

static void put_checks(const struct checks *checks, bool several, FILE *out)
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
	put_sum(checks, several, out);
}

void checks_text(const struct checks *list, size_t nr, FILE *out)
{
	const struct checks *fit = checks_first_fit(list, nr);

	for (size_t i = 0; i < nr; i++) {
		if (nr > 1)
			fprintf(out, "%s%s:\n", i ? "\n" : "", list[i].by);
		put_checks(&list[i], nr > 1, out);
	}
	if (nr > 1)
		fprintf(out, "\n%s would record\n", fit ? fit->by : "no engine");
}

static void add_check(struct strbuf *json, const char *engine, const struct check *check)
{
	json_text(json, "\n  {", "engine", engine);
	json_text(json, ", ", "name", check->name);
	json_text(json, ", ", "state", state_names[check->state]);
	json_text(json, ", ", "what", check->what);
	json_text(json, ", ", "remedy", check->remedy);
	strbuf_adds(json, "}");
}

void checks_json(const struct checks *list, size_t nr, FILE *out)
{
	const struct checks *fit = checks_first_fit(list, nr);
	struct strbuf json = STRBUF_INIT;

	strbuf_addf(&json, "{\"works\": %s, \"compile_only\": %s, ", fit ? "true" : "false",
		list->compile_only ? "true" : "false");
	json_text(&json, "", "engine", fit ? fit->engine : NULL);
	strbuf_adds(&json, ", \"checks\": [");
	for (size_t k = 0; k < nr; k++)
		for (size_t i = 0; i < list[k].nr; i++) {
			strbuf_adds(&json, k + i ? "," : "");
			add_check(&json, list[k].engine, &list[k].list[i]);
		}
	strbuf_adds(&json, "\n]}\n");
	strbuf_flush(&json, out);
	strbuf_release(&json);
}
