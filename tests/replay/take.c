/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * take [-n STEPS] [-i N] [-k TEXT] CASE PROGRAM ARG…, take CASE -p PID: makes CASE.mem and
 * CASE.want of what walks read of a program; see tests/replay/README.
 */
#include "case.h"
#include "native.h"
#include "words.h"
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
	BIG = 16384,      /* bytes of a read of which only what -k names is kept */
	KEPT_BEFORE = 16, /* bytes before and after that */
	KEPT_AFTER = 48,
	STEPS_MAX = 1 << 20,
	THREADS_MAX = 64,
	PAGE = 4096,
};

/* A thread of the program, and the message whose system call it is in. */
struct thread {
	pid_t tid;  /* 0: none */
	char *text; /* NULL: none */
	bool due;   /* it is stopped where its system call has ended */
	int signal; /* to be delivered by the next step */
};

static struct {
	const char *name;         /* of the case */
	unsigned steps, instants; /* after each message; in all, if they are taken at any moment */
	unsigned max_gap;         /* steps from one instant to the next, at most */
	const char *kept;         /* of big reads; NULL: all */
	FILE *mem, *want;
	struct thread threads[THREADS_MAX];
	struct case_state state;
	pid_t process;               /* whose memory is read now */
	const struct target *target; /* whose files are asked now */
	int *numbers;                /* of its files in the case; -1: none yet */
	const struct vm *vm;
	struct vm_layout layout;
	pid_t found_in;
	bool reads_later; /* none of the memory is logged */
	unsigned nr_walks;
} take = {.steps = 5000, .max_gap = 2000};

static void die(const char *what) __attribute__((noreturn));
static void die(const char *what)
{
	fprintf(stderr, "take: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILED);
}

/* ---- memory ---- */

static bool read_process(uint64_t address, void *to, size_t len)
{
	struct iovec local = {to, len}, remote = {(void *)(uintptr_t)address, len};

	return process_vm_readv(take.process, &local, 1, &remote, 1, 0) == (ssize_t)len;
}

static void read_word(struct case_word *word)
{
	word->readable = read_process(word->address, &word->value, sizeof(word->value));
	if (!word->readable)
		word->value = 0;
}

/* Keeps the word at ADDRESS as it is now. */
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

/* Of a big read, which is 0 otherwise. */
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
	if (done && len >= BIG && take.kept)
		keep_parts(address, to, len);
	else if (address + len >= address)
		keep(address, len);
	return done;
}

static struct memory_area *log_areas(void *context, uint64_t max, size_t *nr)
{
	struct memory_area *areas = areas_read((uint32_t)take.process, max, nr);

	(void)context;
	for (size_t i = 0; i < *nr; i++)
		fprintf(take.mem, "area %" PRIx64 " %" PRIx64 "\n", areas[i].start, areas[i].end);
	return areas;
}

static struct memory kept_memory(void)
{
	return (struct memory){.read = read_and_keep, .areas = log_areas};
}

/* A moment begins: what the case has told may not be so any more. */
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

/* FILE -1: says nothing of NAME; to be said at the end, if none does. */
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

/* What no file says anything of. */
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

/* ---- a moment ---- */

