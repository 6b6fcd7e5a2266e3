/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Explains why files of a recording have no names or lines, and how to get them. */
#include "lib/util.h"
#include "model/runtime.h"
#include "quality.h"
#include "symbol/fetch/package.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

struct explainer {
	struct quality *q;
	const struct symbol_options *options;
	const struct packages *packages;
	bool servers;
	bool elsewhere; /* the recording was made on another machine or kernel */
};

static bool lacks_names(const struct quality_module *m)
{
	return m->named < m->weight;
}

static bool is_unknown(const struct quality_module *m)
{
	return !strcmp(m->path, "[unknown]");
}

static enum symbol_gap gap_of(const struct quality_module *m)
{
	if (m->tried && !(m->pid && m->named)) /* names show that there was a perf map */
		return m->tried->gap;
	return m->pid && !m->named ? GAP_NO_MAP : GAP_NONE;
}

static bool has_debuginfo(const struct quality_module *m)
{
	return m->tried && m->tried->has_debuginfo;
}

static enum debug_lack lack_of(const struct explainer *e, const struct quality_module *m)
{
	return m->tried && e->q->lines && !lacks_names(m) ? m->tried->lack : DEBUG_LACK_NONE;
}

/* Returns whether a debug file would add the missing names or lines. */
static bool wants_debug_file(const struct explainer *e, const struct quality_module *m)
{
	if (lack_of(e, m))
		return false;
	if (m->kernel)
		return !lacks_names(m) && !has_debuginfo(m);
	if (gap_of(m) == GAP_NONE)
		return e->q->lines && m->path[0] == '/' && !has_debuginfo(m);
	return gap_of(m) == GAP_STRIPPED;
}

/* ---- why ---- */

static const char *why_no_debug_file(const struct explainer *e, const struct quality_module *m)
{
	if (m->tried && m->tried->requested)
		return ", and no server has it";
	return e->servers ? ", and no server was asked" : "";
}

static char *why_kernel(const struct explainer *e, const struct quality_module *m)
{
	if (lacks_names(m))
		return xstrdup("its addresses were hidden from the recorder");
	if (wants_debug_file(e, m))
		return xasprintf("its debug file was not found%s", why_no_debug_file(e, m));
	return xstrdup("some of its code has no lines");
}

/* Returns the reason if the file itself is in order. */
static char *why_some(const struct explainer *e, const struct quality_module *m)
{
	if (is_unknown(m))
		return xstrdup("addresses in no known mapping");
	if (m->interpreted)
		return xstrdup("the functions were freed before their names were read");
	if (lack_of(e, m))
		return xstrdup(lack_of(e, m) == DEBUG_LACK_ZSTD
				       ? "its debug information is compressed with zstd, which the "
					 "installed libelf cannot read"
				       : "its .dwo files, which have most of its debug "
					 "information, are missing");
	if (wants_debug_file(e, m))
		return xasprintf("it has no debug information, and its debug file was not found%s",
			why_no_debug_file(e, m));
	if (!lacks_names(m))
		return xstrdup("some of its code has no lines");
	return xasprintf(
		"some of its code %s", m->pid ? "is not in its perf map" : "has no symbol");
}

static char *why_file(const struct explainer *e, const struct quality_module *m)
{
	const char *detail = m->tried->detail;

	switch (m->tried->gap) {
	case GAP_STRIPPED:
		return xasprintf("it is stripped, and its debug file was not found%s",
			why_no_debug_file(e, m));
	case GAP_GONE:
		return xstrdup("the file is missing");
	case GAP_UNREADABLE:
		return xasprintf("the file cannot be read: %s", detail);
	case GAP_OTHER:
		return xasprintf("another file is at that path now, %s%s",
			*detail ? "with build-id " : "without build-id", detail);
	case GAP_NOT_ELF:
		return xstrdup("it is not an ELF file");
	case GAP_FAILED:
		return xasprintf("reading it failed: %s", detail);
	default:
		return why_some(e, m);
	}
}

static char *why(const struct explainer *e, const struct quality_module *m)
{
	if (m->kernel)
		return why_kernel(e, m);
	if (gap_of(m) == GAP_NO_MAP)
		return xstrdup("JIT-compiled, and there is no perf map");
	return m->tried ? why_file(e, m) : why_some(e, m);
}

/* ---- JIT compilers ---- */

