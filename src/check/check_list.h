/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The common base of the parts of the preflight: the request, data that is read once, reporting. */
#ifndef CHECK_CHECK_LIST_H
#define CHECK_CHECK_LIST_H

#include "check.h"
#include "lib/strbuf.h"

struct check_context {
	const struct check_request *request;
	struct checks *checks;
	const char *name;           /* name of the check that runs */
	char *release;              /* release of the checked kernel, or "" if unknown */
	char *modules;              /* /lib/modules/RELEASE, or its path with a merged /usr */
	struct strbuf config;       /* configuration of this kernel, empty if unknown */
	struct strbuf status;       /* /proc/self/status */
	char *stap;                 /* path of stap below the root, or NULL if there is none */
	struct strbuf stap_version; /* output of stap --version, empty if it cannot be run */
};

/*
 * Each function checks one thing and reports it in one line. It reports nothing if it does not
 * apply.
 */
void check_stap(struct check_context *c);
void check_staprun(struct check_context *c);
void check_kernel(struct check_context *c);
void check_headers(struct check_context *c);
void check_compiler(struct check_context *c);
void check_module(struct check_context *c);
void check_modules(struct check_context *c);
void check_signature(struct check_context *c);
void check_rights(struct check_context *c);
void check_container(struct check_context *c);
void check_timer(struct check_context *c);
void check_tracepoints(struct check_context *c);
void check_uprobes(struct check_context *c);
void check_kprobes(struct check_context *c);
void check_kernel_names(struct check_context *c);
void check_user_names(struct check_context *c);
void check_vm(struct check_context *c);
void check_label(struct check_context *c);
void check_bpf_kernel(struct check_context *c);
void check_bpf_types(struct check_context *c);
void check_bpf_rights(struct check_context *c);
void check_bpf_lockdown(struct check_context *c);
void check_bpf_timer(struct check_context *c);
void check_bpf_container(struct check_context *c);
void check_bpf_files(struct check_context *c);
void check_bpf_names(struct check_context *c);
void check_bpf_uprobes(struct check_context *c);
void check_bpf_events(struct check_context *c);
void check_bpf_wakeups(struct check_context *c);
void check_trial(struct check_context *c);

void check_found(struct check_context *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void check_missing(struct check_context *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void check_degraded(struct check_context *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Sets the remedy of the last reported line. */
void check_remedy(struct check_context *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Sets a package as the remedy. DEB and RPM are its names in distributions with .deb and .rpm
 * files.
 */
void check_remedy_install(struct check_context *c, const char *deb, const char *rpm);

/*
 * Returns 'y', 'm' or 'n' for the kernel's option "CONFIG_…", or 0 if its configuration is unknown.
 */
char check_config(const struct check_context *c, const char *option);

/* Returns the content of PATH, which is empty if it cannot be read. The caller releases it. */
struct strbuf check_read(const struct check_context *c, const char *path);
/* Does the same for the file NAME in the kernel's modules folder, such as "build/Makefile". */
struct strbuf check_read_modules(const struct check_context *c, const char *name);
/* Returns the first byte of PATH, or 0 if it cannot be read or is empty. */
char check_read_char(const struct check_context *c, const char *path);

/* True if nothing has been reported as missing. */
bool check_fits_so_far(const struct check_context *c);

/*
 * Returns the value of the line "KEY VALUE" in TEXT without blanks before it, or NULL if there is
 * no such line.
 */
const char *check_value(const char *text, const char *key);

/* True if the capability with that number is effective in this process. */
bool check_capability(const struct check_context *c, unsigned number);

/* True if this process runs as root, with any capabilities. */
bool check_root(const struct check_context *c);

/* Sets NAME to the namespace /proc/OF, "pid:[4026531836]", or to "" if access is denied. */
void check_namespace(const struct check_context *c, const char *of, char name[64]);

#endif
