/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This program plays the interpreter itself: it has perl's symbols, and handmade stacks. */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/elf/elfdata.h"
#include "process/inspect.h"
#include "runtime/perl/perl_walk.h"
#include "runtime/pointer_path_follow.h"
#include "runtime/threadkey.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

void Perl_runops_standard(void);
void Perl_runops_standard(void)
{
}

extern unsigned char PL_revision, PL_version, PL_subversion;
extern void *PL_curcop, *PL_curstackinfo, *PL_op, *PL_stack_sp;
extern __thread uint64_t layout_per_thread;

unsigned char PL_revision = 5, PL_version = 36, PL_subversion = 3;
void *PL_curcop, *PL_curstackinfo, *PL_op, *PL_stack_sp;
__thread uint64_t layout_per_thread = 4711;

static struct processes ps;
static struct target target;

static int open_target(void **state)
{
	(void)state;
	processes_init(&ps);
	inspect_init(&target, &ps, processes_get(&ps, (uint32_t)getpid()), NULL);
	target.debuginfo = DEBUGINFO_NEVER;
	return 0;
}

static int close_target(void **state)
{
	(void)state;
	inspect_release(&target);
	processes_release(&ps);
	return 0;
}

static uint64_t thread_pointer(void)
{
	uint64_t pointer;

	__asm__("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

/* ---- data of a thread ---- */

enum { KEYS = 40 };

static pthread_key_t keys[KEYS];

/* Each thread has its own values; the values of the first keys are stored apart from later ones. */
static void *check_keys(void *base)
{
	for (size_t i = 0; i < KEYS; i++)
		assert_int_equal(pthread_setspecific(keys[i], (char *)base + i), 0);
	for (size_t i = 0; i < KEYS; i++) {
		struct pointer_path path;
		uint64_t value;

		assert_true(threadkey_path(&target, keys[i], &path));
		assert_int_equal(
			pointer_path_follow(&path, &target.memory, thread_pointer(), &value),
			VM_ON);
		assert_int_equal(value, (uintptr_t)base + i);
	}
	return NULL;
}

static void threadkey_path__leads_to_the_value(void **state)
{
	static char here[KEYS], there[KEYS];
	pthread_t thread;

	(void)state;
	for (size_t i = 0; i < KEYS; i++)
		assert_int_equal(pthread_key_create(&keys[i], NULL), 0);
	check_keys(here);
	assert_int_equal(pthread_create(&thread, NULL, check_keys, there), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	check_keys(here);
}

/* A program with musl that sets the last of some keys to 4711, and prints which one it is. */
static const char musl_source[] =
	"#include <pthread.h>\n#include <stdio.h>\n#include <unistd.h>\n"
	"int main(void) { pthread_key_t key; for (int i = 0; i < 5; i++) pthread_key_create(&key, "
	"0);"
	"pthread_setspecific(key, (void *)4711); printf(\"%d %u\\n\", (int)getpid(), key);"
	"fflush(stdout); pause(); }\n";

static bool build_for_musl(const char *path)
{
	char *command = xasprintf("musl-gcc -o '%s' -x c - 2>&1", path);
	FILE *compiler = popen(command, "w");
	bool built;

	assert_non_null(compiler);
	fputs(musl_source, compiler);
	built = !pclose(compiler);
	free(command);
	return built;
}

static uint64_t thread_pointer_of(pid_t pid)
{
	struct user_regs_struct regs;
	int status;

	assert_int_equal(ptrace(PTRACE_ATTACH, pid, NULL, NULL), 0);
	assert_int_equal(waitpid(pid, &status, __WALL), pid);
	assert_int_equal(ptrace(PTRACE_GETREGS, pid, NULL, &regs), 0);
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	return regs.fs_base;
}

static void check_musl(uint32_t pid, uint32_t key)
{
	struct processes others;
	struct target other;
	struct pointer_path path;
	uint64_t value;

	processes_init(&others);
	inspect_init(&other, &others, processes_get(&others, pid), NULL);
	assert_true(threadkey_path(&other, key, &path));
	assert_int_equal(
		pointer_path_follow(&path, &other.memory, thread_pointer_of((pid_t)pid), &value),
		VM_ON);
	assert_int_equal(value, 4711);
	inspect_release(&other);
	processes_release(&others);
}

static void threadkey_path__knows_musl(void **state)
{
	char path[] = "/tmp/flametap.XXXXXX";
	unsigned pid, key;
	int fd = mkstemp(path);
	FILE *program;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	if (system("command -v musl-gcc >/dev/null") || geteuid()) {
		unlink(path);
		printf("# skipped: musl-gcc and root are needed\n");
		skip();
	}
	assert_true(build_for_musl(path));
	program = popen(path, "r");
	assert_non_null(program);
	assert_int_equal(fscanf(program, "%u %u", &pid, &key), 2);
	check_musl(pid, key);
	kill((pid_t)pid, SIGTERM);
	pclose(program);
	unlink(path);
}

static void elfdata_thread_place__is_where_it_is(void **state)
{
	struct elf_variable variable;
	uint64_t offset;

	(void)state;
	assert_true(elfdata_variable(target.files[0].elf, "layout_per_thread", &variable));
	assert_true(variable.per_thread && variable.size == sizeof(layout_per_thread));
	assert_int_equal(elfdata_thread_place(target.files[0].elf, "layout_per_thread", &offset),
		THREAD_OFFSET);
	assert_int_equal(thread_pointer() + offset, (uintptr_t)&layout_per_thread);
	assert_int_equal(
		elfdata_thread_place(target.files[0].elf, "PL_op", &offset), THREAD_NOWHERE);
	assert_int_equal(
		elfdata_thread_place(target.files[0].elf, "none", &offset), THREAD_NOWHERE);
}

/* ---- versions ---- */

static void perl_find__knows_one_without_threads(void **state)
{
	struct strbuf err = STRBUF_INIT;
	struct perl_layout l;

	(void)state;
	PL_version = 36;
	assert_int_equal(perl_find(&target, NULL, &l, &err), 0);
	assert_int_equal(l.minor, 36);
	assert_int_equal(l.patch, 3);
	assert_false(l.threads);
	assert_int_equal(l.source, PERL_FROM_TABLE);
	assert_int_equal(l.interpreter.nr, 0);
	assert_int_equal(l.curcop, (uintptr_t)&PL_curcop);
	assert_int_equal(l.curstackinfo, (uintptr_t)&PL_curstackinfo);
	assert_int_equal(err.len, 0);
}

static void check_refused(unsigned char version, const char *why)
{
	struct strbuf err = STRBUF_INIT;
	struct perl_layout l;

	PL_version = version;
	assert_int_equal(perl_find(&target, NULL, &l, &err), -1);
	assert_non_null(strstr(err.buf, why));
	strbuf_release(&err);
}

static bool read_nothing(void *context, uint64_t address, void *to, size_t len)
{
	(void)context;
	(void)address;
	(void)to;
	(void)len;
	return false;
}

static void perl_find__refuses_what_it_does_not_know(void **state)
{
	struct memory memory = target.memory;

	(void)state;
	target.memory.read = read_nothing;
	check_refused(36, "cannot read the memory of the process that runs Perl in ");
	target.memory = memory;
	check_refused(PERL_LAST + 2, "5.46.3");
	check_refused(PERL_LAST + 2, "install its debug file");
	check_refused(PERL_FIRST - 2, "5.10 to 5.44");
	check_refused(35, "5.35.3");
	PL_revision = 7;
	check_refused(36, "not Perl 5");
	PL_revision = 5;
}

/* ---- a stack ---- */

enum { STRUCTURES = 128, STRUCTURE = 512 };

static _Alignas(uint64_t) char structures[STRUCTURES][STRUCTURE];
static size_t nr_structures;

/* Returns memory for a structure; with() puts a word or number into it. */
static char *make(void)
{
	assert_true(nr_structures < STRUCTURES);
	return structures[nr_structures++];
}

static char *with(char *p, uint32_t offset, uint64_t value)
{
	memcpy(p + offset, &value, sizeof(value));
	return p;
}

static char *with_number(char *p, uint32_t offset, uint32_t value)
{
	memcpy(p + offset, &value, sizeof(value));
	return p;
}

static uint64_t address(const void *p)
{
	return (uintptr_t)p;
}

static char *make_hek(const struct perl_shape *s, const char *name)
{
	char *hek = with_number(make(), s->hek_len, (uint32_t)strlen(name));

	memcpy(hek + s->hek_key, name, strlen(name));
	return hek;
}

static char *make_sv(const struct perl_shape *s, uint32_t flags, char *body, char *u)
{
	return with(with_number(with(make(), s->sv_any, address(body)), s->sv_flags, flags),
		s->sv_u, address(u));
}

static char *make_stash(const struct perl_shape *s, const char *name)
{
	char *body = with(make(), s->xhv_aux + s->aux_name, address(make_hek(s, name)));

	return make_sv(s, PERL_SVt_PVHV | PERL_SVf_OOK, body, NULL);
}

static char *make_glob(const struct perl_shape *s, const char *package, const char *name)
{
	char *body = with(make(), s->xgv_namehek, address(make_hek(s, name)));

	with(body, s->xgv_stash, address(make_stash(s, package)));
	return make_sv(s, PERL_SVt_PVGV | PERL_SVpgv_GP, body, make());
}

static char *make_sub(const struct perl_shape *s, const char *package, const char *name)
{
	char *body = with(make(), s->xcv_gv, address(make_glob(s, package, name)));

	return make_sv(s, PERL_SVt_PVCV, with_number(body, s->xcv_depth, 1), NULL);
}

static char *make_cop(const struct perl_shape *s, const char *file, uint32_t line)
{
	char *name = xasprintf("_<%s", file);
	char *cop = with_number(make(), s->op_type, s->OP_NEXTSTATE);

	with(cop, s->cop_file, address(make_glob(s, "main", name)));
	free(name);
	return with_number(cop, s->cop_line, line);
}

static char *make_stack(
	const struct perl_shape *s, uint32_t type, char *contexts, int32_t top, char *below)
{
	char *si = with(make(), s->si_cxstack, address(contexts));

	with(si, s->si_prev, address(below));
	with_number(with_number(si, s->si_cxix, (uint32_t)top), s->si_cxsubix, (uint32_t)top);
	return with_number(si, s->si_type, type);
}

/* Adds a frame for the sub CV, or an eval if CV is NULL, called from the statement COP. */
static void push(const struct perl_shape *s, char *contexts, uint32_t i, char *cv, char *cop)
{
	char *cx = contexts + i * s->cx_size;

	cx[s->cx_kind] = (char)(cv ? s->CXt_SUB : s->CXt_EVAL);
	with(with(cx, s->cx_cv, address(cv)), s->cx_oldcop, address(cop));
	with_number(cx, s->cx_oldsubix, i - 1);
}

struct made {
	struct perl_layout l;
	char *contexts, *inner; /* of the first stack and of the one on it */
	char *sub;              /* the innermost one */
	char *stack;
};

/* main calls A::outer, which sorts: eval there calls B::inner. */
static void make_stacks(struct made *m)
{
	const struct perl_shape *s = &m->l.shape;

	memset(structures, 0, sizeof(structures));
	nr_structures = 0;
	PL_version = 36;
	assert_int_equal(perl_find(&target, NULL, &m->l, NULL), 0);
	m->contexts = make();
	m->inner = make();
	m->sub = make_sub(s, "B", "inner");
	push(s, m->contexts, 0, make_sub(s, "A", "outer"), make_cop(s, "main.pl", 1));
	push(s, m->inner, 0, NULL, make_cop(s, "A.pm", 2));
	push(s, m->inner, 1, m->sub, make_cop(s, "A.pm", 3));
	m->stack = make_stack(
		s, 3, m->inner, 1, make_stack(s, PERL_PERLSI_MAIN, m->contexts, 0, NULL));
	PL_curcop = make_cop(s, "B.pm", 4);
	PL_curstackinfo = m->stack;
	PL_op = make();
}

static enum vm_end walk(const struct made *m, size_t max, struct strbuf *out)
{
	struct vm_frame frames[8];
	struct vm_stack stack = {.frames = frames, .max = max};
	enum vm_end end = perl_walk_thread(&m->l, &target.memory, 0, &stack);

	for (size_t i = 0; i < stack.nr; i++) {
		struct perl_texts texts;

		perl_frame_texts(&m->l, &target.memory, &frames[i], &texts);
		assert_true(perl_texts_name(&texts, perl_frame_type(frames[i].what), out));
		strbuf_addch(out, ' ');
		assert_true(perl_texts_file(&texts, out));
		strbuf_addf(out, ":%u;", texts.line);
	}
	return end;
}

static void check_walk(const struct made *m, size_t max, enum vm_end end, const char *text)
{
	struct strbuf out = STRBUF_INIT;

	assert_int_equal(walk(m, max, &out), end);
	assert_string_equal(out.buf, text);
	strbuf_release(&out);
}

static void perl_walk__tells_what_caller_would(void **state)
{
	struct made m;

	(void)state;
	make_stacks(&m);
	check_walk(
		&m, 8, VM_WHOLE, "B::inner B.pm:4;(eval) A.pm:3;A::outer A.pm:2;main main.pl:1;");
	check_walk(
		&m, 4, VM_WHOLE, "B::inner B.pm:4;(eval) A.pm:3;A::outer A.pm:2;main main.pl:1;");
	check_walk(&m, 3, VM_CUT, "B::inner B.pm:4;(eval) A.pm:3;A::outer A.pm:2;");
	m.inner[m.l.shape.cx_kind] |= (char)m.l.shape.CXp_TRY;
	check_walk(&m, 8, VM_WHOLE, "B::inner B.pm:4;A::outer A.pm:3;main main.pl:1;");
}

static void perl_frame_name__tells_where_one_without_begins(void **state)
{
	struct made m;
	char *body, *sub, *cop;

	(void)state;
	make_stacks(&m);
	sub = make_sub(&m.l.shape, "B", "__ANON__");
	with(m.inner + m.l.shape.cx_size, m.l.shape.cx_cv, address(sub));
	check_walk(&m, 1, VM_CUT, "B::__ANON__ B.pm:4;");
	memcpy(&body, sub + m.l.shape.sv_any, sizeof(body));
	cop = make_cop(&m.l.shape, "B.pm", 3);
	with(body, m.l.shape.xcv_start, address(cop));
	check_walk(&m, 1, VM_CUT, "B::__ANON__[B.pm:3] B.pm:4;");
}

/*
 * Frames that begin a run loop are marked on request: the sort's block, and a sub that runs again.
 */
static void perl_walk__tells_of_run_loops(void **state)
{
	struct vm_frame frames[8];
	struct vm_stack stack = {.frames = frames, .max = 8, .mixed = true};
	struct made m;

	(void)state;
	make_stacks(&m);
	m.inner[m.l.shape.cx_size + m.l.shape.cx_kind] |= (char)m.l.shape.CXp_MULTICALL;
	with(m.inner, m.l.shape.cx_eval_retop, address(m.sub));
	assert_int_equal(perl_walk_thread(&m.l, &target.memory, 0, &stack), VM_WHOLE);
	assert_int_equal(stack.nr, 5);
	assert_int_equal(frames[1].what, VM_WHAT(PERL_EVAL));
	assert_false(frames[1].with);
	assert_true(frames[0].what & PERL_AGAIN);
	assert_int_equal(frames[2].what, VM_WHAT(PERL_LOOP) | PERL_FROM_C);
	assert_int_equal(perl_frame_type(frames[3].what), PERL_SUB);
	assert_false(frames[3].what & PERL_AGAIN);
	stack.mixed = false;
	assert_int_equal(perl_walk_thread(&m.l, &target.memory, 0, &stack), VM_WHOLE);
	assert_false(frames[0].what & PERL_AGAIN);
}

/* The innermost sub is being entered, or returns: its depth or its context shows it. */
static void perl_walk__leaves_out_a_call_that_begins_or_returns(void **state)
{
	static const char callers[] = "(eval) A.pm:3;A::outer A.pm:2;main main.pl:1;";
	struct made m;
	char *body;

	(void)state;
	make_stacks(&m);
	memcpy(&body, m.sub + m.l.shape.sv_any, sizeof(body));
	with_number(body, m.l.shape.xcv_depth, 0);
	check_walk(&m, 8, VM_WHOLE, callers);
	with_number(body, m.l.shape.xcv_depth, 1);
	with(m.inner + m.l.shape.cx_size, m.l.shape.cx_cv, 0);
	check_walk(&m, 8, VM_WHOLE, callers);
	with(m.contexts, m.l.shape.cx_cv, 0); /* but not a sub that has called another one */
	check_walk(&m, 8, VM_INCONSISTENT, "(eval) A.pm:3;");
}

/* Between two states the walk reports no frames that do not exist yet or any more. */
static void perl_walk__does_not_guess(void **state)
{
	const struct perl_shape *s;
	struct made m;

	(void)state;
	make_stacks(&m);
	s = &m.l.shape;
	with(m.inner + s->cx_size, s->cx_cv, 16);
	check_walk(&m, 8, VM_INCONSISTENT, "");
	with(m.inner + s->cx_size, s->cx_cv, address(m.sub));
	with_number(m.inner + s->cx_size, s->cx_oldsubix, 1);
	check_walk(&m, 8, VM_INCONSISTENT, "");
	with_number(m.stack, s->si_cxsubix, 2);
	check_walk(&m, 8, VM_INCONSISTENT, "");
	with_number(m.stack, s->si_cxsubix, UINT32_MAX);
	with(m.stack, s->si_prev, address(m.stack));
	check_walk(&m, 8, VM_INCONSISTENT, "");
	PL_curstackinfo = NULL;
	check_walk(&m, 8, VM_NOT_RUNNING, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threadkey_path__leads_to_the_value),
		cmocka_unit_test(threadkey_path__knows_musl),
		cmocka_unit_test(elfdata_thread_place__is_where_it_is),
		cmocka_unit_test(perl_find__knows_one_without_threads),
		cmocka_unit_test(perl_find__refuses_what_it_does_not_know),
		cmocka_unit_test(perl_walk__tells_what_caller_would),
		cmocka_unit_test(perl_frame_name__tells_where_one_without_begins),
		cmocka_unit_test(perl_walk__tells_of_run_loops),
		cmocka_unit_test(perl_walk__leaves_out_a_call_that_begins_or_returns),
		cmocka_unit_test(perl_walk__does_not_guess),
	};

	return cmocka_run_group_tests(tests, open_target, close_target);
}
