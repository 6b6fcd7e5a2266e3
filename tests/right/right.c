/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * right [-n SAMPLES] [-s STEPS] [-v] PID, or -- COMMAND…: measures how many stacks of a process are
 * whole, and how many callers of its leaves are right. Stops a running thread and walks its stack
 * with the recorder's tables and steps. Then single-steps the thread until its function returns (at
 * most STEPS instructions), and compares the true caller with the caller that the walk has found.
 * Prints a line:
 *
 *	SAMPLES WHOLE% KNOWN RIGHT NONE WRONG
 *
 * KNOWN: the function returned. NONE: the walk found no caller. Then prints for each of the places
 * with the most errors "# wrong N FILE+ADDRESS: caller FILE+ADDRESS, not FILE+ADDRESS", or "# cut N
 * FILE+ADDRESS" for stacks that ended there without a root. Samples in system calls are left out.
 * Exit: 0, 2 if nothing could be sampled, 64 usage.
 */
#include "tables_walk.h"
#include "stepping.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	THREADS_MAX = 256,
	PLACES_SHOWN = 6,
	MISSES_MAX = 20000, /* consecutive attempts that found no running thread */
};

/* A leaf whose caller was not found or is wrong, or a frame whose caller was not found. */
struct place {
	const char *what;
	char *leaf, *truth, *claim; /* or NULL if there is none */
	unsigned nr;
};

static const char wrong[] = "wrong", none[] = "none", cut[] = "cut";

static struct {
	unsigned samples, whole, known, right, none, wrong;
	unsigned ends[WALK_ENDS];
	struct place *places;
	size_t nr_places, alloc;
} tally;

static struct tables tables;
static struct stepping stepping;
static unsigned max_steps = 20000;

/* Returns ADDRESS as FILE+LINK ADDRESS. The caller frees it. */
static char *place_name(uint64_t address)
{
	const struct mapping *m = tables_map(&tables, address);
	const struct object *o = m ? &tables.ps.objects[m->object] : NULL;
	uint64_t first;

	if (!o)
		return xasprintf("%#" PRIx64, address);
	if (!o->elf || !elffile_mapped(o->elf, m->offset, m->end - m->start, &first))
		return xasprintf("[%s]+%#" PRIx64, o->path, address - m->start);
	return xasprintf("%s+%#" PRIx64, file_name(o->path), address - m->start + first);
}

static void count_place(const char *what, uint64_t leaf, uint64_t truth, uint64_t claim)
{
	struct place new = {.what = what, .leaf = place_name(leaf), .nr = 1};

	for (size_t i = 0; i < tally.nr_places; i++) {
		struct place *p = &tally.places[i];

		if (p->what != what || strcmp(p->leaf, new.leaf))
			continue;
		p->nr++;
		free(new.leaf);
		return;
	}
	new.truth = truth ? place_name(truth) : NULL;
	new.claim = claim ? place_name(claim) : NULL;
	ALLOC_GROW(tally.places, tally.nr_places, tally.alloc);
	tally.places[tally.nr_places++] = new;
}

/* Walks from the stopped thread's registers. Sets *CALLER to the second frame's pc, or to 0 if
 * there is none. */
static int walk_stack(const struct user_regs_struct *regs, uint64_t *caller)
{
	struct walk w;
	const struct mapping *m;
	int end;

	walk_begin(&w, regs);
	tables.scanned = false;
	*caller = 0;
	for (w.nr = 0;; w.nr++) {
		if (w.nr == WALK_DEPTH)
			return WALK_DEEP;
		end = tables_step(&tables, &w, &m);
		if (end != WALK_ON && end != WALK_ROOT)
			count_place(cut, w.reg[REG_PC], 0, 0);
		if (end != WALK_ON)
			return end;
		if (!w.nr)
			*caller = tables_map(&tables, w.reg[REG_PC] - 1) ? w.reg[REG_PC] : 0;
	}
}

static void judge(uint64_t leaf, uint64_t claim, uint64_t truth)
{
	tally.known++;
	if (claim == truth) {
		tally.right++;
		return;
	}
	if (claim)
		tally.wrong++;
	else
		tally.none++;
	count_place(claim ? wrong : none, leaf, truth, claim);
}

/* Takes a sample of the stopped thread TID. Returns false if it is in a system call. */
static bool sample(pid_t tid)
{
	uint64_t leaf, claim;
	int end;

	stepping.tid = tid;
	stepping.signal = 0;
	if (ptrace(PTRACE_GETREGS, tid, 0, &stepping.regs) || (int64_t)stepping.regs.orig_rax >= 0)
		return false;
	leaf = stepping.regs.rip;
	end = walk_stack(&stepping.regs, &claim);
	tally.samples++;
	tally.whole += end == WALK_ROOT;
	tally.ends[end]++;
	if (stepping_return(&stepping, max_steps))
		judge(leaf, claim, stepping.regs.rip);
	return true;
}

