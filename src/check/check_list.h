/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the parts of the preflight: the request, data read once, reporting. */
#ifndef CHECK_CHECK_LIST_H
#define CHECK_CHECK_LIST_H

#include "check.h"
#include "lib/strbuf.h"

struct check_context {
	const struct check_request *request;
	struct checks *checks;
	const char *name;           /* of the check that runs */
	char *release;              /* of the checked kernel, "": unknown */
	char *modules;              /* /lib/modules/RELEASE, or its path with a merged /usr */
	struct strbuf config;       /* of that kernel, empty: unknown */
	struct strbuf status;       /* /proc/self/status */
	char *stap;                 /* its path below the root, NULL: none */
	struct strbuf stap_version; /* output of stap --version; empty: it cannot be run */
};

/* Each checks one thing and reports it in one line, or nothing if it does not apply. */
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
/* Sets a package as the remedy: its name in distributions with .deb and with .rpm files. */
void check_remedy_install(struct check_context *c, const char *deb, const char *rpm);

/* 'y', 'm' or 'n': the kernel's option "CONFIG_…"; 0: its configuration is unknown. */
char check_config(const struct check_context *c, const char *option);

/* The content of PATH, empty if it cannot be read; the caller releases it. */
struct strbuf check_read(const struct check_context *c, const char *path);
/* The same for the file NAME in the kernel's modules folder, such as "build/Makefile". */
struct strbuf check_read_modules(const struct check_context *c, const char *name);
/* The first byte of PATH, 0: it cannot be read or is empty. */
char check_read_char(const struct check_context *c, const char *path);

/* True if nothing has been reported as missing. */
bool check_fits_so_far(const struct check_context *c);

/* The value of the line "KEY VALUE" in TEXT without blanks before it, NULL: no such line. */
const char *check_value(const char *text, const char *key);

/* True if the capability with that number is effective in this process. */
bool check_capability(const struct check_context *c, unsigned number);

/* True if this process runs as root, with any capabilities. */
bool check_root(const struct check_context *c);

/* The namespace /proc/OF: "pid:[4026531836]"; "" if access is denied. */
void check_namespace(const struct check_context *c, const char *of, char name[64]);

#endif
