/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perl.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/worker.h"
#include "symbol/dwarf/debugtype.h"
#include "symbol/elf/debugfile.h"
#include "symbol/elf/elffacts.h"
#include "runtime/thread_variable.h"
#include "runtime/threadkey.h"
#include "runtime/target_facts.h"

#include <stdlib.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char run_loop[] = PERL_SYMBOL, context[] = "PL_current_context";

enum { RODATA_MAX = 16 << 20, DESCRIBE_S = 10 };

/* If several files define NAME, the first one counts, as for the dynamic linker. */
static const struct target_file *find_file(
	const struct target *t, const char *name, struct elf_variable *variable)
{
	for (size_t i = 0; i < t->nr_files; i++)
		if (elffacts_variable(t->files[i].elf, name, variable))
			return &t->files[i];
	return NULL;
}

static bool find_address(const struct target *t, const char *name, uint64_t *address)
{
	struct elf_variable variable;
	const struct target_file *file = find_file(t, name, &variable);

	if (!file || variable.per_thread)
		return false;
	*address = variable.address + file->bias;
	return true;
}

/* ---- version ---- */

static bool read_number(const struct target *t, const char *name, unsigned *number)
{
	unsigned char byte;
	uint64_t address;

	if (!find_address(t, name, &address) || !memory_read(&t->memory, address, &byte, 1))
		return false;
	*number = byte;
	return true;
}

/* Parses "v5.12.4", the whole string at S. */
static bool parse_version(const char *s, const char *end, unsigned *minor, unsigned *patch)
{
	int used = 0;

	return s + 16 < end && memchr(s, '\0', 16) &&
	       sscanf(s, "v5.%2u.%2u%n", minor, patch, &used) == 2 && !s[used];
}

/*
 * Searches a file for the version. Before 5.15 no variable has it, but the file contains the string
 * that $^V is made from, and possibly the string of the API's version, which is not newer.
 */
static bool find_version_text(const char *text, size_t size, struct perl_layout *l)
{
	const char *end = text + size, *s = text;
	unsigned minor, patch;
	bool found = false;

	while (s < end && (s = memmem(s, (size_t)(end - s), "\0v5.", 4))) {
		s++;
		if (!parse_version(s, end, &minor, &patch))
			continue;
		if (!found || minor > l->minor || (minor == l->minor && patch > l->patch)) {
			l->minor = minor;
			l->patch = patch;
		}
		found = true;
	}
	return found;
}

static bool search_version(
	const struct target *t, const struct target_file *file, struct perl_layout *l)
{
	uint64_t address, size;
	bool found;
	char *text;

	if (!elffacts_section(file->elf, ".rodata", &address, &size) || size > RODATA_MAX)
		return false;
	text = xmalloc(size);
	found = memory_read(&t->memory, address + file->bias, text, size) &&
		find_version_text(text, size, l);
	free(text);
	return found;
}

static int find_version(const struct target *t, const struct target_file *file,
	struct perl_layout *l, struct strbuf *err)
{
	unsigned revision;

	if (read_number(t, "PL_revision", &revision)) {
		if (revision == 5 && read_number(t, "PL_version", &l->minor) &&
			read_number(t, "PL_subversion", &l->patch))
			return 0;
		return fail(
			err, "perl in '%s' has no readable version, or is not Perl 5", file->path);
	}
	if (search_version(t, file, l))
		return 0;
	return fail(err, "cannot determine the version of perl in '%s'", file->path);
}

/* ---- shape ---- */

/* The input of the worker process that reads debug information, which is not trusted. */
struct shape_job {
	const struct target *target;
	const struct target_file *file;
	unsigned minor;
	int debug_fd, alt_fd; /* downloaded files, or -1 to search for installed ones */
	char alt_id[65];      /* build-id of a file that is missing, or "" */
};

