/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "task.h"
#include "lib/hash.h"
#include "lib/util.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FIRST_PID_NAMESPACE 0xeffffffc /* PROC_PID_INIT_INO */

/* Fields of a stat file, see proc_pid_stat(5). */
struct fields {
	char state;
	unsigned long long user, kernel, start;
	unsigned long long code, code_end; /* of the executable */
	unsigned long long stack;          /* where it began */
};

uint64_t task_tick_ns(void)
{
	return 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
}

/* Reads the first SIZE - 1 bytes of a file, and ends them with a NUL. */
static bool read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, size - 1);

	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return true;
}

void task_comm(uint32_t tid, char *comm, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/comm", tid);
	if (!read_text(path, comm, size))
		*comm = '\0';
	comm[strcspn(comm, "\n")] = '\0';
}

static bool read_fields(const char *path, struct fields *f)
{
	char text[1024];

	if (!read_text(path, text, sizeof(text)))
		return false;
	const char *s = strrchr(text, ')'); /* the name may contain blanks and parentheses */

	return s && sscanf(s + 1,
			    " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu %*s %*s %*s %*s "
			    "%*s %*s %llu %*s %*s %*s %llu %llu %llu",
			    &f->state, &f->user, &f->kernel, &f->start, &f->code, &f->code_end,
			    &f->stack) == 7;
}

/* Reads the times of all threads of a process. */
static bool read_task(uint32_t pid, struct fields *f)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	return read_fields(path, f);
}

/* Returns the delay of the task whose folder in /proc is FOLDER, or 0 if it is not known. */
static uint64_t delay_of(const char *folder)
{
	unsigned long long delay;
	char path[300], text[100];

	snprintf(path, sizeof(path), "%s/schedstat", folder);
	return read_text(path, text, sizeof(text)) && sscanf(text, "%*u %llu", &delay) == 1 ? delay
											    : 0;
}

uint64_t task_run_delay(uint32_t pid, uint32_t tid)
{
	char path[300];
	uint64_t sum = 0;

	snprintf(path, sizeof(path), "/proc/%u", tid);
	if (tid)
		return delay_of(path);
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	DIR *dir = opendir(path);

	for (struct dirent *e; dir && (e = readdir(dir));) {
		snprintf(path, sizeof(path), "/proc/%u/task/%s", pid, e->d_name);
		sum += *e->d_name == '.' ? 0 : delay_of(path);
	}
	if (dir)
		closedir(dir);
	return sum;
}

/* Reads the times of a thread alone, which is much faster if the process PID has many. */
static bool read_thread(uint32_t pid, uint32_t tid, struct fields *f)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", pid, tid);
	return read_fields(path, f);
}

uint64_t task_start(uint32_t pid, uint32_t tid)
{
	struct fields f;

	return read_thread(pid, tid, &f) ? f.start : 0;
}

uint64_t task_start_at(int64_t monotonic)
{
	struct timespec boot;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	int64_t slept = (int64_t)boot.tv_sec * 1000000000 + boot.tv_nsec - monotonic_ns();

	return (uint64_t)(monotonic + slept) / task_tick_ns();
}

uint32_t task_process(uint32_t tid)
{
	char path[64], line[128];
	uint32_t pid = 0;

	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	FILE *in = fopen(path, "re");

	while (in && !pid && fgets(line, sizeof(line), in))
		sscanf(line, "Tgid: %u", &pid);
	if (in)
		fclose(in);
	return pid;
}

uint32_t task_own_number(uint32_t pid, uint32_t tid)
{
	char path[64], line[256];
	uint32_t number = 0;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/status", pid, tid);
	FILE *in = fopen(path, "re");

	while (in && !number && fgets(line, sizeof(line), in)) {
		const char *last = strrchr(line, '\t');

		if (!strncmp(line, "NSpid:", strlen("NSpid:")) && last)
			sscanf(last, "%u", &number);
	}
	if (in)
		fclose(in);
	return number;
}

uint32_t task_thread(uint32_t pid, uint32_t number)
{
	uint32_t found = task_own_number(pid, number) == number ? number : 0;
	char path[64];
	uint64_t tid;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	DIR *threads = found ? NULL : opendir(path);

	for (struct dirent *e; threads && !found && (e = readdir(threads));)
		if (parse_u64(e->d_name, strlen(e->d_name), 10, &tid) &&
			task_own_number(pid, (uint32_t)tid) == number)
			found = (uint32_t)tid;
	if (threads)
		closedir(threads);
	return found;
}

uint32_t task_user(uint32_t pid)
{
	uint32_t user = UINT32_MAX;
	char path[64], line[128];

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	FILE *in = fopen(path, "re");

	while (in && user == UINT32_MAX && fgets(line, sizeof(line), in))
		sscanf(line, "Uid: %*u %u", &user);
	if (in)
		fclose(in);
	return user;
}

uint64_t task_program(uint32_t pid)
{
	struct fields f;

	return read_thread(pid, pid, &f) && f.stack ? hash_pair(f.code, f.stack) | 1 : 0;
}

/* The code may begin with segments that are not executable, but ends with an executable one. */
uint64_t task_code(uint32_t pid)
{
	struct fields f;

	return read_thread(pid, pid, &f) && f.code_end > f.code ? f.code_end - 1 : 0;
}

uint64_t task_ticks(uint32_t pid)
{
	struct fields f;

	return read_task(pid, &f) ? f.user + f.kernel : 0;
}

static bool has_other_threads(uint32_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	return !stat(path, &st) && st.st_nlink > 3; /* ".", ".." and one per thread */
}

bool task_lives(uint32_t tid, uint64_t start)
{
	struct fields f;

	/* the folder of any thread lists the threads of its process */
	if (!read_thread(tid, tid, &f) || (start && f.start != start))
		return false;
	return (f.state != 'Z' && f.state != 'X') || has_other_threads(tid);
}

const char *task_refusal(uint32_t pid)
{
	if (!task_process(pid))
		return "give the number of a running process";
	if (!geteuid())
		return "even root may not read it here: CAP_SYS_PTRACE is missing, or a security "
		       "module forbids it";
	return task_user(pid) == geteuid() ? "it is protected from its own user: run this as root"
					   : "it is another user's: run this as root";
}

uint32_t task_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) || st.st_ino == FIRST_PID_NAMESPACE
		       ? 0
		       : (uint32_t)st.st_ino;
}

bool task_numbers_ours(void)
{
	char link[32];
	ssize_t n = readlink("/proc/self", link, sizeof(link));
	uint64_t pid;

	return n > 0 && parse_u64(link, (size_t)n, 10, &pid) && pid == (uint64_t)getpid();
}

/* Returns false for kernel threads, which have no executable. */
static bool has_program(const char *pid)
{
	char path[64], target[1];

	snprintf(path, sizeof(path), "/proc/%.20s/exe", pid);
	return readlink(path, target, sizeof(target)) > 0;
}

uint32_t *task_programs(size_t *nr)
{
	DIR *dir = opendir("/proc");
	uint32_t *pids = NULL;
	size_t alloc = 0;

	*nr = 0;
	for (struct dirent *e; dir && (e = readdir(dir));) {
		uint64_t pid;

		if (!parse_u64(e->d_name, strlen(e->d_name), 10, &pid) || pid > UINT32_MAX ||
			pid == (uint64_t)getpid() || !has_program(e->d_name))
			continue;
		ALLOC_GROW(pids, *nr, alloc);
		pids[(*nr)++] = (uint32_t)pid;
	}
	if (dir)
		closedir(dir);
	return pids;
}
