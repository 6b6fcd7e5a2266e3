/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cuts.h"
#include "account.h"
#include "lib/format/json.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 3 };

#define SYSTEMTAP "SystemTap had no unwind rules for it"
#define BUILT_IN "try --engine=bpf"

static const struct {
	const char *json; /* its word in JSON */
	const char *text;
	const char *remedy;
	/* In recordings: after the file or, of a cause without a file, alone. NULL if not stored.
	 */
	const char *by;
} causes[CUT_CAUSES] = {
	[CUT_RULES] = {"no-rules", "code without unwind rules, such as assembly", NULL, ""},
	[CUT_DENIED] = {"no-access", "the file cannot be opened", "record as its owner, or as root",
		" (no access)"},
	[CUT_SILENT] = {"no-answer", "its file system does not answer", NULL, " (no answer)"},
	[CUT_NOT_ELF] = {"not-elf", "the file is not ELF", NULL, " (not ELF)"},
	[CUT_DAMAGED] = {"damaged", "its unwind rules cannot be read", NULL, " (damaged)"},
	[CUT_LATE] = {"late", "its unwind rules were not read in time", "record longer", " (late)"},
	[CUT_MEMORY] = {"generated-code", "neither unwind rules nor frame pointers", NULL},
	[CUT_DEPTH] = {"depth",
		"the stack is deeper than 2,048 frames (of an interpreter 1,024; with SystemTap "
		"1,000) or 512 KiB",
		"--skip-after FN shows all stacks from function FN on", "depth"},
	[CUT_BUSY] = {"busy", "too many stacks had to be copied at once for unwinding",
		"record a process that runs already (-p), or fewer events at a time", "busy"},
	[CUT_EARLIER] = {"earlier", "the wait had begun before the recording", NULL,
		"before the recording"},
	[CUT_COROUTINE] = {"coroutine", "stacks of coroutines do not tell what resumed them", NULL,
		"coroutine"},
	[CUT_PROBED] = {"return-probe",
		"a return probe (uretprobe) has replaced the address of the caller", NULL,
		"return probe"},
	[CUT_COPY] = {"short-copy", "the stack is longer than perf's copy of it",
		"perf record --call-graph dwarf,65528", "short copy"},
	[CUT_NO_CHAIN] = {"no-call-chain", "perf recorded no call chain",
		"perf record -g, or --call-graph dwarf", "no call chain"},
	[CUT_TEXT] = {"text", "the text of the stack is incomplete", NULL},
	[BROKEN_FAILED] = {"failed", "the caller was not found", NULL},
	[BROKEN_MEMORY] = {"memory", "the stack's memory could not be read", NULL, "memory"},
	[BROKEN_CALLER] = {"caller", "the caller's address is in no code", NULL, "caller"},
	[BROKEN_CHAIN] = {"frame-pointers",
		"perf follows frame pointers, which this code does not keep",
		"perf record --call-graph dwarf", "frame pointers"},
	[BROKEN_VM] = {"interpreter", "the interpreter was changing its stack", NULL},
	[BROKEN_EMPTY] = {"empty", "the samples have no frames", NULL},
};

void cuts_init(struct cuts *cuts)
{
	*cuts = (struct cuts){0};
	strpool_init(&cuts->names);
	table_init(&cuts->by_cut);
}

void cuts_release(struct cuts *cuts)
{
	strpool_release(&cuts->names);
	table_release(&cuts->by_cut);
	free(cuts->list);
	cuts->list = NULL;
}

uint32_t cuts_file(struct cuts *cuts, const char *file)
{
	return file ? strpool_adds(&cuts->names, file) : 0;
}

void cuts_add(struct cuts *cuts, const struct cut *cut)
{
	bool is_new;
	uint32_t *at = table_put(&cuts->by_cut, cut->file,
		(uint64_t)cut->cause << 16 | (uint64_t)cut->runtime << 8 |
			(uint64_t)cut->generated << 1 | cut->stap,
		&is_new);

	if (!is_new) {
		add_capped(&cuts->list[*at].weight, cut->weight);
		return;
	}
	ALLOC_GROW(cuts->list, cuts->nr, cuts->alloc);
	*at = (uint32_t)cuts->nr;
	cuts->list[cuts->nr++] = *cut;
}

void cuts_add_all(struct cuts *cuts, const struct cuts *from)
{
	for (size_t i = 0; i < from->nr; i++) {
		struct cut cut = from->list[i];

		cut.file = strpool_import(&cuts->names, &from->names, cut.file);
		cuts_add(cuts, &cut);
	}
}

char *cut_text(enum cut_cause cause, const char *file)
{
	return xasprintf("%s%s", file, causes[cause].by);
}

const char *cut_word(enum cut_cause cause)
{
	return causes[cause].by;
}

/* Words of SystemTap's side for some causes. */
static const struct {
	const char *by;
	enum cut_cause cause;
} others[] = {{"too many frames", CUT_DEPTH}, {"[uprobes]", CUT_PROBED}};

/* Returns the cause of which BY is the word, from FIRST on and before END, or END. */
static enum cut_cause cause_of_word(const char *by, enum cut_cause first, enum cut_cause end)
{
	enum cut_cause cause = first;

	while (cause < end && (!causes[cause].by || strcmp(by, causes[cause].by) != 0))
		cause++;
	return cause;
}

