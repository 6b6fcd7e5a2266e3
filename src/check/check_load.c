/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The preflight's second part: whether this kernel loads modules, and whether we may load them. */
#include "check_list.h"
#include "lib/root.h"
#include "lib/util.h"

#include <inttypes.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>

void check_modules(struct check_context *c)
{
	if (check_config(c, "CONFIG_MODULES") == 'n' ||
		(root_exists(c->request->root, "/proc/self") &&
			!root_exists(c->request->root, "/proc/modules"))) {
		check_missing(c, "this kernel loads no modules, which SystemTap needs");
		check_remedy(c, "record on a machine whose kernel has CONFIG_MODULES");
	} else if (check_read_char(c, "/proc/sys/kernel/modules_disabled") == '1') {
		check_missing(c, "disabled until the next boot (kernel.modules_disabled is 1)");
		check_remedy(c, "boot without that setting");
	} else if (!root_exists(c->request->root, "/proc/modules")) {
		check_degraded(c, "unknown without /proc");
		check_remedy(c, "mount /proc");
	} else {
		check_found(c, "this kernel loads modules");
	}
}

/* Returns why an unsigned module is rejected, or NULL if it is not. */
static const char *signature_reason(const struct check_context *c)
{
	struct strbuf lockdown = check_read(c, "/sys/kernel/security/lockdown");
	const char *reason = NULL;

	if (check_read_char(c, "/sys/module/module/parameters/sig_enforce") == 'Y')
		reason = "module.sig_enforce";
	else if (strstr(lockdown.buf, "[integrity]"))
		reason = "lockdown for integrity";
	else if (strstr(lockdown.buf, "[confidentiality]"))
		reason = "lockdown for confidentiality";
	strbuf_release(&lockdown);
	return reason;
}

static bool secure_boot(const struct check_context *c)
{
	struct strbuf variable = check_read(c, "/sys/firmware/efi/efivars/SecureBoot-"
					       "8be4df61-93ca-11d2-aa0d-00e098032b8c");
	bool on = variable.len >= 5 && variable.buf[4] == 1; /* after four bytes of attributes */

	strbuf_release(&variable);
	return on;
}

void check_module(struct check_context *c)
{
	const char *fault = c->request->module_fault;

	if (!c->request->module_given)
		return;
	if (fault)
		check_missing(c, "%.*s", (int)strcspn(fault, "\n"), fault);
	else
		check_found(c, "built for this kernel");
}

static void report_signature(struct check_context *c, const char *reason)
{
	const char *boot = secure_boot(c) ? " (Secure Boot is on)" : "";

	if (!reason)
		check_found(c, "not required%s", boot);
	else if (c->request->module_signed)
		check_found(c, "required by %s%s, and the module is signed", reason, boot);
	else if (c->request->module_given) {
		check_missing(c, "required by %s%s, but the module is not signed", reason, boot);
		check_remedy(c, "sign it with a key that 'mokutil --list-enrolled' shows");
	} else {
		check_missing(c, "required by %s%s", reason, boot);
		check_remedy(c, "enrol a key with mokutil, then pass --stap-arg=--sign-module");
	}
}

void check_signature(struct check_context *c)
{
	if (check_read_char(c, "/proc/sys/crypto/fips_enabled") == '1' &&
		!getenv("STAP_FIPS_OVERRIDE")) {
		check_missing(c, "staprun loads no modules in FIPS mode");
		check_remedy(c, "set STAP_FIPS_OVERRIDE=1 if the kernel loads its modules anyway");
		return;
	}
	report_signature(c, signature_reason(c));
}

static bool is_setuid_root(const struct check_context *c, const char *path)
{
	struct stat st;

	return root_stat(c->request->root, path, &st) && st.st_mode & S_ISUID;
}

