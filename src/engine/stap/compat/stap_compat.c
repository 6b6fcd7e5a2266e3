/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stap_compat.h"
#include "lib/folder.h"
#include "lib/root.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A condition that a file has TEXT, or lacks it. If TEXT begins or ends with a letter, a digit or
 * _, a word has to begin or end there.
 */
struct fact {
	enum { NO_FACT, HAS, LACKS } is;
	enum {
		KERNEL,  /* FILE of the kernel headers */
		EXPORTS, /* the symbols that the kernel exports to modules */
		RUNTIME, /* FILE of SystemTap's runtime */
		PROGRAM, /* the program stap */
	} of;
	const char *file;
	const char *text;
};

/* A replacement of OLD, which occurs TIMES times in FILE of the runtime, by NEW. */
struct change {
	const char *file, *old;
	size_t times;
	const char *new;
};

struct stap_edit {
	const char *name;
	/*
	 * What the kernel changed, and its effect on every module, or NULL if it affects only some
	 * modules.
	 */
	const char *change, *effect;
	struct fact needed[4]; /* the edit is needed if all of these hold */
	struct fact works[4];  /* and it works if all of these hold */
	struct change changes[5];
	const char *make_option; /* for stap's -B, if the defect is in stap itself */
};

static const struct stap_edit edits[] = {
	/*
	 * Linux 6.11, and 5.10.224, 6.1.103 and 6.6.44, renamed task_work_cancel() and reused its
	 * name.
	 */
	{
		.name = "task_work_cancel_func",
		.change = "has task_work_cancel_func",
		.effect = "its modules do not compile for this kernel",
		.needed = {{HAS, KERNEL, "include/linux/task_work.h", "task_work_cancel_func"},
			{LACKS, RUNTIME, "stp_task_work.c", "task_work_cancel_func"}},
		.changes = {{"stp_task_work.c", "typeof(&task_work_cancel)", 1,
				    "typeof(&task_work_cancel_func)"},
			{"stp_task_work.c", "lookup_name(\"task_work_cancel\")", 1,
				"lookup_name(\"task_work_cancel_func\")"}},
	},
	/*
	 * Since Linux 6.12, uprobe_register() returns the uprobe, which the functions for
	 * unregistering take as argument.
	 */
	{
		.name = "uprobe_unregister_nosync",
		.change = "has uprobe_unregister_nosync",
		.effect = "its modules compile, but this kernel does not load them (\"Can't "
			  "resolve uprobe_unregister!\")",
		.needed = {{HAS, KERNEL, "include/linux/uprobes.h", "uprobe_unregister_nosync"},
			{LACKS, RUNTIME, "transport/transport.c", "uprobe_unregister_nosync"}},
		.works = {{HAS, EXPORTS, NULL, "uprobe_register"},
			{HAS, EXPORTS, NULL, "uprobe_unregister_nosync"},
			{HAS, EXPORTS, NULL, "uprobe_unregister_sync"},
			/* since Linux 6.13 handlers have one more argument, among other changes */
			{LACKS, KERNEL, "include/linux/uprobes.h", "__u64 *data"}},
		.changes = {{"transport/transport.c", "lookup_name (\"uprobe_unregister\")", 1,
				    "lookup_name (\"uprobe_unregister_nosync\")"},
			{"linux/uprobes-inode.c", "typeof(&uprobe_unregister)", 1,
				"typeof(&uprobe_unregister_nosync)"},
			{"linux/uprobes-inode.c",
				"  struct inode *inode;              // refcounted\n", 1,
				"  struct inode *inode;              // refcounted\n"
				"  struct uprobe *uprobe;            // valid if registered_p\n"},
			{"linux/uprobes-inode.c",
				"    ret = uprobe_register (inst->inode, c->offset, "
				"&inst->kconsumer);\n",
				1,
				"    {\n"
				"      struct uprobe *u = (uprobe_register) (inst->inode, "
				"c->offset, 0, &inst->kconsumer);\n"
				"      if (IS_ERR (u))\n"
				"        ret = PTR_ERR (u);\n"
				"      else\n"
				"        inst->uprobe = u;\n"
				"    }\n"},
			{"linux/uprobes-inode.c",
				"  (void) uprobe_unregister (inst->inode, c->offset, "
				"&inst->kconsumer);\n",
				1,
				"  uprobe_unregister_nosync (inst->uprobe, &inst->kconsumer);\n"
				"  uprobe_unregister_sync ();\n"}},
	},
	/*
	 * Linux 5.18 removed user_addr_max(), without which the runtime accepts no user address
	 * outside of system calls.
	 */
	{
		.name = "user_addr_max",
		.change = "has no user_addr_max",
		.effect = "its modules cannot read user memory at a timer tick, user stacks have "
			  "one frame",
		.needed = {{LACKS, KERNEL, "include/linux/uaccess.h", "user_addr_max"},
			{LACKS, KERNEL, "include/asm-generic/uaccess.h", "user_addr_max"},
			{HAS, RUNTIME, "linux/addr-map.c", "user_addr_max"},
			{LACKS, RUNTIME, "linux/addr-map.c", "TASK_SIZE_MAX"}},
		.changes = {{"linux/addr-map.c", "\n#include <linux/uaccess.h>\n", 1,
			"\n#include <linux/uaccess.h>\n"
			"#ifndef user_addr_max\n"
			"#define user_addr_max() TASK_SIZE_MAX\n"
			"#endif\n"}},
	},
	/*
	 * Linux 5.12, and later releases of 5.10, do not export module_mutex. Kprobes by name do
	 * not need it.
	 */
	{
		.name = "module_mutex",
		.needed = {{LACKS, EXPORTS, NULL, "module_mutex"},
			{HAS, RUNTIME, "linux/kprobes.c", "module_mutex"},
			{LACKS, RUNTIME, "linux/kprobes.c", "STAPCONF_MODULE_MUTEX"}},
		.changes = {{"linux/kprobes.c", "mutex_lock(&module_mutex);", 2, ""},
			{"linux/kprobes.c", "mutex_unlock(&module_mutex);", 2, ""}},
	},
	/* Linux 6.8 compiles modules with -Wextra, and SystemTap adds -Werror. */
	{
		.name = "empty_body",
		.needed = {{HAS, KERNEL, "scripts/Makefile.extrawarn",
				   "KBUILD_CFLAGS += -Wextra\n"},
			{HAS, RUNTIME, "linux/uprobes-inode.c", "    ; // already unlocked\n"}},
		.changes = {{"linux/uprobes-inode.c", "    ; // already unlocked\n", 1,
			"    {} // already unlocked\n"}},
	},
	/*
	 * SystemTap 4.5 to 5.0 drops a message if its header does not fit into the rest of a
	 * buffer. This is not due to a change in the kernel.
	 */
	{
		.name = "header_straddles",
		.needed = {{HAS, RUNTIME, "print_flush.c", "hlen = sizeof(struct _stp_trace)"},
			{LACKS, RUNTIME, "print_flush.c", "straddle"}},
		.changes = {{"transport/relay_v2.c",
			"\tif (buf->offset >= buf->chan->subbuf_size) {\n", 1,
			"\tif (buf->offset + sizeof(struct _stp_trace) >= "
			"buf->chan->subbuf_size) {\n"}},
	},
	/*
	 * The kernel's __COUNT_ARGS has more arguments than the one that SystemTap before 5.2
	 * defines in its tracepoint query, which is compiled with -Werror.
	 */
	{
		.name = "COUNT_ARGS",
		.needed = {{HAS, KERNEL, "include/linux/args.h", "__COUNT_ARGS"},
			{HAS, KERNEL, "include/linux/args.h", "_13"},
			{HAS, PROGRAM, NULL, "#define __COUNT_ARGS"},
			{LACKS, PROGRAM, NULL, "#ifndef COUNT_ARGS"}},
		.make_option = "CFLAGS_MODULE=-Wno-error",
	},
};

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Returns whether WORD at AT is not part of a longer word. */
static bool is_whole_word(const struct strbuf *text, const char *at, const char *word, size_t len)
{
	const char *end = at + len;

	return (at == text->buf || !is_word_char(at[-1]) || !is_word_char(*word)) &&
	       (!is_word_char(*end) || !is_word_char(word[len - 1]));
}

