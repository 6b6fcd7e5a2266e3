/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The preflight's first part: whether SystemTap compiles modules for this kernel. */
#include "check_list.h"
#include "engine/stap/compat/stap_compat.h"
#include "lib/root.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

/* Returns "5.6" of "Systemtap translator/driver (version 5.6/0.195, …". Its length is in LEN. */
static const char *stap_version(const struct check_context *c, size_t *len)
{
	const char *mark = "(version ";
	const char *version = strstr(c->stap_version.buf, mark);

	if (version) {
		version += strlen(mark);
		*len = strcspn(version, "/,) \n");
	}
	return version;
}

void check_stap(struct check_context *c)
{
	size_t len;
	const char *version = stap_version(c, &len);

	if (!c->stap) {
		check_missing(c, "SystemTap is not installed");
		check_remedy_install(c, "systemtap", "systemtap");
	} else if (!version) {
		check_missing(c, "'%s --version' fails", c->stap);
		check_remedy(c, "run it to see why");
	} else {
		check_found(c, "SystemTap %.*s", (int)len, version);
	}
}

/*
 * Returns the first two numbers of a version or release: 6012 for 6.12. Returns 0 if there are
 * none.
 */
static unsigned kernel_number(const char *release)
{
	unsigned major, minor;

	if (sscanf(release, "%3u.%3u", &major, &minor) != 2)
		return 0;
	return major * 1000 + minor;
}

static void compare_versions(struct check_context *c)
{
	const char *tested = check_value(c->stap_version.buf, "tested kernel versions:");
	char first[32] = "", last[32] = "";
	unsigned kernel = kernel_number(c->release);

	if (!kernel) {
		check_degraded(c, "its release cannot be read");
		check_remedy(c, "mount /proc");
		return;
	}
	if (!tested || sscanf(tested, "%31s ... %31s", first, last) != 2)
		check_found(c, "%s", c->release);
	else if (kernel > kernel_number(last) || kernel < kernel_number(first)) {
		check_degraded(c, "SystemTap was tested with %s to %s, this is %s", first, last,
			c->release);
		check_remedy(c, "if compiling or loading fails, install a newer SystemTap");
	} else
		check_found(c, "%s, SystemTap was tested with %s to %s", c->release, first, last);
}

static void report_copy(struct check_context *c, const struct stap_compat *compat)
{
	struct strbuf names = STRBUF_INIT;
	size_t len = 0;
	const char *version = stap_version(c, &len);

	stap_compat_names(compat, &names);
	check_found(c, "SystemTap %.*s on %s works with a patched copy of its runtime (%s)",
		(int)len, version ? version : "", c->release, names.buf);
	strbuf_release(&names);
}

void check_kernel(struct check_context *c)
{
	struct stap_compat compat;

	if (!c->stap)
		return;
	if (c->request->runtime_given) {
		check_found(c, "%s, with the runtime given by -R or SYSTEMTAP_RUNTIME", c->release);
		return;
	}
	stap_compat_find(
		&compat, &(struct stap_place){c->request->root, c->stap, c->release, c->modules});
	if (compat.misfit) {
		check_missing(c, "%s %s, which this SystemTap does not support: %s", c->release,
			stap_compat_change(&compat), stap_compat_effect(&compat));
		check_remedy(
			c, "install SystemTap 5.2 or newer, from source or a later distribution");
	} else if (stap_compat_helps(&compat)) {
		report_copy(c, &compat);
	} else {
		compare_versions(c);
	}
	stap_compat_release(&compat);
}

/* Returns the release of the headers in the build tree, or "" if they are not prepared. */
static char *headers_release(const struct check_context *c)
{
	struct strbuf text = check_read_modules(c, "build/include/generated/utsrelease.h");
	const char *value = check_value(text.buf, "#define UTS_RELEASE \"");
	char *release = value ? xstrndup(value, strcspn(value, "\"\n")) : xstrdup("");

	strbuf_release(&text);
	return release;
}

static void remedy_headers(struct check_context *c)
{
	char *deb = xasprintf("linux-headers-%s", c->release);
	char *rpm = xasprintf("kernel-devel-%s", c->release);

	check_remedy_install(c, deb, rpm);
	free(deb);
	free(rpm);
}