/* Returns the remedy for the JIT compiler of process PID. */
static char *remedy_jit(const struct recording *rec, uint32_t pid)
{
	const char *remedy = runtime_names_remedy(recording_runtime(rec, pid));

	if (remedy)
		return xstrdup(remedy);
	return xasprintf("make its JIT compiler write /tmp/perf-%u.map", pid);
}

/* ---- files ---- */

/* Returns whether the file is known to be the one that a package of this machine contains. */
static bool is_local(const struct explainer *e, const struct quality_module *m)
{
	if (e->options->root || !wants_debug_file(e, m))
		return false;
	return !e->elsewhere || (!m->kernel && m->tried && *m->build_id);
}

static char *debug_file_path(const struct explainer *e, const char *build_id)
{
	const char *folder = e->options->debug_path;

	if (!folder || !*folder)
		folder = "/usr/lib/debug";
	return xasprintf("%s%.*s/.build-id/%.2s/%s.debug", e->options->root ? e->options->root : "",
		(int)strcspn(folder, ":"), folder, build_id, build_id + 2);
}

static char *remedy_own_file(const struct explainer *e, const struct quality_module *m)
{
	const char *how = lacks_names(m) ? "do not strip it" : "build it with -g";
	char *path, *remedy;

	if (strlen(m->build_id) <= 2)
		return xstrdup(lacks_names(m) ? "build it with -g and do not strip it" : how);
	path = debug_file_path(e, m->build_id);
	remedy = xasprintf("%s, or put its debug file at %s%s", how, path,
		e->servers ? "" : ", or set DEBUGINFOD_URLS to a server that has it");
	free(path);
	return remedy;
}

static char *remedy_kernel(const struct explainer *e, const struct quality_module *m)
{
	const char *release = recording_get(e->q->rec, e->q->rec->kernel_release);

	if (lacks_names(m))
		return xstrdup("record as root, with kernel.kptr_restrict at most 1");
	if (!strcmp(m->path, "[kernel]"))
		return xasprintf("put vmlinux of kernel %s, with its debug information, into "
				 "/usr/lib/debug",
			release);
	return xasprintf("put %.*s.ko of kernel %s, with its debug information, into "
			 "/usr/lib/debug/lib/modules/%s",
		(int)strcspn(m->path + 1, "]"), m->path + 1, release, release);
}

static char *remedy_debug_file(
	const struct explainer *e, const struct quality_module *m, const char *owner)
{
	char *command = owner ? packages_command(e->packages, owner) : NULL;

	if (command)
		return command;
	if (e->servers && m->tried && !m->tried->requested &&
		e->options->debuginfod != DEBUGINFOD_ALWAYS)
		return xstrdup("use --debuginfod=always: a server may have its debug file");
	if (m->kernel)
		return remedy_kernel(e, m);
	if (e->elsewhere && !is_local(e, m) && !e->options->root)
		return xstrdup("resolve it on the machine it was recorded on, or give that "
			       "machine's files with --root");
	if (e->packages->family == PACKAGES_OTHER && !e->servers && !strncmp(m->path, "/usr/", 5) &&
		*m->build_id)
		return xasprintf("set DEBUGINFOD_URLS=%s", e->packages->server);
	return remedy_own_file(e, m);
}

static char *remedy_right_file(const struct explainer *e, const struct quality_module *m)
{
	if (m->path[0] != '/') /* the vdso */
		return xstrdup(e->elsewhere ? "resolve it on the machine it was recorded on"
					    : "record again: the running kernel has another vdso");
	if (e->elsewhere)
		return xstrdup("resolve it on the machine it was recorded on, or give that "
			       "machine's files with --root");
	if (!*m->build_id)
		return xstrdup("record again while the file is there");
	return xasprintf("keep the file with build-id %s and give it with --root or --debug-path, "
			 "or record again",
		m->build_id);
}

/*
 * Returns only the most effective remedy. OWNER is the package of the file, or NULL if it has none
 * or it is not known.
 */
static char *remedy(const struct explainer *e, const struct quality_module *m, const char *owner)
{
	if (lack_of(e, m) == DEBUG_LACK_ZSTD)
		return xasprintf("objcopy --decompress-debug-sections %s", m->path);
	if (lack_of(e, m) == DEBUG_LACK_DWO)
		return xstrdup("keep the .dwo files where they were built");
	if (wants_debug_file(e, m))
		return remedy_debug_file(e, m, owner);
	if (m->kernel)
		return lacks_names(m) ? remedy_kernel(e, m) : NULL;
	switch (gap_of(m)) {
	case GAP_GONE:
	case GAP_OTHER:
		return remedy_right_file(e, m);
	case GAP_UNREADABLE:
		return xstrdup("run it as a user who may read that file");
	case GAP_FAILED:
		return xasprintf("report it as a bug, with the file %s", m->path);
	case GAP_NO_MAP:
		return remedy_jit(e->q->rec, m->pid ? m->pid : m->tried->pid);
	default:
		return NULL;
	}
}