void check_staprun(struct check_context *c)
{
	char *path = root_find(c->request->root, "staprun");

	if (!path) {
		check_missing(c, "staprun, which loads the modules, is not installed");
		check_remedy_install(c, "systemtap-runtime", "systemtap-runtime");
	} else if (!check_root(c) && !is_setuid_root(c, path)) {
		check_missing(c, "%s is not setuid root", path);
		check_remedy(c, "run sample-bt with sudo");
	} else {
		check_found(c, "%s", path);
	}
	free(path);
}

/* True if ID is among the blank-separated numbers of the line at LIST. */
static bool in_list(const char *list, uint64_t id)
{
	const char *end = list ? list + strcspn(list, "\n") : NULL;

	while (list < end) {
		size_t n = strcspn(list, " \t\n");
		uint64_t number;

		if (parse_u64(list, n, 10, &number) && number == id)
			return true;
		list += n + 1;
	}
	return false;
}

/* True if this process has the group NAME. */
static bool in_group(const struct check_context *c, const char *name)
{
	struct strbuf groups = check_read(c, "/etc/group");
	char *key = xasprintf("%s:", name);
	const char *entry = check_value(groups.buf, key);
	uint64_t id = 0;
	bool found = false;

	if (entry) {
		entry += strcspn(entry, ":\n");
		entry += *entry == ':';
		found = parse_u64(entry, strcspn(entry, ":\n"), 10, &id) &&
			(in_list(check_value(c->status.buf, "Groups:"), id) ||
				in_list(check_value(c->status.buf, "Gid:"), id));
	}
	free(key);
	strbuf_release(&groups);
	return found;
}

static void check_groups(struct check_context *c)
{
	if (!in_group(c, "stapusr")) {
		check_missing(c, "neither root nor in the groups stapusr and stapdev");
		check_remedy(c, "run sample-bt with sudo");
	} else if (in_group(c, "stapdev")) {
		check_found(c, "in the groups stapusr and stapdev");
	} else if (c->request->module_given) {
		check_degraded(c,
			"the group stapusr may load only modules in /lib/modules/%s/systemtap",
			c->release);
		check_remedy(c, "let an administrator put the module there");
	} else {
		check_missing(c, "the group stapusr may load only what an administrator provides");
		check_remedy(c, "run sample-bt with sudo, or join the group stapdev");
	}
}

void check_rights(struct check_context *c)
{
	if (!c->status.len) {
		check_degraded(c, "unknown without /proc");
		check_remedy(c, "mount /proc");
	} else if (!check_root(c)) {
		check_groups(c);
	} else if (!check_capability(c, CAP_SYS_MODULE)) {
		check_missing(
			c, "root, but without the capability to load modules (CAP_SYS_MODULE)");
		check_remedy(c, "record on the host, not in a container");
	} else {
		check_found(c, "root");
	}
}

/* True if we are in a PID namespace other than the initial one, which has a fixed inode. */
static bool own_pids(const struct check_context *c)
{
	char name[64];

	check_namespace(c, "self/ns/pid", name);
	return *name && strcmp(name, "pid:[4026531836]");
}

/* True if we have the mounts of process 1. Files that mark a container are then from its image. */
static bool first_mounts(const struct check_context *c)
{
	char own[64], first[64];

	check_namespace(c, "self/ns/mnt", own);
	check_namespace(c, "1/ns/mnt", first);
	return *own && !strcmp(own, first);
}

static bool marked_container(const struct check_context *c)
{
	static const char *const marks[] = {
		"/.dockerenv", "/run/.containerenv", "/run/systemd/container"};

	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		if (root_exists(c->request->root, marks[i]))
			return true;
	return false;
}

void check_container(struct check_context *c)
{
	if (own_pids(c)) {
		check_degraded(c, "a PID namespace: process numbers differ from the kernel's");
		check_remedy(c, "record on the host, with the PID that the process has there");
	} else if (marked_container(c) && !first_mounts(c)) {
		check_degraded(c, "a container: paths here are not those of the host");
		check_remedy(c, "record on the host");
	} else {
		check_found(c, "none that matters");
	}
}
