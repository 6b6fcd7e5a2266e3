/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perl_stack: for each line "[table|shape] PID [TID]" of its input, prints the Perl stack of a
 * process, or of one thread: one "name file:line" a line, innermost frame first, then an empty
 * line. The process is stopped meanwhile. With "table" the built-in table is used, as if there were
 * no debug file; with "shape" the shape that was found is printed instead of the stack. perl_stack
 * MINOR: prints the table's shape as perl_headers.c prints it.
 */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/inspect.h"
#include "runtime/perl/perl_walk.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

enum { DEPTH = 4096 };

static const char *const ends[] = {"on", "whole", "cut", "not running", "inconsistent"};

static void print_shape(const struct perl_shape *shape)
{
#define SAY(name, ...) printf("%s %u\n", #name, shape->name);
	PERL_SHAPE_ALL(SAY)
#undef SAY
#define SAY(name) printf("%s %u\n", #name, (unsigned)PERL_##name)
	SAY(PERLSI_MAIN);
	SAY(SVTYPEMASK);
	SAY(SVt_PVGV);
	SAY(SVt_PVLV);
	SAY(SVt_PVHV);
	SAY(SVt_PVCV);
	SAY(SVt_PVFM);
	SAY(SVf_ROK);
	SAY(SVf_OOK);
	SAY(SVpgv_GP);
}

static void print_layout(const struct perl_layout *l)
{
	printf("perl 5.%u.%u%s, by %s, %u steps%s\n", l->minor, l->patch,
		l->threads ? " with threads" : "",
		l->source == PERL_FROM_TABLE ? "table" : "debuginfo", l->interpreter.nr,
		l->interpreter.per_thread ? " from the thread" : "");
	print_shape(&l->shape);
}

/* Stops TID. Returns false if it cannot be traced. */
static bool stop(pid_t tid, uint64_t *thread)
{
	struct user_regs_struct regs;
	int status;

	if (ptrace(PTRACE_ATTACH, tid, NULL, NULL) || waitpid(tid, &status, __WALL) != tid ||
		!WIFSTOPPED(status) || ptrace(PTRACE_GETREGS, tid, NULL, &regs))
		return false;
	*thread = regs.fs_base;
	return true;
}

static void go_on(pid_t tid)
{
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
}

static void print_frame(
	const struct perl_layout *l, const struct memory *m, const struct vm_frame *frame)
{
	struct strbuf name = STRBUF_INIT, file = STRBUF_INIT;
	enum perl_type kind = perl_frame_type(frame->what);
	struct perl_texts texts;

	perl_frame_texts(l, m, frame, &texts);
	if (!perl_texts_name(&texts, kind, &name))
		strbuf_adds(&name, "[no name]");
	if (!perl_texts_file(&texts, &file))
		strbuf_adds(&file, "[no place]");
	printf("%s%s %s:%u\n", kind == PERL_XSUB ? "XS " : "", name.buf, file.buf, texts.line);
	strbuf_release(&name);
	strbuf_release(&file);
}

static void print_stack(const struct perl_layout *l, const struct memory *m, pid_t tid)
{
	static struct vm_frame frames[DEPTH];
	struct vm_stack stack = {.frames = frames, .max = DEPTH};
	enum vm_end end;
	uint64_t thread;

	if (!stop(tid, &thread)) {
		printf("[cannot trace %d: %s]\n", (int)tid, strerror(errno));
		return;
	}
	end = perl_walk_thread(l, m, thread, &stack);
	for (size_t i = 0; i < stack.nr; i++)
		print_frame(l, m, &frames[i]);
	if (end != VM_WHOLE)
		printf("[%s]\n", ends[end]);
	go_on(tid);
}

static void look(struct target *t, bool shape, pid_t tid)
{
	struct strbuf err = STRBUF_INIT;
	struct perl_layout layout;
	int found = perl_find(t, NULL, &layout, &err);

	if (found)
		printf("[%s]\n", found > 0 ? "no perl there" : err.buf);
	else if (shape)
		print_layout(&layout);
	else
		print_stack(&layout, &t->memory, tid);
	strbuf_release(&err);
}

static void answer(const char *request)
{
	bool table = !strncmp(request, "table ", 6), shape = !strncmp(request, "shape ", 6);
	struct processes ps;
	struct target t;
	unsigned pid;
	int tid, n = sscanf(request + (table || shape ? 6 : 0), "%u %d", &pid, &tid);

	if (n < 1)
		return;
	processes_init(&ps);
	inspect_init(&t, &ps, processes_get(&ps, pid), NULL);
	t.debuginfo = table ? DEBUGINFO_NEVER : DEBUGINFO_FIRST;
	look(&t, shape, n > 1 ? tid : (int)pid);
	inspect_release(&t);
	processes_release(&ps);
}

int main(int argc, char **argv)
{
	struct perl_shape shape;
	char request[128];

	if (argc == 3 && !strcmp(argv[1], "shape")) {
		if (!perl_shape_known((unsigned)atoi(argv[2]), &shape))
			return EXIT_FAILED;
		print_shape(&shape);
		return EXIT_OK;
	}
	if (argc > 1)
		return EXIT_USAGE_ERROR;
	while (fgets(request, sizeof(request), stdin)) {
		answer(request);
		putchar('\n');
		fflush(stdout);
	}
	return EXIT_OK;
}