static bool has_word(const struct strbuf *text, const char *word)
{
	size_t len = strlen(word);
	const char *end = text->buf + text->len;

	for (const char *at = text->buf; (at = memmem(at, (size_t)(end - at), word, len)); at++)
		if (is_whole_word(text, at, word, len))
			return true;
	return false;
}

/* Reads FOLDER/NAME into the empty TEXT, which stays empty on failure. */
static void read_below(
	const struct stap_place *place, const char *folder, const char *name, struct strbuf *text)
{
	char *path = xasprintf("%s/%s", folder, name);

	if (root_read(place->root, path, text))
		strbuf_reset(text);
	free(path);
}

/* Reads the file NAME of the kernel headers, which Debian has in two trees. */
static struct strbuf read_kernel(const struct stap_place *place, const char *name)
{
	struct strbuf text = STRBUF_INIT;
	char *build = xasprintf("%s/build", place->modules);
	char *source = xasprintf("%s/source", place->modules);

	read_below(place, build, name, &text);
	if (!text.len)
		read_below(place, source, name, &text);
	free(build);
	free(source);
	return text;
}

static struct strbuf read_text(
	const struct stap_compat *compat, const struct stap_place *place, const struct fact *fact)
{
	struct strbuf text = STRBUF_INIT;

	switch (fact->of) {
	case KERNEL:
		return read_kernel(place, fact->file);
	case EXPORTS:
		return read_kernel(place, "Module.symvers");
	case RUNTIME:
		read_below(place, compat->runtime, fact->file, &text);
		break;
	case PROGRAM:
		if (root_read(place->root, place->stap, &text))
			strbuf_reset(&text);
		break;
	}
	return text;
}

