/* SPDX-License-Identifier: GPL-2.0-or-later */
/* take [-O | -S] [-n STEPS] [-i N] [-k TEXT] CASE PROGRAM ARG…, or take CASE -p PID: writes
 * CASE.mem and CASE.want from the memory that walks of a program read; see tests/replay/README. */
#include "case.h"
#include "native.h"
#include "request.h"
#include "words.h"
#include "label/nginx/nginx_find.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/areas.h"
#include "process/inspect.h"
#include "symbol/elf/elffacts.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	MESSAGE_MAX = 1 << 20,
	INSTANTS = 2,     /* of a moment with several stacks */
	BIG = 16384,      /* bytes; of larger reads only the part around -k's text is kept */
	KEPT_BEFORE = 16, /* bytes kept before and after that text */
	KEPT_AFTER = 48,
	STEPS_MAX = 1 << 20,
	THREADS_MAX = 64,
	PAGE = 4096,
	SEARCHED = 4,         /* pages of an area */
	MARK_BYTES = 40,      /* bytes at the beginning of an object that may have the mark */
	MARK_STEPS = 12,      /* then the marking function is surely the innermost */
	MARK_STEPS_MORE = 64, /* at most */
	MARK_WAIT = 1 << 18,  /* steps until the mark is set */
};

/* A thread of the program, and the message whose system call it is in. */
struct thread {
	pid_t tid;  /* or 0 if the slot is free */
	char *text; /* or NULL if there is none */
	bool due;   /* it is stopped at the end of its system call */
	int signal; /* is delivered by the next step */
};

static struct {
	const char *name;         /* of the case */
	unsigned steps, instants; /* after each message, or in all with -i */
	unsigned max_gap;         /* steps from one instant to the next, at most */
	bool operators;           /* -O: the operators that are executed are wanted, too */
	bool states;              /* -S: the interpreter's states are wanted, too */
	const char *kept;         /* -k: part of big reads to keep, or NULL for all */
	FILE *mem, *want;
	struct thread threads[THREADS_MAX];
	struct case_state state;
	pid_t process;               /* whose memory is being read */
	const struct target *target; /* whose files are being asked */
	int *numbers;                /* of its files in the case, or -1 without a number yet */
	const char *found;           /* name of the interpreter that was found */
	const struct vm *vm;
	struct vm_layout layout;
	uint64_t state_at; /* of LuaJIT, or 0 if it is not known */
	pid_t found_in;
	bool looking;  /* data that are read are not kept */
	uint64_t mark; /* address of the word that distinguishes stacks, or 0 */
	unsigned nr_moments;
} take = {.steps = 5000, .max_gap = 2000};

