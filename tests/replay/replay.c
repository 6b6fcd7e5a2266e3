/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay [-m N] [CASE.mem…]: finds the interpreter and walks its stacks in the memory of cases,
 * with the steps of the BPF programs; by default in all cases of tests/replay. Each stack must
 * equal the stack in CASE.want, and no walk may read memory that the case does not have. -m: each
 * walk must also end in memory that is changed at random, N times. Prints TAP.
 */
#include "case.h"
#include "mutations.h"
#include "request.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/elf/elffacts.h"
#include "runtime/perl/perl_frame.h"

#include <glob.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* The expected results of a case's walks. */
struct wanted {
	char *found;   /* beginning of the interpreter's description, or NULL */
	regex_t *may;  /* matches all possible stacks, or NULL if each stack is given */
	unsigned most; /* at most this many stacks may be inconsistent */
	struct stack {
		char *name, *frames;
	} * stacks;
	size_t nr, alloc;
};

static struct replay {
	char *name; /* of the case, without folder and suffix */
	struct wanted wanted;
	struct case_state state;
	const struct vm *vm;
	struct vm_layout layout;
	struct vm_native native;    /* of the next walk */
	struct request_stack stack; /* of the next request */
	bool is_found, with_op, with_state;
	struct strbuf missing; /* memory that was read and is not in the case */
	unsigned nr_any, nr_inconsistent, nr_wrong;
	size_t nr_walks;
} replay;

static unsigned results, failures, mutations;
static uint64_t seed = 1;

/* REASON tells why it failed, or is NULL; MORE is further lines. */
static void result(const char *what, const char *reason, const char *more)
{
	printf("%sok %u - %s: %s%s%s\n", reason ? "not " : "", ++results, replay.name, what,
		reason ? ": " : "", reason ? reason : "");
	failures += reason != NULL;
	while (reason && *more) {
		int len = (int)strcspn(more, "\n");

		printf("# %.*s\n", len, more);
		more += len + (more[len] != 0);
	}
}

/* ---- the case instead of the process ---- */

static bool miss(const char *format, ...) __attribute__((format(printf, 1, 2)));
static bool miss(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	strbuf_vaddf(&replay.missing, format, args);
	va_end(args);
	strbuf_addch(&replay.missing, '\n');
	return false;
}

static bool read_case(void *context, uint64_t address, void *to, size_t len)
{
	const struct case_state *s = context;
	uint64_t first = address & -(uint64_t)CASE_WORD;

	if (address + len < address)
		return false;
	for (uint64_t at = first; at < address + len; at += CASE_WORD) {
		const struct case_word *word = case_get(s, at);
		uint64_t value = word ? word->value : 0;
		uint64_t from = at < address ? address : at;
		uint64_t end = at + CASE_WORD < address + len ? at + CASE_WORD : address + len;

		if (word && word->outdated)
			return miss(
				"reads %#" PRIx64 ", which the case has not at this moment", at);
		if (word && !word->readable)
			return false;
		if (!word && !case_is_zero(s, at))
			return miss("reads %#" PRIx64 ", which the case has not", at);
		memcpy((char *)to + (from - address), (char *)&value + (from - at), end - from);
	}
	return true;
}

static struct memory_area *case_areas(void *context, uint64_t max, size_t *nr)
{
	const struct case_state *s = context;
	struct memory_area *areas = xcalloc(s->nr_areas + 1, sizeof(*areas));

	(void)max;
	memcpy(areas, s->areas, s->nr_areas * sizeof(*areas));
	*nr = s->nr_areas;
	return areas;
}

/* Returns the index of a case's ELF file, which is represented by the address of its struct
 * case_file. */
static int file_of(const struct elffile *elf)
{
	return (int)((const struct case_file *)(const void *)elf - replay.state.files);
}

static const struct case_fact *fact(int kind, const struct elffile *elf, const char *name)
{
	const struct case_fact *f = case_fact(&replay.state, kind, file_of(elf), name);

	if (f)
		return f;
	for (int i = -1; i < (int)replay.state.nr_files; i++)
		if (case_fact(&replay.state, kind, i, name))
			return NULL;
	miss("asks for %s, of which the case says nothing", name);
	return NULL;
}

bool __wrap_elffacts_variable(const struct elffile *elf, const char *name, struct elf_variable *v);
bool __wrap_elffacts_variable(const struct elffile *elf, const char *name, struct elf_variable *v)
{
	const struct case_fact *f = fact(CASE_VARIABLE, elf, name);

	if (f)
		*v = f->variable;
	return f;
}

