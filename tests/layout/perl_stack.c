/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perl_stack [-t] PID [TID]: the Perl stack of a process, or of one thread, innermost frame first,
 * one "name file:line" a line; -t: by the table, as if there were no debug file. It is stopped
 * meanwhile, unless it waits for this program to end. perl_stack --shape PID, --table MINOR: the
 * shape, as perl_headers.c prints it.
 */
#include "engine/inspect.h"
#include "layout/perl_walk.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

enum { DEPTH = 4096 };

static const char *const ends[] = {"whole", "cut", "not running", "inconsistent"};

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

/* The thread pointer of TID, which is stopped for it and goes on. */
static bool thread_pointer(pid_t tid, uint64_t *pointer)
{
	struct user_regs_struct regs;
	bool known;
	int status;

	if (ptrace(PTRACE_ATTACH, tid, NULL, NULL))
		return false;
	known = waitpid(tid, &status, __WALL) == tid && WIFSTOPPED(status) &&
		!ptrace(PTRACE_GETREGS, tid, NULL, &regs);
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
	*pointer = regs.fs_base;
	return known;
}

static void print_frame(
	const struct perl_layout *l, const struct memory *m, const struct perl_frame *frame)
{
	struct strbuf name = STRBUF_INIT, file = STRBUF_INIT;
	uint32_t line;

	if (!perl_frame_name(l, m, frame, &name))
		strbuf_adds(&name, "[no name]");
	if (!perl_cop_place(l, m, frame->cop, &file, &line))
		strbuf_adds(&file, "[no place]");
	printf("%s%s %s:%u\n", frame->kind == PERL_XSUB ? "XS " : "", name.buf, file.buf, line);
	strbuf_release(&name);
	strbuf_release(&file);
}

static int print_stack(const struct perl_layout *l, const struct memory *m, pid_t tid)
{
	static struct perl_frame frames[DEPTH];
	enum perl_end end;
	uint64_t thread;
	size_t nr;

	if (!thread_pointer(tid, &thread)) {
		fprintf(stderr, "perl_stack: cannot trace %d: %s\n", (int)tid, strerror(errno));
		return EXIT_FAILED;
	}
	end = perl_walk_thread(l, m, thread, frames, DEPTH, &nr);
	for (size_t i = 0; i < nr; i++)
		print_frame(l, m, &frames[i]);
	if (end != PERL_WHOLE)
		printf("[%s]\n", ends[end]);
	return end == PERL_WHOLE ? EXIT_OK : EXIT_PARTIAL;
}

static int look(struct target *t, bool shape, pid_t tid)
{
	struct strbuf err = STRBUF_INIT;
	struct perl_layout layout;
	int found = perl_find(t, &layout, &err);

	if (found) {
		fprintf(stderr, "perl_stack: %s\n", found > 0 ? "no perl there" : err.buf);
		strbuf_release(&err);
		return EXIT_FAILED;
	}
	fprintf(stderr, "perl 5.%u.%u%s in %s, by %s, %u steps%s\n", layout.minor, layout.patch,
		layout.threads ? " with threads" : "", layout.path,
		layout.source == PERL_FROM_TABLE ? "table" : "debuginfo", layout.interpreter.nr,
		layout.interpreter.per_thread ? " from the thread" : "");
	if (shape) {
		print_shape(&layout.shape);
		return EXIT_OK;
	}
	return print_stack(&layout, &t->memory, tid);
}

static int by_table(const char *minor)
{
	struct perl_shape shape;

	if (!perl_shape_known((unsigned)atoi(minor), &shape))
		return EXIT_FAILED;
	print_shape(&shape);
	return EXIT_OK;
}

static int by_pid(uint32_t pid, pid_t tid, bool table, bool shape)
{
	struct processes ps;
	struct target t;
	int ret;

	processes_init(&ps);
	inspect_init(&t, &ps, processes_get(&ps, pid), NULL);
	t.no_debuginfo = table;
	ret = look(&t, shape, tid);
	inspect_release(&t);
	processes_release(&ps);
	return ret;
}

int main(int argc, char **argv)
{
	const char *option = argc > 2 && argv[1][0] == '-' ? argv[1] : "";
	int pid;

	if (!strcmp(option, "--table"))
		return by_table(argv[2]);
	if (*option) {
		argv++;
		argc--;
	}
	pid = argc > 1 ? atoi(argv[1]) : 0;
	if (pid <= 0)
		return EXIT_USAGE_ERROR;
	return by_pid((uint32_t)pid, argc > 2 ? atoi(argv[2]) : pid, !strcmp(option, "-t"),
		!strcmp(option, "--shape"));
}