static bool holds(
	const struct stap_compat *compat, const struct stap_place *place, const struct fact *fact)
{
	if (fact->is == NO_FACT)
		return true;
	struct strbuf text = read_text(compat, place, fact);
	bool yes = text.len && has_word(&text, fact->text) == (fact->is == HAS);

	strbuf_release(&text);
	return yes;
}

static bool all_hold(const struct stap_compat *compat, const struct stap_place *place,
	const struct fact *facts, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!holds(compat, place, &facts[i]))
			return false;
	return true;
}

static size_t count_text(const struct strbuf *text, const char *part)
{
	size_t len = strlen(part), n = 0;

	for (const char *at = text->buf;
		(at = memmem(at, (size_t)(text->buf + text->len - at), part, len)); at += len)
		n++;
	return n;
}

static bool changes_fit(const struct stap_compat *compat, const struct stap_place *place,
	const struct stap_edit *edit)
{
	for (size_t i = 0; i < ARRAY_LEN(edit->changes) && edit->changes[i].file; i++) {
		const struct change *change = &edit->changes[i];
		struct strbuf text = STRBUF_INIT;

		read_below(place, compat->runtime, change->file, &text);
		size_t times = count_text(&text, change->old);

		strbuf_release(&text);
		if (times != change->times)
			return false;
	}
	return true;
}

static void check_edit(struct stap_compat *compat, const struct stap_place *place, size_t i)
{
	const struct stap_edit *edit = &edits[i];

	if (!all_hold(compat, place, edit->needed, ARRAY_LEN(edit->needed)))
		return;
	if (all_hold(compat, place, edit->works, ARRAY_LEN(edit->works)) &&
		changes_fit(compat, place, edit))
		compat->edits |= 1u << i;
	else if (edit->effect && !compat->misfit)
		compat->misfit = edit;
}

/* Returns the runtime in share/systemtap next to bin/stap, or the usual path. */
static char *find_runtime(const struct stap_place *place)
{
	const char *end = strstr(place->stap, "/bin/stap");
	char *path = xasprintf(
		"%.*s/share/systemtap/runtime", (int)(end ? end - place->stap : 0), place->stap);

	if (root_exists(place->root, path))
		return path;
	free(path);
	return xstrdup("/usr/share/systemtap/runtime");
}

void stap_compat_find(struct stap_compat *compat, const struct stap_place *place)
{
	*compat = (struct stap_compat){
		.runtime = find_runtime(place),
		.release = xstrdup(place->release),
	};
	for (size_t i = 0; i < ARRAY_LEN(edits); i++)
		check_edit(compat, place, i);
}

void stap_compat_release(struct stap_compat *compat)
{
	free(compat->runtime);
	free(compat->release);
	*compat = (struct stap_compat){0};
}