static void die(const char *what) __attribute__((noreturn));
static void die(const char *what)
{
	fprintf(stderr, "take: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILED);
}

/* ---- memory ---- */

static bool read_of(pid_t process, uint64_t address, void *to, size_t len)
{
	struct iovec local = {to, len}, remote = {(void *)(uintptr_t)address, len};

	return process_vm_readv(process, &local, 1, &remote, 1, 0) == (ssize_t)len;
}

static bool read_process(uint64_t address, void *to, size_t len)
{
	return read_of(take.process, address, to, len);
}

static void read_word(struct case_word *word)
{
	word->readable = read_process(word->address, &word->value, sizeof(word->value));
	if (!word->readable)
		word->value = 0;
}

/* Keeps the current word at ADDRESS. */
static void keep_word(uint64_t address)
{
	bool is_new;
	struct case_word *word = case_put(&take.state, address, &is_new);

	read_word(word);
	word->read = true;
}

static void keep(uint64_t address, size_t len)
{
	for (uint64_t at = address & -(uint64_t)CASE_WORD; at < address + len; at += CASE_WORD)
		keep_word(at);
}

/* Keeps parts of a big read, whose other words become 0. */
static void keep_parts(uint64_t address, const char *bytes, size_t len)
{
	const char *end = bytes + len, *found = bytes;
	uint64_t first = address & -(uint64_t)CASE_WORD, last = address + len + CASE_WORD - 1;

	if (case_is_zero(&take.state, first))
		return;
	ALLOC_GROW(take.state.zeros, take.state.nr_zeros, take.state.alloc_zeros);
	take.state.zeros[take.state.nr_zeros++] =
		(struct memory_area){first, last & -(uint64_t)CASE_WORD};
	fprintf(take.mem, "zero %" PRIx64 " %" PRIx64 "\n", first, last & -(uint64_t)CASE_WORD);
	while ((found = memmem(found, (size_t)(end - found), take.kept, strlen(take.kept)))) {
		uint64_t at = address + (uint64_t)(found - bytes);

		if (found - bytes >= KEPT_BEFORE && end - found >= KEPT_AFTER)
			keep(at - KEPT_BEFORE, KEPT_BEFORE + KEPT_AFTER);
		found++;
	}
}

static bool read_and_keep(void *context, uint64_t address, void *to, size_t len)
{
	bool done = read_process(address, to, len);

	(void)context;
	if (take.looking)
		return done;
	if (done && len >= BIG && take.kept)
		keep_parts(address, to, len);
	else if (address + len >= address)
		keep(address, len);
	return done;
}

/* Returns the part of AREA that is searched in the case: where the state was found, or its
 * beginning. */
static struct memory_area part_of(struct memory_area area, uint64_t state)
{
	bool has_state = state >= area.start && state < area.end;
	uint64_t page = has_state ? state & -(uint64_t)PAGE : area.start;
	uint64_t before = (uint64_t)SEARCHED / 2 * PAGE, len = (uint64_t)SEARCHED * PAGE;

	if (page - area.start > before)
		area.start = page - before;
	if (area.end - area.start > len)
		area.end = area.start + len;
	return area;
}

static struct memory_area *log_areas(void *context, uint64_t max, size_t *nr)
{
	struct memory_area *areas = areas_read((uint32_t)take.process, max, nr);

	(void)context;
	for (size_t i = 0; i < *nr && !take.looking; i++) {
		areas[i] = part_of(areas[i], take.state_at);
		fprintf(take.mem, "area %" PRIx64 " %" PRIx64 "\n", areas[i].start, areas[i].end);
	}
	return areas;
}

static struct memory kept_memory(void)
{
	return (struct memory){.read = read_and_keep, .areas = log_areas};
}

/* Begins a moment: the words that the case has told may have changed. */
static void look_again(void)
{
	for (size_t i = 0; i < take.state.nr_words; i++) {
		read_word(&take.state.words[i]);
		take.state.words[i].read = false;
	}
}

/* ---- files ---- */

static int number_of(const struct elffile *elf)
{
	const struct target *t = take.target;
	size_t i = 0;

	while (i < t->nr_files && t->files[i].elf != elf)
		i++;
	if (take.numbers[i] >= 0)
		return take.numbers[i];
	const char *name = file_name(t->files[i].path);

	for (size_t k = 0; k < take.state.nr_files; k++)
		if (!strcmp(take.state.files[k].path, name))
			return take.numbers[i] = (int)k;
	ALLOC_GROW(take.state.files, take.state.nr_files, take.state.alloc_files);
	take.state.files[take.state.nr_files] = (struct case_file){xstrdup(name), t->files[i].bias};
	fprintf(take.mem, "file %s %" PRIx64 "\n", name, t->files[i].bias);
	return take.numbers[i] = (int)take.state.nr_files++;
}

/* Whether this is a new fact. With FILE -1 it is that no file has NAME, which is written at the end
 * if it is still true. */
static bool is_new_fact(int kind, int file, const char *name)
{
	if (case_fact(&take.state, kind, file, name))
		return false;
	ALLOC_GROW(take.state.facts, take.state.nr_facts, take.state.alloc_facts);
	take.state.facts[take.state.nr_facts++] =
		(struct case_fact){.kind = kind, .file = file, .name = xstrdup(name)};
	return true;
}

static void log_fact(int kind, const char *of, const struct elffile *elf, const char *name,
	const struct elf_variable *v)
{
	int file = v ? number_of(elf) : -1;

	if (is_new_fact(kind, file, name) && v)
		fprintf(take.mem, "%s %d %s %" PRIx64 " %" PRIx64 "%s\n", of, file, name,
			v->address, v->size, v->per_thread ? " 1" : "");
}

/* Writes the names that no file has. */
static void log_unknown(void)
{
	static const char *const kinds[] = {"variable", "thread", "section"};

	for (size_t i = 0; i < take.state.nr_facts; i++) {
		const struct case_fact *f = &take.state.facts[i];
		bool known = f->file >= 0;

		for (int k = 0; k < (int)take.state.nr_files && !known; k++)
			known = case_fact(&take.state, f->kind, k, f->name);
		if (!known)
			fprintf(take.mem, "%s - %s\n", kinds[f->kind], f->name);
	}
}

bool __real_elffacts_variable(const struct elffile *elf, const char *name, struct elf_variable *v);
bool __wrap_elffacts_variable(const struct elffile *elf, const char *name, struct elf_variable *v);
bool __wrap_elffacts_variable(const struct elffile *elf, const char *name, struct elf_variable *v)
{
	bool found = __real_elffacts_variable(elf, name, v);

	if (take.target)
		log_fact(CASE_VARIABLE, "variable", elf, name, found ? v : NULL);
	return found;
}

enum elf_thread_place __real_elffacts_thread_place(
	const struct elffile *elf, const char *name, uint64_t *value);
enum elf_thread_place __wrap_elffacts_thread_place(
	const struct elffile *elf, const char *name, uint64_t *value);
enum elf_thread_place __wrap_elffacts_thread_place(
	const struct elffile *elf, const char *name, uint64_t *value)
{
	enum elf_thread_place place = __real_elffacts_thread_place(elf, name, value);
	struct elf_variable v = {*value, place, false};

	if (take.target)
		log_fact(CASE_THREAD, "thread", elf, name, place == THREAD_NOWHERE ? NULL : &v);
	return place;
}

bool __real_elffacts_section(
	const struct elffile *elf, const char *name, uint64_t *address, uint64_t *size);
bool __wrap_elffacts_section(
	const struct elffile *elf, const char *name, uint64_t *address, uint64_t *size);
bool __wrap_elffacts_section(
	const struct elffile *elf, const char *name, uint64_t *address, uint64_t *size)
{
	bool found = __real_elffacts_section(elf, name, address, size);
	struct elf_variable v = {*address, *size, false};

	if (take.target)
		log_fact(CASE_SECTION, "section", elf, name, found ? &v : NULL);
	return found;
}

const char *__real_elffile_build_id(const struct elffile *elf);
const char *__wrap_elffile_build_id(const struct elffile *elf);
/* While files are logged, what is remembered of a file with an ID would not be read again. */
const char *__wrap_elffile_build_id(const struct elffile *elf)
{
	return take.target ? "" : __real_elffile_build_id(elf);
}

/* ---- a moment ---- */

/* Logs all further queries of T's files. */
static void log_files(const struct target *t)
{
	take.numbers = xcalloc(t->nr_files + 1, sizeof(*take.numbers));
	memset(take.numbers, -1, t->nr_files * sizeof(*take.numbers));
	take.target = t;
}

/* Finds the interpreter of whichever language. */
static bool find_vm(const struct target *t, struct strbuf *err)
{
	for (size_t i = 0; i < NR_VMS; i++) {
		take.looking = true;
		int found = vms[i]->find(t, NULL, &take.layout, err);
		take.looking = false;
		if (found)
			continue;
		/* once more, logged, because it is known to be there */
		if (vms[i]->kind == VM_LUA)
			take.state_at = take.layout.lua.jit.state;
		log_files(t);
		take.vm = vms[i];
		take.found = vms[i]->language->name;
		if (vms[i]->find(t, NULL, &take.layout, err))
			return false;
		if (take.operators && vms[i]->find_operators)
			vms[i]->find_operators(t, &take.layout);
		return true;
	}
	return false;
}

static bool find_nginx(const struct target *t, struct strbuf *err)
{
	log_files(t);
	take.found = "nginx";
	return !request_find(t, err);
}

/* Runs FIND_IT on the process. */
static void find(bool (*find_it)(const struct target *t, struct strbuf *err))
{
	struct strbuf err = STRBUF_INIT;
	struct processes ps;
	struct target t;

	processes_init(&ps);
	inspect_init(&t, &ps, processes_get(&ps, (uint32_t)take.process), NULL);
	t.debuginfo = DEBUGINFO_NEVER;
	t.memory = kept_memory();
	t.process = 0;
	if (!find_it(&t, &err)) {
		fprintf(stderr, "take: nothing is found: %s\n", err.buf);
		exit(EXIT_FAILED);
	}
	log_unknown();
	take.target = NULL;
	words_write(&take.state, take.mem);
	fprintf(take.mem, "find %s%s\n", take.found,
		take.operators ? " operators"
		: take.states  ? " states"
			       : "");
	inspect_release(&t);
	processes_release(&ps);
	strbuf_release(&err);
}

static pid_t process_of(pid_t tid)
{
	char *path = xasprintf("/proc/%d/status", (int)tid), line[256];
	FILE *in = fopen(path, "r");
	int process = tid;

	while (in && fgets(line, sizeof(line), in) && sscanf(line, "Tgid: %d", &process) != 1)
		;
	if (in)
		fclose(in);
	free(path);
	return process;
}

static struct user_regs_struct registers(pid_t tid)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs))
		die("cannot read registers");
	return regs;
}