enum cut_cause cut_cause_of(const char *by, size_t *file_len)
{
	size_t len = strlen(by);
	enum cut_cause cause = cause_of_word(by, CUT_MEMORY, BROKEN_FAILED);

	*file_len = len;
	if (cause != BROKEN_FAILED)
		return cause;
	for (cause = CUT_DENIED; cause <= CUT_LATE; cause++)
		if (ends_with(by, causes[cause].by)) {
			*file_len = len - strlen(causes[cause].by);
			return cause;
		}
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (!strcmp(by, others[i].by))
			return others[i].cause;
	return CUT_RULES;
}

enum cut_cause broken_cause_of(const char *by)
{
	enum cut_cause cause = cause_of_word(by, BROKEN_FAILED, CUT_CAUSES);

	return cause == CUT_CAUSES ? BROKEN_FAILED : cause;
}

void cuts_set_runtime(struct cuts *cuts, enum runtime runtime)
{
	struct cuts old = *cuts;

	cuts_init(cuts);
	for (size_t i = 0; i < old.nr; i++)
		if (old.list[i].generated && !old.list[i].runtime)
			old.list[i].runtime = runtime;
	cuts_add_all(cuts, &old);
	cuts_release(&old);
}

/* ---- words ---- */

struct listed {
	struct cut cut;
	const char *file;
};

static int compare_listed(const void *va, const void *vb)
{
	const struct listed *a = va, *b = vb;
	int order = compare_u64(b->cut.weight, a->cut.weight);

	if (!order)
		order = (int)a->cut.cause - (int)b->cut.cause;
	if (!order)
		order = strcmp(a->file, b->file);
	return order ? order : (int)a->cut.runtime - (int)b->cut.runtime;
}

/* Returns the cuts, heaviest first. The caller frees the list. */
static struct listed *sorted(const struct cuts *cuts)
{
	struct listed *list = xcalloc(cuts->nr, sizeof(*list));

	for (size_t i = 0; i < cuts->nr; i++)
		list[i] = (struct listed){
			cuts->list[i], strpool_get(&cuts->names, cuts->list[i].file)};
	if (cuts->nr)
		qsort(list, cuts->nr, sizeof(*list), compare_listed);
	return list;
}

static const char *text_of(const struct cut *c)
{
	return c->stap ? SYSTEMTAP : causes[c->cause].text;
}

/* Returns false if no remedy is known. */
static bool add_remedy(const struct cut *c, struct strbuf *out)
{
	const char *remedy = causes[c->cause].remedy;
	size_t len = out->len;

	if (c->cause == CUT_MEMORY)
		remedy = runtime_stacks_remedy(c->runtime);
	if (c->stap)
		strbuf_adds(out, BUILT_IN);
	if (remedy)
		strbuf_addf(out, "%s%s", c->stap ? "; " : "", remedy);
	return out->len > len;
}

static void add_line(const struct listed *l, const struct account *account, struct strbuf *out)
{
	const struct cut *c = &l->cut;
	const char *name = runtime_name(c->runtime);
	struct strbuf remedy = STRBUF_INIT;

	account_add_share(c->weight, account->kept, out);
	strbuf_adds(out, c->cause >= BROKEN_FAILED ? " broken" : " cut");
	if (c->generated) {
		strbuf_adds(out, name ? " in generated code of " : " in generated code");
		strbuf_adds(out, name ? name : "");
	} else if (*l->file) {
		strbuf_adds(out, " in ");
		message_add(out, file_name(l->file), strlen(file_name(l->file)));
	}
	strbuf_addf(out, ": %s", text_of(c));
	if (add_remedy(c, &remedy))
		strbuf_addf(out, "; %s", remedy.buf);
	strbuf_addch(out, '\n');
	strbuf_release(&remedy);
}

void cuts_lines(const struct cuts *cuts, const struct account *account, struct strbuf *out)
{
	struct listed *list = sorted(cuts);

	for (size_t i = 0; i < cuts->nr && i < LINES_MAX; i++)
		if (account_is_much(list[i].cut.weight, account->kept))
			add_line(&list[i], account, out);
	free(list);
}

static void add_object(const struct listed *l, const struct account *account, struct strbuf *out)
{
	const struct cut *c = &l->cut;
	struct strbuf remedy = STRBUF_INIT;

	json_share(out, "{", "weight", c->weight, account->kept);
	json_text(out, ", ", "end", c->cause >= BROKEN_FAILED ? "broken" : "cut");
	json_text(out, ", ", "cause", causes[c->cause].json);
	json_text(out, ", ", "file", *l->file ? l->file : NULL);
	json_text(out, ", ", "runtime", runtime_name(c->runtime));
	json_text(out, ", ", "reason", text_of(c));
	json_text(out, ", ", "remedy", add_remedy(c, &remedy) ? remedy.buf : NULL);
	strbuf_addch(out, '}');
	strbuf_release(&remedy);
}

void cuts_json(const struct cuts *cuts, const struct account *account, struct strbuf *out)
{
	struct listed *list = sorted(cuts);

	strbuf_addch(out, '[');
	for (size_t i = 0; i < cuts->nr; i++) {
		strbuf_adds(out, i ? ",\n  " : "\n  ");
		add_object(&list[i], account, out);
	}
	strbuf_adds(out, cuts->nr ? "\n ]" : "]");
	free(list);
}