/* Finds the interpreter, of whatever language, in the process. */
static void find(void)
{
	struct strbuf err = STRBUF_INIT;
	struct processes ps;
	struct target t;
	int found = 1;

	processes_init(&ps);
	inspect_init(&t, &ps, processes_get(&ps, (uint32_t)take.process), NULL);
	t.debuginfo = DEBUGINFO_NEVER;
	t.memory = kept_memory();
	t.process = 0;
	for (size_t i = 0; i < NR_VMS && found; i++) {
		take.target = take.vm ? &t : NULL;
		found = vms[i]->find(&t, NULL, &take.layout, &err);
		if (found || take.vm == vms[i])
			continue;
		/* once more, now that it is known to be there, and logged */
		take.numbers = xcalloc(t.nr_files + 1, sizeof(*take.numbers));
		memset(take.numbers, -1, t.nr_files * sizeof(*take.numbers));
		take.vm = vms[i];
		take.target = &t;
		vms[i]->find(&t, NULL, &take.layout, &err);
		log_unknown();
	}
	take.target = NULL;
	inspect_release(&t);
	processes_release(&ps);
	if (found) {
		fprintf(stderr, "take: no interpreter: %s\n", err.buf);
		exit(EXIT_FAILED);
	}
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

/* Writes what a walk of the stopped thread TID reads now; appends the stack that it gives. */
static void log_walk(pid_t tid, const char *name, struct strbuf *stack)
{
	struct user_regs_struct regs;
	struct strbuf mixed = STRBUF_INIT;
	struct vm_native native;
	struct memory memory = kept_memory();
	struct case_walk w = {.layout = &take.layout, .memory = &memory};

	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs))
		die("cannot read registers");
	take.process = process_of(tid);
	look_again();
	if (take.found_in != take.process) {
		find();
		words_write(&take.state, take.mem);
		fprintf(take.mem, "find %s\n", take.vm->name);
		take.found_in = take.process;
		look_again();
	}
	w.vm = take.vm;
	w.thread = regs.fs_base;
	w.sp = regs.rsp;
	if (w.vm->by_native) {
		native = native_stack(take.process, &regs);
		w.native = &native;
	}
	case_walk(&w, false, stack);
	case_walk(&w, true, &mixed);
	words_write(&take.state, take.mem);
	if (w.vm->by_native)
		case_write_native(&native, take.mem);
	fprintf(take.mem, "walk %" PRIx64 " %" PRIx64 " %s\n", w.thread, w.sp, name);
	take.nr_walks++;
	strbuf_release(&mixed);
}

/* ---- single steps ---- */

static struct thread *thread_of(pid_t tid);
static void event(pid_t tid, int status);

/* Others go on meanwhile: they may hold what the thread waits for. */
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

/* Where the process has mapped the file NAME, without folders. */
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
	struct user_regs_struct regs;
	uint64_t start, end;
	unsigned inside = 0;

	if (!mapped(tid, name, &start, &end))
		die(name);
	for (unsigned i = 0; i < STEPS_MAX && inside < INSIDE; i++) {
		steps(tid, 1);
		if (ptrace(PTRACE_GETREGS, tid, NULL, &regs))
			die("cannot read registers");
		inside = regs.rip >= start && regs.rip < end ? inside + 1 : 0;
	}
	if (inside < INSIDE)
		die(name);
}

/* ---- messages ---- */

/* The deeper the stack, the longer it takes to leave the function that has told it. */
static unsigned steps_after(const char *frames)
{
	unsigned nr = 0;

	for (; (frames = strchr(frames, '\t')); frames++)
		nr++;
	return take.steps * (1 + nr / 8);
}

static void moment(pid_t tid, char *text)
{
	char *name = strsep(&text, "\t"), *in = strsep(&text, "\t"), *frame;
	struct strbuf stack = STRBUF_INIT;

	if (!text)
		die("a moment without a stack");
	steps(tid, steps_after(text));
	if (strcmp(in, "-"))
		steps_into(tid, in);
	log_walk(tid, name, &stack);
	fprintf(take.want, "%s\n", name);
	while ((frame = strsep(&text, "\t")))
		fprintf(take.want, "\t%s\n", frame);
	strbuf_release(&stack);
}

/* The one of the stacks in TEXT, each behind two tabs, that is GOT; else the first one. */
static void choose(const char *text, const struct strbuf *got, struct strbuf *out)
{
	struct strbuf first = STRBUF_INIT;

	for (const char *end; *text; text = *end ? end + 1 : end) {
		strbuf_reset(out);
		end = strstr(text, "\t\t");
		end = end ? end : text + strlen(text);
		for (; text < end; text++) {
			if (*text == '\t' && out->len)
				strbuf_addch(out, '\n');
			strbuf_addch(out, *text);
		}
		strbuf_addch(out, '\n');
		if (!strcmp(out->buf, got->buf))
			break;
		if (!first.len)
			strbuf_add(&first, out->buf, out->len);
	}
	if (strcmp(out->buf, got->buf)) {
		strbuf_reset(out);
		strbuf_add(out, first.buf, first.len);
	}
	strbuf_release(&first);
}