/* Begins a moment; all further reads belong to it. */
static void begin_moment(pid_t tid, bool (*find_it)(const struct target *t, struct strbuf *err))
{
	take.process = process_of(tid);
	look_again();
	if (take.found_in == take.process)
		return;
	find(find_it);
	take.found_in = take.process;
	look_again();
}

/* Writes the memory that a walk of the stopped thread TID reads at this moment. */
static void log_walk(pid_t tid, const char *name)
{
	struct user_regs_struct regs = registers(tid);
	struct strbuf stack = STRBUF_INIT;
	struct vm_native native;
	struct memory memory = kept_memory();
	struct case_walk w = {.layout = &take.layout, .memory = &memory, .with_op = take.operators};

	begin_moment(tid, find_vm);
	w.vm = take.vm;
	w.thread = regs.fs_base;
	w.sp = regs.rsp;
	if (w.vm->by_native || w.vm->kind == VM_PHP) {
		native = native_stack(take.process, &regs);
		w.native = &native;
	}
	case_walk(&w, false, &stack);
	case_walk(&w, true, &stack);
	words_write(&take.state, take.mem);
	if (w.vm->by_native || w.vm->kind == VM_PHP)
		case_write_native(&native, take.mem);
	fprintf(take.mem, "walk %" PRIx64 " %" PRIx64 " %s\n", w.thread, w.sp, name);
	take.nr_moments++;
	strbuf_release(&stack);
}