/* ---- all modules ---- */

/*
 * Returns whether the host name or kernel release differs from the recorded one, if there is one.
 */
static bool is_elsewhere(const struct recording *rec)
{
	const char *host = recording_meta(rec, "host");
	const char *release = recording_get(rec, rec->kernel_release);
	struct utsname here;

	if (uname(&here))
		return true;
	return (host && strcmp(host, here.nodename)) || (*release && strcmp(release, here.release));
}

/*
 * Returns the path by which the package is found. The kernel and its modules use the path of the
 * kernel image.
 */
static char *package_path(const struct explainer *e, const struct quality_module *m)
{
	const struct recording *rec = e->q->rec;

	if (m->kernel)
		return xasprintf("/boot/vmlinuz-%s", recording_get(rec, rec->kernel_release));
	return xstrdup(m->path);
}

/* Looks up the packages of all modules at once. */
static char **find_owners(const struct explainer *e)
{
	const struct quality *q = e->q;
	char **owners = xcalloc(q->nr, sizeof(*owners)), **found, **paths;
	size_t nr = 0;

	paths = xcalloc(q->nr, sizeof(*paths));
	found = xcalloc(q->nr, sizeof(*found));
	for (size_t i = 0; i < q->nr; i++)
		if (q->list[i].lacks && is_local(e, &q->list[i]))
			paths[nr++] = package_path(e, &q->list[i]);
	if (nr)
		packages_find(e->packages, (const char *const *)paths, nr, found);
	nr = 0;
	for (size_t i = 0; i < q->nr; i++)
		if (q->list[i].lacks && is_local(e, &q->list[i])) {
			free(paths[nr]);
			owners[i] = found[nr++];
		}
	free(paths);
	free(found);
	return owners;
}

/*
 * Returns whether M is a distribution's file, whose debug file a server may have, also for older
 * versions.
 */
static bool may_be_served(const struct quality_module *m)
{
	enum symbol_gap gap = gap_of(m);

	return *m->build_id && !strncmp(m->path, "/usr/", 5) &&
	       (gap == GAP_STRIPPED || gap == GAP_GONE || gap == GAP_OTHER);
}

/* Adds hints to the notes. OWNED tells whether one of the modules belongs to a package. */
static void add_notes(const struct explainer *e, bool owned)
{
	bool dbgsym = false;

	for (size_t i = 0; i < e->q->nr; i++) {
		const struct quality_module *m = &e->q->list[i];

		owned |= m->lacks && may_be_served(m);
		dbgsym |= m->remedy && ends_with(m->remedy, "-dbgsym");
	}
	if (dbgsym)
		strbuf_adds(&e->q->notes,
			"packages named *-dbgsym are in a separate archive, see bt-resolve(1)\n");
	if (owned && !e->servers)
		strbuf_addf(&e->q->notes,
			"a debuginfod server has the distribution's debug files: set "
			"DEBUGINFOD_URLS=%s\n",
			e->packages->server);
}

void quality_explain(struct quality *q, const struct symbol_options *options,
	const struct packages *packages, bool servers)
{
	const struct explainer e = {q, options, packages, servers, is_elsewhere(q->rec)};
	char **owners = find_owners(&e);
	bool owned = false;

	for (size_t i = 0; i < q->nr; i++) {
		struct quality_module *m = &q->list[i];

		if (m->lacks) {
			m->why = why(&e, m);
			m->remedy = remedy(&e, m, owners[i]);
			owned |= owners[i] != NULL;
		}
		free(owners[i]);
	}
	free(owners);
	add_notes(&e, owned);
}

const struct quality_module *quality_explain_worst(struct quality *q,
	const struct symbol_options *options, const struct packages *packages, bool servers)
{
	size_t nr = q->nr;

	if (!nr)
		return NULL;
	q->nr = 1; /* the worst one comes first */
	quality_explain(q, options, packages, servers);
	q->nr = nr;
	return &q->list[0];
}