/* Some instants at each of which the stack is one of several. */
static void several(pid_t tid, char *text)
{
	char *name = strsep(&text, "\t");
	struct strbuf got = STRBUF_INIT, want = STRBUF_INIT;

	steps(tid, take.steps);
	for (unsigned i = 0; text && i < INSTANTS; i++) {
		strbuf_reset(&got);
		steps(tid, (unsigned)random() % take.max_gap + 1);
		log_walk(tid, name, &got);
		choose(text, &got, &want);
		fprintf(take.want, "%s\n%s", name, want.buf);
	}
	strbuf_release(&got);
	strbuf_release(&want);
}

static void any_moments(pid_t tid, const char *may)
{
	struct strbuf stack = STRBUF_INIT;

	srandom(1);
	fprintf(take.want, "may %s\ninconsistent 0\n", may);
	for (unsigned i = 0; i < take.instants; i++) {
		char *name = xasprintf("%u", i + 1);

		steps(tid, (unsigned)random() % take.max_gap + 1);
		log_walk(tid, name, &stack);
		free(name);
	}
	strbuf_release(&stack);
}

/* The thread TID has written TEXT. */
static void obey(pid_t tid, char *text)
{
	text[strcspn(text, "\n")] = '\0';
	if (!strncmp(text, "moment ", 7) && !take.instants)
		moment(tid, text + 7);
	else if (!strncmp(text, "several ", 8) && !take.instants)
		several(tid, text + 8);
	else if (!strncmp(text, "found ", 6))
		fprintf(take.want, "%s\n", text);
	else if (!strncmp(text, "may ", 4) && take.instants)
		any_moments(tid, text + 4);
}

/* NULL: not known; of 0 a free place. */
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

/* At the beginning or the end of a system call. */
static void system_call(struct thread *t)
{
	struct user_regs_struct regs;
	char head[sizeof(beginning)] = "";

	t->due = t->text;
	if (t->due || ptrace(PTRACE_GETREGS, t->tid, NULL, &regs))
		return;
	take.process = t->tid;
	if (regs.orig_rax != SYS_write || (int64_t)regs.rax != -ENOSYS || regs.rdx >= MESSAGE_MAX ||
		!read_process(regs.rsi, head, strlen(beginning)) || strcmp(head, beginning))
		return;
	t->text = xcalloc(1, regs.rdx + 1);
	if (!read_process(regs.rsi, t->text, regs.rdx))
		die("cannot read a message");
}

/* The thread TID is stopped, or has ended. */
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
	add_thread(tid); /* its first event may come before that of who created it */
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

/* A thread whose message is due; NULL: none. */
static struct thread *due_thread(void)
{
	for (size_t i = 0; i < THREADS_MAX; i++)
		if (take.threads[i].tid && take.threads[i].due)
			return &take.threads[i];
	return NULL;
}

/* Until the program has ended, or nothing else is wanted of it. */
static void follow(void)
{
	struct thread *t;
	int status;
	pid_t tid;

	while (has_threads() && !(take.instants && take.nr_walks)) {
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

/* Single steps take much less time where both are on one processor. */
static void stay_on_one_processor(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
}

/* Starts the program, whose addresses are the same each time. */
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

/* The stack of a process as it is; what it must be is left to be written. */
static void take_process(pid_t pid)
{
	struct strbuf stack = STRBUF_INIT;
	int status;

	if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) || waitpid(pid, &status, __WALL) != pid)
		die("cannot stop the process");
	log_walk(pid, "reported", &stack);
	fprintf(take.want, "reported\n\twrite here what it must be\n");
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	strbuf_release(&stack);
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

	while ((option = getopt(argc, argv, "+n:i:g:k:p:")) != -1) {
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
		else
			return EXIT_USAGE_ERROR;
	}
	if (argc - optind < (pid ? 1 : 2)) {
		fprintf(stderr,
			"usage: take [-n STEPS] [-i INSTANTS] [-g GAP] [-k TEXT] CASE PROGRAM "
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
	fprintf(stderr, "take: %u stacks\n", take.nr_walks);
	case_release(&take.state);
	return fclose(take.mem) || fclose(take.want) || !take.nr_walks ? EXIT_FAILED : EXIT_OK;
}