/* Writes the memory that is read for the request that the stopped thread TID processes. */
static void log_request(pid_t tid, const char *name)
{
	struct user_regs_struct regs = registers(tid);
	struct memory memory = kept_memory();
	struct strbuf labels = STRBUF_INIT;
	struct request_stack stack;

	begin_moment(tid, find_nginx);
	native_frames(take.process, &regs, &stack);
	request_labels(&memory, &stack, &labels);
	request_look_around(&memory, &stack);
	words_write(&take.state, take.mem);
	request_write_stack(&stack, take.mem);
	fprintf(take.mem, "request %s\n", name);
	take.nr_moments++;
	strbuf_release(&labels);
}

/* ---- single steps ---- */

static struct thread *thread_of(pid_t tid);
static void event(pid_t tid, int status);

/* Steps TID. Other threads go on meanwhile: they may hold a lock for which this thread waits. */
static bool step(pid_t tid)
{
	struct thread *t = thread_of(tid);
	pid_t other;
	int status;

	if (ptrace(PTRACE_SINGLESTEP, tid, NULL, (void *)(uintptr_t)t->signal))
		return false;
	while ((other = waitpid(-1, &status, __WALL)) != tid)
		event(other, status);
	t->signal = WIFSTOPPED(status) && WSTOPSIG(status) != SIGTRAP ? WSTOPSIG(status) : 0;
	return WIFSTOPPED(status);
}