/* Stops TID, samples it and lets it run on. */
static bool visit(pid_t tid)
{
	bool sampled = false;
	int status = 0;

	if (ptrace(PTRACE_SEIZE, tid, 0, 0))
		return false;
	if (!ptrace(PTRACE_INTERRUPT, tid, 0, 0) && waitpid(tid, &status, __WALL) == tid &&
		WIFSTOPPED(status)) {
		stepping.signal = 0;
		if (status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) == SIGTRAP)
			sampled = sample(tid);
		else if (!(status >> 16))
			stepping.signal = WSTOPSIG(status);
		stepping_end(tid);
		ptrace(PTRACE_DETACH, tid, 0, stepping.signal);
	}
	return sampled;
}

static bool is_running(pid_t pid, const char *tid)
{
	char *path = xasprintf("/proc/%d/task/%s/stat", pid, tid), line[512];
	FILE *in = fopen(path, "r");
	const char *behind = in && fgets(line, sizeof(line), in) ? strrchr(line, ')') : NULL;

	if (in)
		fclose(in);
	free(path);
	return behind && begins_with(behind, strlen(behind), ") R");
}

/* Returns a random running thread, 0 if no thread runs, or -1 if the process has ended. */
static pid_t running_thread(pid_t pid)
{
	char *path = xasprintf("/proc/%d/task", pid);
	DIR *dir = opendir(path);
	pid_t list[THREADS_MAX];
	struct dirent *entry;
	int nr = 0;

	free(path);
	if (!dir)
		return -1;
	while (nr < THREADS_MAX && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]) && is_running(pid, entry->d_name))
			list[nr++] = atoi(entry->d_name);
	closedir(dir);
	return nr ? list[random() % nr] : 0;
}

static void take_samples(pid_t pid, unsigned samples)
{
	for (unsigned misses = 0; tally.samples < samples && misses < MISSES_MAX;) {
		pid_t tid;

		usleep(1000 + (useconds_t)(random() % 4000));
		tid = running_thread(pid);
		if (tid < 0)
			break;
		if (tid && visit(tid))
			misses = 0;
		else
			misses++;
	}
}

static int by_number(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return compare_u64(y->nr, x->nr);
}

static void report(bool verbose)
{
	static const char *const ends[WALK_ENDS] = {[WALK_ROOT] = "root",
		[WALK_DEEP] = "deep",
		[WALK_NO_MAP] = "no-map",
		[WALK_NO_RULE] = "no-rule",
		[WALK_NO_READ] = "no-read",
		[WALK_LOST] = "lost"};

	printf("%u %.1f %u %u %u %u\n", tally.samples,
		tally.samples ? 100.0 * tally.whole / tally.samples : 0, tally.known, tally.right,
		tally.none, tally.wrong);
	qsort(tally.places, tally.nr_places, sizeof(*tally.places), by_number);
	for (size_t i = 0; i < tally.nr_places && (i < PLACES_SHOWN || verbose); i++) {
		const struct place *p = &tally.places[i];

		printf("# %s %u %s", p->what, p->nr, p->leaf);
		if (p->truth)
			printf(": caller %s", p->truth);
		if (p->claim)
			printf(", not %s", p->claim);
		putchar('\n');
	}
	for (int i = 0; i < WALK_ENDS && verbose; i++)
		if (tally.ends[i])
			printf("# ended %s %u\n", ends[i] ? ends[i] : "-", tally.ends[i]);
}

static void release(void)
{
	for (size_t i = 0; i < tally.nr_places; i++) {
		free(tally.places[i].leaf);
		free(tally.places[i].truth);
		free(tally.places[i].claim);
	}
	free(tally.places);
	tables_release(&tables);
}

/* Starts the command; its output is discarded. */
static pid_t start(char **argv)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
		_exit(126);
	execvp(argv[0], argv);
	_exit(127);
}

static int usage(void)
{
	fputs("usage: right [-n SAMPLES] [-s STEPS] [-v] PID | -- COMMAND...\n", stderr);
	return EXIT_USAGE_ERROR;
}

int main(int argc, char **argv)
{
	unsigned samples = 300;
	bool verbose = false, command;
	pid_t pid;
	int c;

	while ((c = getopt(argc, argv, "+n:s:v")) != -1)
		if (c == 'n')
			samples = (unsigned)atoi(optarg);
		else if (c == 's')
			max_steps = (unsigned)atoi(optarg);
		else if (c == 'v')
			verbose = true;
		else
			return usage();
	if (optind == argc)
		return usage();
	command = !strcmp(argv[optind - 1], "--");
	pid = command ? start(argv + optind) : atoi(argv[optind]);
	if (pid <= 0)
		return usage();
	if (command)
		sleep(1);
	tables_init(&tables, pid);
	take_samples(pid, samples);
	report(verbose);
	if (command) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	release();
	return tally.samples ? EXIT_OK : EXIT_FAILED;
}