void check_headers(struct check_context *c)
{
	char *release = headers_release(c);
	char *makefile = xasprintf("%s/build/Makefile", c->modules);

	if (!root_exists(c->request->root, makefile)) {
		check_missing(c, "%s/build does not exist", c->modules);
		remedy_headers(c);
	} else if (!*release) {
		check_missing(c, "%s/build is not prepared for modules", c->modules);
		check_remedy(c, "run 'make modules_prepare' there");
	} else if (strcmp(release, c->release)) {
		check_missing(c, "%s/build is for %s", c->modules, release);
		remedy_headers(c);
	} else {
		check_found(c, "%s/build", c->modules);
	}
	free(makefile);
	free(release);
}

/*
 * Returns the compiler that the build tree specifies, or NULL if it specifies none. Debian's build
 * trees specify their compiler, and make uses no other: "CC = … $(CROSS_COMPILE)gcc-14".
 */
static char *fixed_compiler(const struct check_context *c)
{
	static const char prefix[] = "$(CROSS_COMPILE)";
	struct strbuf text = check_read_modules(c, "build/.kernelvariables");
	const char *cc = check_value(text.buf, "CC =");
	const char *cross = check_value(text.buf, "override CROSS_COMPILE =");
	const char *name = cc ? memmem(cc, strcspn(cc, "\n"), prefix, strlen(prefix)) : NULL;
	char *compiler = NULL;

	if (name) {
		name += strlen(prefix);
		compiler = xasprintf("%.*s%.*s",
			cross && *cross != '$' ? (int)strcspn(cross, " \t\n") : 0,
			cross ? cross : "", (int)strcspn(name, " \t\n"), name);
	}
	strbuf_release(&text);
	return compiler;
}

/* Returns 16 for "16.2.0", or 0 if there is no number. */
static unsigned major_version(const char *text)
{
	return (unsigned)strtoul(text, NULL, 10);
}

/*
 * Returns "gcc-14 (Debian 14.2.0-19) 14.2.0" of the compiler that built the kernel, or NULL if it
 * is not known.
 */
static const char *kernel_compiler(const struct check_context *c)
{
	return check_value(c->config.buf, "CONFIG_CC_VERSION_TEXT=\"");
}

static unsigned kernel_compiler_version(const struct check_context *c)
{
	const char *text = kernel_compiler(c);
	const char *version = text ? memmem(text, strcspn(text, "\n"), ") ", 2) : NULL;

	return version ? major_version(version + 2) : 0;
}

static void compare_compilers(struct check_context *c, const char *path)
{
	struct strbuf says = STRBUF_INIT;
	unsigned kernel = kernel_compiler_version(c), own = 0;

	if (!root_run(c->request->root, path, "-dumpversion", &says))
		own = major_version(says.buf);
	strbuf_release(&says);
	if (!own) {
		check_missing(c, "'%s -dumpversion' fails", path);
		check_remedy(c, "run it to see why");
	} else if (check_config(c, "CONFIG_CC_IS_CLANG") == 'y') {
		check_degraded(
			c, "the kernel was compiled by clang, modules will be by gcc %u", own);
		check_remedy(c, "if compiling fails, pass --stap-arg=-BLLVM=1");
	} else if (kernel && own != kernel) {
		check_degraded(c, "gcc %u, the kernel was compiled by gcc %u", own, kernel);
		check_remedy(c, "if compiling fails, install gcc-%u", kernel);
	} else {
		check_found(c, "gcc %u%s", own, kernel ? ", as for the kernel" : "");
	}
}

void check_compiler(struct check_context *c)
{
	char *make = root_find(c->request->root, "make");
	char *fixed = fixed_compiler(c);
	const char *name = fixed ? fixed : "gcc";
	const char *package = strstr(name, "gcc");
	char *path = root_find(c->request->root, name);

	if (!path) {
		check_missing(c, "%s is not installed%s", name,
			fixed ? ", but the kernel's headers need it" : "");
		check_remedy_install(c, package ? package : name, "gcc");
	} else if (!make) {
		check_missing(c, "make is not installed");
		check_remedy_install(c, "make", "make");
	} else if (fixed) {
		check_found(c, "%s, required by the kernel's headers", name);
	} else {
		compare_compilers(c, path);
	}
	free(path);
	free(fixed);
	free(make);
}