static void steps(pid_t tid, unsigned nr)
{
	while (nr--)
		if (!step(tid))
			die("cannot step");
}

/* Finds the mapping of the file NAME, without folders. */
static bool mapped(pid_t tid, const char *name, uint64_t *start, uint64_t *end)
{
	char *path = xasprintf("/proc/%d/maps", (int)tid), *line = NULL;
	FILE *in = fopen(path, "r");
	size_t alloc = 0;

	*start = *end = 0;
	while (in && getline(&line, &alloc, in) > 0) {
		uint64_t from, to;
		char x;

		line[strcspn(line, "\n")] = '\0';
		if (!strcmp(file_name(line), name) &&
			sscanf(line, "%" SCNx64 "-%" SCNx64 " %*c%*c%c", &from, &to, &x) == 3 &&
			x == 'x') {
			*start = from;
			*end = to;
		}
	}
	free(line);
	free(path);
	if (in)
		fclose(in);
	return *end;
}

/* Steps until the thread has been at code of the file NAME for some instructions. */
static void steps_into(pid_t tid, const char *name)
{
	enum { INSIDE = 10 };
	uint64_t start, end;
	unsigned inside = 0;

	if (!mapped(tid, name, &start, &end))
		die(name);
	for (unsigned i = 0; i < STEPS_MAX && inside < INSIDE; i++) {
		steps(tid, 1);
		uint64_t pc = registers(tid).rip;

		inside = pc >= start && pc < end ? inside + 1 : 0;
	}
	if (inside < INSIDE)
		die(name);
}

/* Returns the address of the variable that nginx exports as NAME. */
static uint64_t address_of(pid_t tid, const char *name)
{
	struct processes ps;
	struct target t;
	const struct target_file *file;
	uint64_t address;

	processes_init(&ps);
	inspect_init(&t, &ps, processes_get(&ps, (uint32_t)process_of(tid)), NULL);
	file = nginx_file(&t);
	address = file ? target_symbol(file, name) : 0;
	inspect_release(&t);
	processes_release(&ps);
	return address;
}

/* Steps until nginx's function NAME has been called and has returned. */
static void steps_over(pid_t tid, const char *name)
{
	uint64_t function = address_of(tid, name), caller = 0, sp = 0;

	take.process = tid;
	for (unsigned i = 0; i < STEPS_MAX && function; i++) {
		steps(tid, 1);
		struct user_regs_struct regs = registers(tid);

		if (!caller && regs.rip == function &&
			read_process(regs.rsp, &caller, sizeof(caller)))
			sp = regs.rsp;
		if (caller && regs.rip == caller && regs.rsp > sp)
			return;
	}
	die(name);
}

/* ---- messages ---- */

/* Returns the number of steps to take. The deeper the stack, the longer it takes to leave the
 * function that has sent the message. */
static unsigned steps_after(const char *frames)
{
	unsigned nr = 0;

	for (; (frames = strchr(frames, '\t')); frames++)
		nr++;
	return take.steps * (1 + nr / 8);
}