enum elf_thread_place __wrap_elffacts_thread_place(
	const struct elffile *elf, const char *name, uint64_t *value);
enum elf_thread_place __wrap_elffacts_thread_place(
	const struct elffile *elf, const char *name, uint64_t *value)
{
	const struct case_fact *f = fact(CASE_THREAD, elf, name);

	if (!f)
		return THREAD_NOWHERE;
	*value = f->value;
	return f->place;
}

bool __wrap_elffacts_section(
	const struct elffile *elf, const char *name, uint64_t *address, uint64_t *size);
bool __wrap_elffacts_section(
	const struct elffile *elf, const char *name, uint64_t *address, uint64_t *size)
{
	const struct case_fact *f = fact(CASE_SECTION, elf, name);

	if (!f)
		return false;
	*address = f->variable.address;
	*size = f->variable.size;
	return true;
}

void __wrap_elffacts_ask(const struct elf_question *list, size_t nr);
void __wrap_elffacts_ask(const struct elf_question *list, size_t nr)
{
	(void)list;
	(void)nr;
}

const char *__wrap_elffile_build_id(const struct elffile *elf);
const char *__wrap_elffile_build_id(const struct elffile *elf)
{
	static char id[512]; /* differs for each case, whose facts must not be mixed */

	snprintf(id, sizeof(id), "%s %s", replay.name, replay.state.files[file_of(elf)].path);
	return id;
}

/* ---- CASE.want ---- */

static const char next_stack[] = "or"; /* separates the stacks of a moment that may have several */

static void add_line(char **text, const char *line)
{
	char *longer = xasprintf("%s%s\n", *text ? *text : "", line);

	free(*text);
	*text = longer;
}

static void wanted_line(struct wanted *w, const char *line)
{
	if ((*line == '\t' || !strcmp(line, next_stack)) && w->nr) {
		add_line(&w->stacks[w->nr - 1].frames, line);
	} else if (!strcmp(line, "same") && w->nr > 1 && w->stacks[w->nr - 2].frames) {
		w->stacks[w->nr - 1].frames = xstrdup(w->stacks[w->nr - 2].frames);
	} else if (!strncmp(line, "found ", 6)) {
		w->found = xstrdup(line + 6);
	} else if (!strncmp(line, "may ", 4)) {
		w->may = xcalloc(1, sizeof(*w->may));
		if (regcomp(w->may, line + 4, REG_EXTENDED | REG_NOSUB))
			result("want", "its expression is none", line);
	} else if (!strncmp(line, "inconsistent ", 13)) {
		w->most = (unsigned)atoi(line + 13);
	} else if (strncmp(line, "# ", 2)) {
		ALLOC_GROW(w->stacks, w->nr, w->alloc);
		w->stacks[w->nr++] = (struct stack){xstrdup(line), NULL};
	}
}

static void release_wanted(struct wanted *w)
{
	for (size_t i = 0; i < w->nr; i++) {
		free(w->stacks[i].name);
		free(w->stacks[i].frames);
	}
	if (w->may)
		regfree(w->may);
	free(w->may);
	free(w->stacks);
	free(w->found);
}

/* ---- CASE.mem ---- */

static struct memory case_memory(void)
{
	return (struct memory){.read = read_case, .context = &replay.state, .areas = case_areas};
}

/*
 * Looks for what LINE names. With " operators" behind it, walks also tell the operator, and with
 * " states" the interpreter's state.
 */