bool stap_compat_helps(const struct stap_compat *compat)
{
	return compat->edits && !compat->misfit;
}

const char *stap_compat_change(const struct stap_compat *compat)
{
	return compat->misfit->change;
}

const char *stap_compat_effect(const struct stap_compat *compat)
{
	return compat->misfit->effect;
}

void stap_compat_names(const struct stap_compat *compat, struct strbuf *out)
{
	const char *separator = "";

	for (size_t i = 0; i < ARRAY_LEN(edits); i++) {
		if (!(compat->edits >> i & 1))
			continue;
		strbuf_addf(out, "%s%s", separator, edits[i].name);
		separator = ", ";
	}
}

const char *stap_compat_make_option(const struct stap_compat *compat)
{
	for (size_t i = 0; stap_compat_helps(compat) && i < ARRAY_LEN(edits); i++)
		if (compat->edits >> i & 1 && edits[i].make_option)
			return edits[i].make_option;
	return NULL;
}

static bool has_changes(const struct stap_compat *compat)
{
	for (size_t i = 0; stap_compat_helps(compat) && i < ARRAY_LEN(edits); i++)
		if (compat->edits >> i & 1 && edits[i].changes[0].file)
			return true;
	return false;
}

static int replace(struct strbuf *text, const struct change *change, struct strbuf *err)
{
	struct strbuf edited = STRBUF_INIT;
	const char *from = text->buf, *end = from + text->len;
	size_t len = strlen(change->old);

	if (count_text(text, change->old) != change->times)
		return fail(err, "'%s' was changed just now: try again", change->file);
	for (const char *at; (at = memmem(from, (size_t)(end - from), change->old, len));
		from = at + len) {
		strbuf_add(&edited, from, (size_t)(at - from));
		strbuf_adds(&edited, change->new);
	}
	strbuf_add(&edited, from, (size_t)(end - from));
	strbuf_release(text);
	*text = edited;
	return 0;
}

/* Applies the edits to TEXT, the content of file NAME of the runtime. */
static int edit_text(
	const struct stap_compat *compat, const char *name, struct strbuf *text, struct strbuf *err)
{
	for (size_t i = 0; i < ARRAY_LEN(edits); i++) {
		if (!(compat->edits >> i & 1))
			continue;
		for (size_t k = 0; k < ARRAY_LEN(edits[i].changes); k++) {
			const struct change *change = &edits[i].changes[k];

			if (change->file && !strcmp(change->file, name) &&
				replace(text, change, err))
				return -1;
		}
	}
	return 0;
}