/* Handles a moment for which TEXT gives the expected result; LOG_IT writes the memory. */
static void moment(pid_t tid, char *text, void (*log_it)(pid_t tid, const char *name))
{
	char *name = strsep(&text, "\t"), *where = strsep(&text, "\t"), *line;
	size_t len = where ? strlen(where) : 0;

	if (!text)
		die("a moment of which nothing is told");
	if (len > 2 && !strcmp(where + len - 2, "()")) {
		where[len - 2] = '\0';
		steps_over(tid, where);
	} else {
		steps(tid, steps_after(text));
		if (strcmp(where, "-"))
			steps_into(tid, where);
	}
	log_it(tid, name);
	fprintf(take.want, "%s\n", name);
	while ((line = strsep(&text, "\t")))
		fprintf(take.want, "\t%s\n", line);
}

/* ---- moments with several stacks ---- */

/*
 * Returns the place of NUMBER near the beginning of the object at ADDRESS, or 0 if it is not there.
 * The elements of an array of Lua 5.5 are before the place to which its pointer leads.
 */
static uint64_t find_number(uint64_t address, double number)
{
	double at;

	address -= sizeof(at);
	for (uint64_t i = 0; i < MARK_BYTES; i += sizeof(at))
		if (read_process(address + i, &at, sizeof(at)) && at == number)
			return address + i;
	return 0;
}

/* Finds the mark from "ADDRESS<TAB>NUMBER": it holds this number, in memory to which the object at
 * ADDRESS points. */
static void find_mark(pid_t tid, const char *text)
{
	char *end;
	uint64_t address = strtoull(text, &end, 16);
	double number = strtod(end, NULL);

	take.process = tid;
	take.mark = 0;
	/* pointers of 4 and of 8 bytes */
	for (uint64_t i = 0; i < 4 * MARK_BYTES && !take.mark; i++) {
		uint64_t pointer = 0;

		if (read_process(address + i / 2 * 4, &pointer, i & 1 ? 8 : 4))
			take.mark = find_number(pointer, number);
	}
	if (!take.mark)
		die("the mark is not found");
}

static bool has_mark(double number)
{
	double now;

	return take.mark && read_process(take.mark, &now, sizeof(now)) && now == number;
}

/* Steps until the mark has been NUMBER for some instructions. Returns false if it is not set. */
static bool steps_to_mark(pid_t tid, double number)
{
	unsigned more = (unsigned)random() % MARK_STEPS_MORE, since = 0;

	for (unsigned i = 0; i < MARK_WAIT && since < MARK_STEPS + more; i++) {
		steps(tid, 1);
		if (has_mark(number)) {
			since++;
		} else {
			more = since ? more / 2 : more;
			since = 0;
		}
	}
	return since == MARK_STEPS + more;
}

/* Writes the stacks of TEXT, each "<TAB>MARK<TAB>FRAME…", whose mark is ONLY, or all if ONLY is
 * NULL. */
static void write_stacks(const char *name, const char *text, const char *only)
{
	const char *before = name;

	while (*text) {
		const char *mark = text + 1, *frames = mark + strcspn(mark, "\t");
		const char *end = strstr(frames, "\t\t");
		size_t len = (size_t)(frames - mark);

		end = end ? end : frames + strlen(frames);
		text = *end ? end + 1 : end;
		if (only && (strlen(only) != len || strncmp(only, mark, len)))
			continue;
		fprintf(take.want, "%s\n", before);
		before = "or";
		for (; frames < end; frames += 1 + strcspn(frames + 1, "\t"))
			fprintf(take.want, "\t%.*s\n", (int)strcspn(frames + 1, "\t"), frames + 1);
	}
}

/* Takes a moment at which the mark has the next value of MARKS after *AT, unless that was taken
 * before. Returns false after the last one. */
static bool marked(pid_t tid, const char *name, const char *text, const char **at)
{
	const char *from = *at + 1, *end = from + strcspn(from, "\t");
	char *mark = strndup(from, (size_t)(end - from));
	char *told = xasprintf("\t\t%s\t", mark);
	const char *next = strstr(end, "\t\t");

	/* the last stack with that mark */
	if (strcmp(mark, "-") && !strstr(end, told) && steps_to_mark(tid, strtod(mark, NULL))) {
		log_walk(tid, name);
		write_stacks(name, text, mark);
	}
	*at = next ? next + 1 : NULL;
	free(told);
	free(mark);
	return next;
}