static void find(const char *line)
{
	size_t len = strcspn(line, " ");
	struct target_file *files = xcalloc(replay.state.nr_files + 1, sizeof(*files));
	struct target t = {.files = files,
		.nr_files = replay.state.nr_files,
		.memory = case_memory(),
		.debuginfo = DEBUGINFO_NEVER};
	struct strbuf text = STRBUF_INIT;
	int found = -1;

	for (size_t i = 0; i < t.nr_files; i++) {
		struct case_file *f = &replay.state.files[i];

		files[i] = (struct target_file){(void *)f, f->path, f->bias};
	}
	replay.vm = vm_named(line, len);
	if (replay.vm)
		found = replay.vm->find(&t, NULL, &replay.layout, &text);
	else if (!strcmp(line, "nginx"))
		found = request_find(&t, &text);
	replay.is_found = !found;
	replay.with_op = !strcmp(line + len, " operators");
	replay.with_state = !strcmp(line + len, " states");
	if (!found && replay.with_op && replay.vm->find_operators)
		replay.vm->find_operators(&t, &replay.layout);
	if (!found && replay.vm)
		replay.vm->describe(&replay.layout, 0, &text);
	strbuf_add(&text, "\n", 1);
	if (found)
		result("find", "not found", text.buf);
	else if (replay.wanted.found &&
		 strncmp(text.buf, replay.wanted.found, strlen(replay.wanted.found)))
		result("find", replay.wanted.found, text.buf);
	else if (replay.missing.len)
		result("find", "something is missing", replay.missing.buf);
	else
		result("find", NULL, "");
	strbuf_reset(&replay.missing);
	strbuf_release(&text);
	free(files);
}

/* Appends the names of the frames, outermost first, separated by semicolons. */
static void fold(const char *frames, struct strbuf *out)
{
	const char *end = frames + strlen(frames);

	while (end > frames) {
		const char *from = memrchr(frames, '\t', (size_t)(end - frames));

		if (out->len)
			strbuf_addch(out, ';');
		strbuf_add(out, from + 1, strcspn(from + 1, " \n"));
		end = from;
	}
}

/* Judges a walk at any moment, which must give one of the possible stacks, or none. */
static void judge_any(const char *name, const struct strbuf *got, enum vm_end end)
{
	struct strbuf folded = STRBUF_INIT;

	fold(got->buf, &folded);
	replay.nr_any++;
	replay.nr_inconsistent += end == VM_INCONSISTENT;
	if (end != VM_INCONSISTENT &&
		(end != VM_WHOLE || regexec(replay.wanted.may, folded.buf, 0, NULL, 0))) {
		result(name, "cannot be", got->buf);
		replay.nr_wrong++;
	}
	if (replay.missing.len) {
		result(name, "something is missing", replay.missing.buf);
		replay.nr_wrong++;
	}
	strbuf_release(&folded);
}

static const struct stack *wanted_stack(const char *name)
{
	const struct wanted *w = &replay.wanted;

	/* a name may occur several times, in the order of the walks */
	if (replay.nr_walks < w->nr && !strcmp(w->stacks[replay.nr_walks].name, name))
		return &w->stacks[replay.nr_walks++];
	return NULL;
}

/* Returns how many stacks FRAMES has, and sets *IS_THERE if GOT is one of them. */
static unsigned nr_stacks(const char *frames, const struct strbuf *got, bool *is_there)
{
	unsigned nr = 0;

	*is_there = false;
	while (frames) {
		const char *other = strstr(frames, "\nor\n");
		size_t len = other ? (size_t)(other + 1 - frames) : strlen(frames);

		*is_there |= len == got->len && !memcmp(frames, got->buf, len);
		frames = other ? other + strlen("\nor\n") : NULL;
		nr++;
	}
	return nr;
}

static void judge(const char *name, const struct strbuf *got)
{
	const struct stack *want = wanted_stack(name);
	bool is_there;
	unsigned nr = want ? nr_stacks(want->frames, got, &is_there) : 0;
	char *of_several = nr > 1 ? xasprintf("%s: one of %u stacks", name, nr) : NULL;

	name = of_several ? of_several : name;

	if (replay.missing.len)
		result(name, "something is missing", replay.missing.buf);
	else if (!want)
		result(name, "is not the next stack that is wanted; it is", got->buf);
	else
		result(name, is_there ? NULL : "is not what is wanted, but", got->buf);
	free(of_several);
}

/* Whether MIXED has the lines of STACK except for C functions, which are in the native stack. */
static bool is_without_code(const char *mixed, const char *stack)
{
	while (*stack) {
		size_t len = strcspn(stack, "\n") + 1;

		if (!strncmp(mixed, stack, len))
			mixed += len;
		else if (strncmp(stack, "\t[C]\n", len))
			return false;
		stack += len;
	}
	return !*mixed;
}

/*
 * Does the walk of a line "THREAD SP NAME"; the same frames must be in the stack of a mixed walk.
 */
