/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program that is run instruction by instruction, with its stack as in shadow.h. */
#ifndef TESTS_STEPS_STEPPED_H
#define TESTS_STEPS_STEPPED_H

#include "lib/table.h"
#include "shadow.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	STEPPED_WINDOW = 1024, /* recent steps in which a loop is searched */
	STEPPED_EXITS = 32,    /* of a loop */
	STEPPED_CALLERS = 16,  /* of a function that is run to */
	STEPPED_BREAKPOINT = 0xcc,
};

struct stepped {
	pid_t pid;
	struct user_regs_struct regs;
	struct shadow shadow;
	int signal;         /* is delivered by the next step */
	struct table insns; /* pc -> 1 + enum stepping_insn */
	uint64_t window[STEPPED_WINDOW];
	unsigned long steps;
	int status; /* of waitpid, when it has ended */
};

/* Waits for the program. Returns false if it has ended. Its other threads end before it and must be
 * waited for, too. */
static bool stepped_wait(struct stepped *s)
{
	pid_t tid;

	do
		tid = waitpid(-1, &s->status, __WALL);
	while (tid != s->pid && (tid > 0 || errno == EINTR));
	if (tid < 0)
		return false;
	return WIFSTOPPED(s->status) && !ptrace(PTRACE_GETREGS, s->pid, 0, &s->regs);
}

static enum stepping_insn stepped_insn(struct stepped *s)
{
	bool is_new;
	uint32_t *insn = table_put(&s->insns, s->regs.rip, 0, &is_new);
	uint8_t code[16] = {0};

	if (is_new) {
		for (size_t size = sizeof(code); size && read_target(code, size, s->regs.rip);)
			size--;
		*insn = stepping_decode(code);
	}
	return (enum stepping_insn) * insn;
}

/* Executes one instruction, or delivers a signal, whose handler has not begun then. Returns false
 * if the program has ended. */
static bool stepped_step(struct stepped *s)
{
	struct user_regs_struct before = s->regs;
	enum stepping_insn insn = stepped_insn(s);
	int signal = s->signal;

	s->window[s->steps++ % STEPPED_WINDOW] = before.rip;
	if (ptrace(PTRACE_SINGLESTEP, s->pid, 0, signal) || !stepped_wait(s))
		return false;
	s->signal = WSTOPSIG(s->status) == SIGTRAP ? 0 : WSTOPSIG(s->status);
	if (signal)
		shadow_signal(&s->shadow, &before, &s->regs);
	else if (!s->signal)
		shadow_step(&s->shadow, insn, &before, &s->regs);
	return true;
}

static bool stepped_is_in_window(const struct stepped *s, uint64_t pc)
{
	for (int i = 0; i < STEPPED_WINDOW; i++)
		if (s->window[i] == pc)
			return true;
	return false;
}

/* Computes the two addresses to which the instruction at PC may lead, if it may jump. */
static bool stepped_branches(uint64_t pc, uint64_t to[2])
{
	uint8_t code[6];

	if (read_target(code, sizeof(code), pc))
		return false;
	if ((code[0] & 0xf0) == 0x70) {
		to[0] = pc + 2;
		to[1] = to[0] + (uint64_t)(int8_t)code[1];
		return true;
	}
	if (code[0] == 0x0f && (code[1] & 0xf0) == 0x80) {
		int32_t distance;

		memcpy(&distance, code + 2, sizeof(distance));
		to[0] = pc + 6;
		to[1] = to[0] + (uint64_t)(int64_t)distance;
		return true;
	}
	return false;
}

/* Finds the instructions after the loop of the last steps. Returns 0 if there are none, or if the
 * loop calls functions. */
static unsigned stepped_exits(const struct stepped *s, uint64_t exits[STEPPED_EXITS])
{
	unsigned nr = 0;
	struct table seen;
	bool is_new;

	table_init(&seen);
	for (int i = 0; i < STEPPED_WINDOW && nr < STEPPED_EXITS - 1; i++) {
		const uint32_t *insn = table_get(&s->insns, s->window[i], 0);
		uint64_t to[2];

		if (!insn || *insn == INSN_CALL || *insn == INSN_RET || *insn == INSN_STOP) {
			nr = 0;
			break;
		}
		table_put(&seen, s->window[i], 0, &is_new);
		if (!is_new || !stepped_branches(s->window[i], to))
			continue;
		for (int j = 0; j < 2; j++)
			if (!stepped_is_in_window(s, to[j]))
				exits[nr++] = to[j];
	}
	table_release(&seen);
	return nr;
}

static uint64_t stepped_peek(const struct stepped *s, uint64_t at)
{
	errno = 0;
	return (uint64_t)ptrace(PTRACE_PEEKDATA, s->pid, at, 0);
}

/* Runs at full speed until one of the instructions at EXITS. Returns false if the program has
 * ended. */