/* Takes any two moments, at which the stack is one of several, and then one moment for each of
 * their marks. */
static void several(pid_t tid, char *text)
{
	char *name = strsep(&text, "\t");
	const char *at = text;

	if (!text)
		die("several, but no stack");
	steps(tid, take.steps + (unsigned)random() % take.max_gap + 1);
	log_walk(tid, name);
	write_stacks(name, text, NULL);
	steps(tid, (unsigned)random() % take.max_gap + 1);
	log_walk(tid, name);
	fprintf(take.want, "%s\nsame\n", name);
	while (marked(tid, name, text, &at))
		;
}

/* ---- any moments ---- */

static void any_moments(pid_t tid, const char *may)
{
	srandom(1);
	fprintf(take.want, "may %s\ninconsistent 0\n", may);
	for (unsigned i = 0; i < take.instants; i++) {
		char *name = xasprintf("%u", i + 1);

		steps(tid, (unsigned)random() % take.max_gap + 1);
		log_walk(tid, name);
		free(name);
	}
}

/* Executes the message TEXT of the thread TID. */
static void obey(pid_t tid, char *text)
{
	text[strcspn(text, "\n")] = '\0';
	if (!strncmp(text, "moment ", 7) && !take.instants)
		moment(tid, text + 7, log_walk);
	else if (!strncmp(text, "request ", 8) && !take.instants)
		moment(tid, text + 8, log_request);
	else if (!strncmp(text, "several ", 8) && !take.instants)
		several(tid, text + 8);
	else if (!strncmp(text, "mark ", 5))
		find_mark(tid, text + 5);
	else if (!strncmp(text, "found ", 6))
		fprintf(take.want, "%s\n", text);
	else if (!strncmp(text, "may ", 4) && take.instants)
		any_moments(tid, text + 4);
}

/* Returns the thread, or NULL if it is not known; a TID of 0 finds a free slot. */
static struct thread *thread_of(pid_t tid)
{
	for (size_t i = 0; i < THREADS_MAX; i++)
		if (take.threads[i].tid == tid)
			return &take.threads[i];
	return NULL;
}

static void add_thread(pid_t tid)
{
	struct thread *free = thread_of(0);

	if (thread_of(tid))
		return;
	if (!free)
		die("too many threads");
	free->tid = tid;
}

static bool has_threads(void)
{
	for (size_t i = 0; i < THREADS_MAX; i++)
		if (take.threads[i].tid)
			return true;
	return false;
}

static const char beginning[] = "replay: ";

/* Handles the beginning or the end of a system call. */
static void system_call(struct thread *t)
{
	struct user_regs_struct regs;
	char head[sizeof(beginning)] = "";

	t->due = t->text;
	if (t->due || ptrace(PTRACE_GETREGS, t->tid, NULL, &regs))
		return;
	if (regs.orig_rax != SYS_write || (int64_t)regs.rax != -ENOSYS || regs.rdx >= MESSAGE_MAX ||
		!read_of(t->tid, regs.rsi, head, strlen(beginning)) || strcmp(head, beginning))
		return;
	t->text = xcalloc(1, regs.rdx + 1);
	if (!read_of(t->tid, regs.rsi, t->text, regs.rdx))
		die("cannot read a message");
}

/* Handles an event: the thread TID is stopped, or has ended. */
static void event(pid_t tid, int status)
{
	struct thread *t = thread_of(tid);
	int signal = WSTOPSIG(status);
	unsigned long other;

	if (!WIFSTOPPED(status)) {
		if (t)
			*t = (struct thread){0};
		return;
	}
	add_thread(tid); /* its first event may come before the event of its creator */
	t = thread_of(tid);
	if (status >> 16 && !ptrace(PTRACE_GETEVENTMSG, tid, NULL, &other) &&
		status >> 16 != PTRACE_EVENT_EXEC)
		add_thread((pid_t)other);
	if (signal == (SIGTRAP | 0x80))
		system_call(t);
	if (signal == (SIGTRAP | 0x80) || signal == SIGTRAP || signal == SIGSTOP)
		signal = 0;
	if (!t->due)
		ptrace(PTRACE_SYSCALL, tid, NULL, (void *)(uintptr_t)signal);
}