static int read_whole(const char *path, struct strbuf *text, struct strbuf *err)
{
	char buf[1 << 14];
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return fail(err, "cannot open '%s': %s", path, strerror(errno));
	while ((n = read(fd, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		strbuf_add(text, buf, (size_t)n);
	}
	int error = errno;

	close(fd);
	return n < 0 ? fail(err, "cannot read '%s': %s", path, strerror(error)) : 0;
}

static const struct timespec fixed_times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};

static int write_file(const char *path, const struct strbuf *text, struct strbuf *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return fail(err, "cannot create '%s': %s", path, strerror(errno));
	int ret = write_whole(fd, text->buf, text->len) || futimens(fd, fixed_times) ? -1 : 0;
	int error = errno;

	if (close(fd) && !ret) {
		error = errno;
		ret = -1;
	}
	return ret ? fail(err, "cannot write '%s': %s", path, strerror(error)) : 0;
}

/* Walks the files of a folder, sorted by name. */
struct tree_copy {
	const struct stap_compat *compat; /* whose edits are applied, or NULL for none */
	const char *to;                   /* folder for the copies, or NULL to write none */
	uint64_t sum;                     /* hash of names and content */
	struct strbuf *err;
};

static void add_to_sum(struct tree_copy *w, const char *name, const struct strbuf *text)
{
	uint64_t parts[3] = {
		w->sum, hash_bytes(name, strlen(name)), hash_bytes(text->buf, text->len)};

	w->sum = hash_bytes(parts, sizeof(parts));
}

static int take_file(struct tree_copy *w, const char *path, const char *name)
{
	struct strbuf text = STRBUF_INIT;
	int ret = read_whole(path, &text, w->err);

	if (!ret && w->compat)
		ret = edit_text(w->compat, name, &text, w->err);
	if (!ret)
		add_to_sum(w, name, &text);
	if (!ret && w->to) {
		char *to = xasprintf("%s/%s", w->to, name);

		ret = write_file(to, &text, w->err);
		free(to);
	}
	strbuf_release(&text);
	return ret;
}

/* Creates a folder BEFORE its files are taken, or sets its times after that. */
static int take_folder(struct tree_copy *w, const char *name, bool before)
{
	if (!w->to)
		return 0;
	char *to = *name ? xasprintf("%s/%s", w->to, name) : xstrdup(w->to);
	int ret = before ? mkdir(to, 0700) : utimensat(AT_FDCWD, to, fixed_times, 0);

	if (ret)
		fail(w->err, "cannot make '%s': %s", to, strerror(errno));
	free(to);
	return ret;
}

static int take_entry(struct tree_copy *w, const FTSENT *e, const char *name)
{
	switch (e->fts_info) {
	case FTS_D:
		return take_folder(w, name, true);
	case FTS_DP:
		return take_folder(w, name, false);
	case FTS_F:
		return take_file(w, e->fts_accpath, name);
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		return fail(w->err, "cannot read '%s': %s", e->fts_path, strerror(e->fts_errno));
	default: /* a runtime has no other types of files */
		return 0;
	}
}

static int compare_names(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Walks a folder. It follows links, as files of a runtime include each other by relative paths. */
static int walk_folder(struct tree_copy *w, const char *folder)
{
	char *paths[2] = {xstrdup(folder), NULL};
	size_t skip = strlen(folder);
	FTS *fts = fts_open(paths, FTS_LOGICAL | FTS_NOCHDIR, compare_names);
	int ret = fts ? 0 : -1;
	FTSENT *e;

	errno = 0;
	while (!ret && (e = fts_read(fts))) {
		const char *name = e->fts_path + skip;

		ret = take_entry(w, e, name + (*name == '/'));
		errno = 0;
	}
	if (!fts || errno)
		ret = fail(w->err, "cannot read '%s': %s", folder, strerror(errno));
	if (fts)
		fts_close(fts);
	free(paths[0]);
	return ret;
}

static void remove_folder(const char *folder)
{
	char *paths[2] = {xstrdup(folder), NULL};
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *e;

	while (fts && (e = fts_read(fts))) {
		if (e->fts_info == FTS_DP)
			rmdir(e->fts_accpath);
		else if (e->fts_info != FTS_D)
			unlink(e->fts_accpath);
	}
	if (fts)
		fts_close(fts);
	free(paths[0]);
}

/* Returns whether FOLDER exists with this content. After a crash it may be incomplete. */
static bool is_copy(const char *folder, uint64_t sum)
{
	struct tree_copy found = {0};

	return !access(folder, F_OK) && !walk_folder(&found, folder) && found.sum == sum;
}

static int make_copy(
	const struct stap_compat *compat, const char *to, uint64_t sum, struct strbuf *err)
{
	char *tmp = xasprintf("%s.%d", to, (int)getpid());
	struct tree_copy copy = {.compat = compat, .to = tmp, .err = err};
	int ret;

	remove_folder(tmp); /* left by a killed process */
	ret = folder_make_above(tmp, err);
	if (!ret)
		ret = walk_folder(&copy, compat->runtime);
	if (!ret && rename(tmp, to) && !is_copy(to, sum)) {
		remove_folder(to);
		if (rename(tmp, to) && !is_copy(to, sum))
			ret = fail(err, "cannot rename '%s': %s", tmp, strerror(errno));
	}
	remove_folder(tmp); /* exists if it was not renamed */
	free(tmp);
	return ret;
}

char *stap_compat_copy(const struct stap_compat *compat, const char *folder, struct strbuf *err)
{
	struct tree_copy edited = {.compat = compat, .err = err};

	if (!has_changes(compat) || walk_folder(&edited, compat->runtime))
		return NULL;
	uint64_t key[2] = {hash_bytes(compat->release, strlen(compat->release)), edited.sum};
	char *to = xasprintf("%s/runtime-%016" PRIx64, folder, hash_bytes(key, sizeof(key)));

	if (is_copy(to, edited.sum) || !make_copy(compat, to, edited.sum, err))
		return to;
	free(to);
	return NULL;
}