static bool stepped_run_to(struct stepped *s, const uint64_t *exits, unsigned nr)
{
	uint64_t words[STEPPED_EXITS];
	bool stopped;

	for (unsigned i = 0; i < nr; i++) {
		words[i] = stepped_peek(s, exits[i]);
		ptrace(PTRACE_POKEDATA, s->pid, exits[i],
			(words[i] & ~(uint64_t)0xff) | STEPPED_BREAKPOINT);
	}
	stopped = !ptrace(PTRACE_CONT, s->pid, 0, 0) && stepped_wait(s);
	for (unsigned i = nr; stopped && i--;)
		ptrace(PTRACE_POKEDATA, s->pid, exits[i], words[i]);
	s->regs.rip--;
	return stopped && !ptrace(PTRACE_SETREGS, s->pid, 0, &s->regs);
}

/* Leaves the loop of the last steps, if it ends by itself and calls nothing. */
static bool stepped_leave_loop(struct stepped *s)
{
	uint64_t exits[STEPPED_EXITS];
	unsigned nr = stepped_exits(s, exits);

	return nr && stepped_run_to(s, exits, nr);
}

/* Stops the threads of the task directory that are not stopped yet, for good. Returns whether there
 * were any. */
static bool stepped_stop_threads(const struct stepped *s, DIR *dir)
{
	struct dirent *entry;
	bool any = false;
	int status;

	while ((entry = readdir(dir))) {
		pid_t tid = atoi(entry->d_name);

		if (tid <= 0 || tid == s->pid || ptrace(PTRACE_SEIZE, tid, 0, PTRACE_O_EXITKILL))
			continue;
		any = true;
		if (!ptrace(PTRACE_INTERRUPT, tid, 0, 0))
			waitpid(tid, &status, __WALL);
	}
	return any;
}

/* Stops all other threads for good, also those that they create meanwhile, so that the program goes
 * on alone. They are not traced, and could not be stopped before. */
static void stepped_stop_others(const struct stepped *s)
{
	char *path = xasprintf("/proc/%d/task", s->pid);
	DIR *dir = opendir(path);

	while (dir && stepped_stop_threads(s, dir))
		rewinddir(dir);
	if (dir)
		closedir(dir);
	free(path);
}

/* Runs at full speed to the function at ADDRESS. All of its callers must have frame pointers. */
static bool stepped_run_to_function(struct stepped *s, uint64_t address)
{
	uint64_t chain[STEPPED_CALLERS][2], fp;
	unsigned nr = 0;

	if (!stepped_run_to(s, &address, 1))
		return false;
	stepped_stop_others(s);
	for (fp = s->regs.rbp; fp && nr < STEPPED_CALLERS; fp = chain[nr++][0])
		if (read_target(chain[nr], sizeof(chain[nr]), fp))
			return false;
		else if (!chain[nr][1])
			break;
		else
			shadow_push(&s->shadow, SHADOW_CALL, chain[nr][1], fp + 8);
	for (unsigned i = 0; i < nr / 2; i++) {
		struct shadow_frame frame = s->shadow.list[i];

		s->shadow.list[i] = s->shadow.list[nr - 1 - i];
		s->shadow.list[nr - 1 - i] = frame;
	}
	shadow_push_call(&s->shadow, s->regs.rsp);
	return true;
}

static uint64_t stepped_entry(const struct stepped *s)
{
	char *path = xasprintf("/proc/%d/auxv", s->pid);
	Elf64_auxv_t aux = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && read(fd, &aux, sizeof(aux)) == sizeof(aux) && aux.a_type != AT_ENTRY)
		;
	if (fd >= 0)
		close(fd);
	free(path);
	return aux.a_type == AT_ENTRY ? aux.a_un.a_val : 0;
}

/* Runs in the child: executes ARGV at the same addresses each time, without our environment; Go's
 * scheduler does not interrupt it. */
static void stepped_execute(char **argv, bool lazy)
{
	char *environment[] = {
		(char *)"GODEBUG=asyncpreemptoff=1", lazy ? NULL : (char *)"LD_BIND_NOW=1", NULL};
	int null = open("/dev/null", O_RDWR);

	personality(ADDR_NO_RANDOMIZE);
	dup2(null, STDOUT_FILENO);
	if (!ptrace(PTRACE_TRACEME, 0, 0, 0))
		execve(argv[0], argv, environment);
	_exit(127);
}

/* Starts ARGV and stops before its first instruction, or before its dynamic linker's first
 * instruction. LAZY: functions of libraries are bound by their first calls. */
static bool stepped_start(struct stepped *s, char **argv, bool from_linker, bool lazy)
{
	uint64_t entry;

	*s = (struct stepped){0};
	table_init(&s->insns);
	s->pid = tables_pid = fork();
	if (!s->pid)
		stepped_execute(argv, lazy);
	if (s->pid < 0 || !stepped_wait(s))
		return false;
	ptrace(PTRACE_SETOPTIONS, s->pid, 0, PTRACE_O_EXITKILL);
	entry = stepped_entry(s);
	return from_linker || (entry && stepped_run_to(s, &entry, 1));
}

static void stepped_end(struct stepped *s)
{
	if (s->pid > 0 && WIFSTOPPED(s->status)) {
		kill(s->pid, SIGKILL);
		while (stepped_wait(s))
			;
	}
	table_release(&s->insns);
	free(s->shadow.list);
	*s = (struct stepped){0};
}

#endif