/* Returns a thread whose message is due, or NULL if there is none. */
static struct thread *due_thread(void)
{
	for (size_t i = 0; i < THREADS_MAX; i++)
		if (take.threads[i].tid && take.threads[i].due)
			return &take.threads[i];
	return NULL;
}

/* Runs until the program has ended, or until nothing else is to be taken. */
static void follow(void)
{
	struct thread *t;
	int status;
	pid_t tid;

	while (has_threads() && !(take.instants && take.nr_moments)) {
		t = due_thread();
		if (t) {
			obey(t->tid, t->text + strlen(beginning));
			free(t->text);
			t->text = NULL;
			t->due = false;
			ptrace(PTRACE_SYSCALL, t->tid, NULL, (void *)(uintptr_t)t->signal);
			t->signal = 0;
		} else {
			tid = waitpid(-1, &status, __WALL);
			if (tid < 0)
				die("cannot wait");
			event(tid, status);
		}
	}
}

/* Stays on one processor, because single steps are much faster if tracer and program share one. */
static void stay_on_one_processor(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
}

/* Starts the program, at the same addresses each time. */
static void start(char **argv)
{
	const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
			     PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
	pid_t pid;

	stay_on_one_processor();
	pid = fork();

	if (!pid) {
		setenv("PERL_HASH_SEED", "0", 1);
		personality(ADDR_NO_RANDOMIZE);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		execvp(*argv, argv);
		die(*argv);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid ||
		ptrace(PTRACE_SETOPTIONS, pid, NULL, options) ||
		ptrace(PTRACE_SYSCALL, pid, NULL, NULL))
		die("cannot trace");
	add_thread(pid);
}

/* Takes the current stack of a process; the user must write the expected stack. */
static void take_process(pid_t pid)
{
	int status;

	if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) || waitpid(pid, &status, __WALL) != pid)
		die("cannot stop the process");
	log_walk(pid, "reported");
	fprintf(take.want, "reported\n\twrite here what it must be\n");
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

static FILE *create(const char *suffix)
{
	char *path = xasprintf("%s.%s", take.name, suffix);
	FILE *file = fopen(path, "w");

	if (!file)
		die(path);
	setlinebuf(file);
	free(path);
	return file;
}

int main(int argc, char **argv)
{
	int option;
	pid_t pid = 0;

	while ((option = getopt(argc, argv, "+n:i:g:k:p:OS")) != -1) {
		if (option == 'n')
			take.steps = (unsigned)atoi(optarg);
		else if (option == 'i')
			take.instants = (unsigned)atoi(optarg);
		else if (option == 'g')
			take.max_gap = (unsigned)atoi(optarg);
		else if (option == 'k')
			take.kept = optarg;
		else if (option == 'p')
			pid = atoi(optarg);
		else if (option == 'O')
			take.operators = true;
		else if (option == 'S')
			take.states = true;
		else
			return EXIT_USAGE_ERROR;
	}
	if (argc - optind < (pid ? 1 : 2)) {
		fprintf(stderr, "usage: take [-O | -S] [-n STEPS] [-i INSTANTS] [-g GAP] [-k TEXT] "
				"CASE PROGRAM "
				"ARG..., or take -p PID CASE\n");
		return EXIT_USAGE_ERROR;
	}
	take.name = argv[optind];
	take.mem = create("mem");
	take.want = create("want");
	case_init(&take.state);
	if (pid) {
		take_process(pid);
	} else {
		start(argv + optind + 1);
		follow();
	}
	fprintf(stderr, "take: %u moments\n", take.nr_moments);
	case_release(&take.state);
	return fclose(take.mem) || fclose(take.want) || !take.nr_moments ? EXIT_FAILED : EXIT_OK;
}