static int duplicate(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

static struct elffile *open_debug(const struct shape_job *d)
{
	const struct elffile *elf = d->file->elf;

	return d->debug_fd < 0
		       ? debugfile_open(elf, d->file->path, &d->target->debug)
		       : debugfile_open_checked(duplicate(d->debug_fd), elffile_build_id(elf));
}

static struct elffile *open_alt(const struct shape_job *d, const struct elffile *debug)
{
	return d->alt_fd < 0 ? debugfile_open_alt(debug, &d->target->debug)
			     : debugfile_open_alt_checked(duplicate(d->alt_fd), d->alt_id);
}

/* Outputs, in the worker process, the shape or the build-id of a file that it needs. */
static void describe_shape(void *arg, struct strbuf *output)
{
	const struct shape_job *d = arg;
	struct elffile *debug = open_debug(d);
	const struct elffile *from = debug ? debug : d->file->elf;
	struct elffile *alt = open_alt(d, from);
	struct debugtypes *types = debugtypes_new(from, alt);
	struct perl_shape shape;
	char *missing = alt ? NULL : debugfile_alt_id(from);

	if (types && perl_shape_described(types, d->minor, &shape))
		strbuf_add(output, (const char *)&shape, sizeof(shape));
	else if (missing)
		strbuf_adds(output, missing);
	free(missing);
	debugtypes_free(types);
	elffile_close(debug);
	elffile_close(alt);
}

static bool describe(struct shape_job *d, struct perl_layout *l)
{
	struct worker worker = {.work = describe_shape, .arg = d, .output = STRBUF_INIT};
	bool described;

	workers_run(&worker, 1, DESCRIBE_S);
	described = worker.end == WORKER_DONE && worker.output.len == sizeof(l->shape);
	if (described)
		memcpy(&l->shape, worker.output.buf, sizeof(l->shape));
	else if (worker.end == WORKER_DONE && worker.output.len < sizeof(d->alt_id))
		memcpy(d->alt_id, worker.output.buf, worker.output.len);
	strbuf_release(&worker.output);
	return described && perl_shape_is_sane(&l->shape);
}

static bool describe_installed(
	const struct target *t, const struct target_file *file, struct perl_layout *l)
{
	return describe(&(struct shape_job){t, file, l->minor, -1, -1, ""}, l);
}

/* Reads the shape from debug files that it downloads. */
static bool describe_downloaded(
	const struct target *t, const struct target_file *file, struct perl_layout *l)
{
	struct shape_job d = {t, file, l->minor, -1, -1, ""};
	bool described;

	d.debug_fd = t->fetch(elffile_build_id(file->elf), file->path);
	described = d.debug_fd >= 0 && describe(&d, l);
	if (d.debug_fd >= 0 && !described && *d.alt_id) {
		d.alt_fd = t->fetch(d.alt_id, file->path);
		described = d.alt_fd >= 0 && describe(&d, l);
	}
	if (d.debug_fd >= 0)
		close(d.debug_fd);
	if (d.alt_fd >= 0)
		close(d.alt_fd);
	return described;
}

static int find_shape(const struct target *t, const struct target_file *file, struct perl_layout *l,
	struct strbuf *err)
{
	l->source = PERL_FROM_DEBUGINFO;
	if (t->debuginfo == DEBUGINFO_FIRST && describe_installed(t, file, l))
		return 0;
	l->source = PERL_FROM_TABLE;
	if (perl_shape_known(l->minor, &l->shape))
		return 0;
	l->source = PERL_FROM_DEBUGINFO;
	if (t->debuginfo == DEBUGINFO_LAST && describe_installed(t, file, l))
		return 0;
	if (t->fetch && describe_downloaded(t, file, l))
		return 0;
	return fail(err,
		"perl 5.%u.%u in '%s' is not one of the known versions, 5.%d to 5.%d; "
		"install its "
		"debug file (perl-debug, perl-debuginfo; build-id %s), or set "
		"DEBUGINFOD_URLS to a server that has it",
		l->minor, l->patch, file->path, PERL_FIRST, PERL_LAST, elffile_build_id(file->elf));
}

/* ---- interpreter ---- */

/*
 * Finds the path to the interpreter in a thread-local variable, which exists since 5.36 if the
 * compiler supports it.
 */
static bool thread_variable(const struct target *t, struct pointer_path *path)
{
	struct elf_variable variable;
	const struct target_file *file = find_file(t, context, &variable);

	return file && thread_variable_path(t, file, context, path);
}

static bool thread_key(const struct target *t, struct pointer_path *path)
{
	uint64_t address;
	uint32_t key;

	return find_address(t, "PL_thr_key", &address) &&
	       memory_read(&t->memory, address, &key, sizeof(key)) && threadkey_path(t, key, path);
}

static int find_interpreter(const struct target *t, const struct target_file *file,
	struct perl_layout *l, struct strbuf *err)
{
	uint64_t address;

	l->curcop = l->shape.curcop;
	l->curstackinfo = l->shape.curstackinfo;
	l->op = l->shape.op;
	l->stack_sp = l->shape.stack_sp;
	if (thread_variable(t, &l->interpreter) || thread_key(t, &l->interpreter))
		return 0;
	if (find_address(t, "PL_curstackinfo", &l->curstackinfo) &&
		find_address(t, "PL_curcop", &l->curcop) && find_address(t, "PL_op", &l->op) &&
		find_address(t, "PL_stack_sp", &l->stack_sp))
		return 0;
	if (!find_address(t, "PL_curinterp", &address))
		return fail(err,
			"the interpreter of perl in '%s' cannot be found: the file has no "
			"symbols for it",
			file->path);
	l->interpreter = (struct pointer_path){false, 1, {address}};
	return 0;
}

/* Returns whether the process's memory can be read, which has all that the file does not tell. */
static bool memory_is_readable(const struct target *t)
{
	unsigned char byte;
	uint64_t address;

	return find_address(t, run_loop, &address) && memory_read(&t->memory, address, &byte, 1);
}

/* Reads all facts that will be needed, from all files at once. */
static void ask_files(const struct target *t)
{
	static const char *const names[] = {run_loop, context, "PL_revision", "PL_version",
		"PL_subversion", "PL_thr_key", "PL_curstackinfo", "PL_curcop", "PL_op",
		"PL_stack_sp", "PL_curinterp", THREADKEY_SYMBOLS, NULL};

	target_facts_ask(t, names, context);
}

const struct target_file *perl_file(const struct target *t)
{
	struct elf_variable variable;

	return find_file(t, run_loop, &variable);
}

int perl_find(const struct target *t, const struct perl_layout *like, struct perl_layout *l,
	struct strbuf *err)
{
	const struct target_file *file;
	uint64_t unused;

	ask_files(t);
	file = perl_file(t);
	*l = like ? *like : (struct perl_layout){0};
	if (!file)
		return 1;
	if (!memory_is_readable(t))
		return target_refuse(file, "Perl", err);
	l->threads = find_address(t, "PL_thr_key", &unused);
	if (!like && (find_version(t, file, l, err) || find_shape(t, file, l, err)))
		return -1;
	return find_interpreter(t, file, l, err);
}