static void walk(const char *line)
{
	struct strbuf got = STRBUF_INIT, mixed = STRBUF_INIT;
	struct memory memory = case_memory();
	struct case_walk w = {.vm = replay.vm,
		.layout = &replay.layout,
		.memory = &memory,
		.with_op = replay.with_op,
		.with_state = replay.with_state,
		.native = &replay.native};
	int at = 0;
	enum vm_end end;

	if (!replay.is_found ||
		sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &w.thread, &w.sp, &at) < 2)
		return result(line, "no walk", "");
	end = case_walk(&w, false, &got);
	case_walk(&w, true, &mixed);
	if (strcmp(got.buf, mixed.buf) && !is_without_code(mixed.buf, got.buf))
		result(line + at, "another stack if it is mixed", mixed.buf);
	if (replay.wanted.may)
		judge_any(line + at, &got, end);
	else
		judge(line + at, &got);
	mutated_walks(&replay.state, &w, mutations, &seed);
	strbuf_reset(&replay.missing);
	strbuf_release(&got);
	strbuf_release(&mixed);
}

/* Judges the labels of the request for the stack that was given. */
static void request(const char *name)
{
	struct strbuf got = STRBUF_INIT;
	struct memory memory = case_memory();

	if (!replay.is_found)
		return result(name, "nothing was found", "");
	request_labels(&memory, &replay.stack, &got);
	judge(name, &got);
	strbuf_reset(&replay.missing);
	strbuf_release(&got);
}

static void act(const char *line)
{
	if (!strncmp(line, "find ", 5))
		find(line + 5);
	else if (!strncmp(line, "walk ", 5))
		walk(line + 5);
	else if (!strncmp(line, "request ", 8))
		request(line + 8);
	else if (!strncmp(line, "stack ", 6) && request_read_stack(line + 6, &replay.stack))
		return;
	else if (!strncmp(line, "native ", 7) && case_read_native(line + 7, &replay.native))
		return;
	else if (strncmp(line, "# ", 2) && !case_line(&replay.state, line))
		result(line, "no line of a .mem", "");
}

static void finish(void)
{
	char *text;

	if (replay.nr_walks < replay.wanted.nr)
		result(replay.wanted.stacks[replay.nr_walks].name, "is wanted, but not there", "");
	if (!replay.nr_any)
		return;
	text = xasprintf("at any of %u moments, %u of them inconsistent", replay.nr_any,
		replay.nr_inconsistent);
	if (replay.nr_inconsistent > replay.wanted.most)
		result(text, "too many are inconsistent", "");
	else
		result(text, replay.nr_wrong ? "wrong ones" : NULL, "");
	free(text);
}

static void each_line(const char *path, void (*take)(const char *line))
{
	FILE *in = fopen(path, "r");
	char *line = NULL;
	size_t alloc = 0;
	ssize_t len;

	if (!in)
		result(path, "cannot be opened", "");
	while (in && (len = getline(&line, &alloc, in)) > 0) {
		line[len - (line[len - 1] == '\n')] = '\0';
		take(line);
	}
	free(line);
	if (in)
		fclose(in);
}

static void want(const char *line)
{
	wanted_line(&replay.wanted, line);
}

/* PATH is CASE.mem, in the folder of its interpreter. */
static void run(const char *path)
{
	size_t len = strlen(path) - strlen(".mem");
	char *wanted = xasprintf("%.*s.want", (int)len, path);
	const char *folder = memrchr(path, '/', len);

	while (folder && folder > path && folder[-1] != '/')
		folder--;
	folder = folder ? folder : path;
	replay = (struct replay){.missing = STRBUF_INIT};
	replay.name = xasprintf("%.*s", (int)(len - (size_t)(folder - path)), folder);
	case_init(&replay.state);
	each_line(wanted, want);
	each_line(path, act);
	finish();
	case_release(&replay.state);
	release_wanted(&replay.wanted);
	strbuf_release(&replay.missing);
	free(replay.name);
	free(wanted);
}

int main(int argc, char **argv)
{
	glob_t all = {0};

	if (argc > 2 && !strcmp(argv[1], "-m")) {
		mutations = (unsigned)atoi(argv[2]);
		argc -= 2;
		argv += 2;
	}
	if (argc == 1 && !glob("tests/replay/*/*.mem", 0, NULL, &all))
		for (size_t i = 0; i < all.gl_pathc; i++)
			run(all.gl_pathv[i]);
	globfree(&all);
	for (int i = 1; i < argc; i++)
		run(argv[i]);
	printf("1..%u\n", results);
	return failures || !results ? EXIT_FAILED : EXIT_OK;
}
