/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sandbox.h"
#include "lib/limits/memory.h"
#include "lib/user.h"
#include "lib/util.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1 /* shadow memory is huge, and reports need stderr and more system calls */
#else
#define SANITIZED 0
#endif

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#define NATIVE_ARCH 0 /* not tested, so there is no filter */
#endif

/* A system call that is allowed; if it has a MASK, only with argument ARG & MASK == 0. */
struct allowed_call {
	uint32_t number, arg, mask;
	bool names_files;
};

/* Some of these exist only on some architectures. */
static const struct allowed_call allowed_calls[] = {
	{__NR_mmap, 2, PROT_EXEC, false},
	{__NR_mprotect, 2, PROT_EXEC, false},
	{__NR_munmap, 0, 0, false},
	{__NR_mremap, 0, 0, false},
	{__NR_madvise, 0, 0, false},
	{__NR_brk, 0, 0, false},
	{__NR_read, 0, 0, false},
	{__NR_readv, 0, 0, false},
	{__NR_pread64, 0, 0, false},
	{__NR_write, 0, 0, false},
	{__NR_writev, 0, 0, false},
	{__NR_pwrite64, 0, 0, false},
	{__NR_recvmsg, 0, 0, false},
	{__NR_sendmsg, 0, 0, false},
	{__NR_ppoll, 0, 0, false},
	{__NR_close, 0, 0, false},
	{__NR_fstat, 0, 0, false},
	{__NR_newfstatat, 0, 0, false},
	{__NR_statx, 0, 0, false},
	{__NR_lseek, 0, 0, false},
	{__NR_fcntl, 0, 0, false},
	{__NR_ftruncate, 0, 0, false},
	{__NR_memfd_create, 0, 0, false},
	{__NR_futex, 0, 0, false},
	{__NR_getrandom, 0, 0, false},
	{__NR_clock_gettime, 0, 0, false},
	{__NR_sysinfo, 0, 0, false},
	{__NR_getpid, 0, 0, false},
	{__NR_getppid, 0, 0, false},
	{__NR_gettid, 0, 0, false},
	{__NR_geteuid, 0, 0, false},
	{__NR_sched_yield, 0, 0, false},
	{__NR_sched_getaffinity, 0, 0, false},
	{__NR_rt_sigaction, 0, 0, false},
	{__NR_rt_sigprocmask, 0, 0, false},
	{__NR_rt_sigreturn, 0, 0, false},
	{__NR_restart_syscall, 0, 0, false},
	{__NR_exit, 0, 0, false},
	{__NR_exit_group, 0, 0, false},
	{__NR_openat, 2, O_ACCMODE | O_CREAT | O_TRUNC, true},
	{__NR_readlinkat, 0, 0, true},
	{__NR_faccessat, 0, 0, true},
	{__NR_getdents64, 0, 0, true},
	{__NR_getcwd, 0, 0, true},
	{__NR_fchdir, 0, 0, true},
	{__NR_fstatfs, 0, 0, true},
#ifdef __NR_faccessat2
	{__NR_faccessat2, 0, 0, true},
#endif
#ifdef __NR_open
	{__NR_open, 1, O_ACCMODE | O_CREAT | O_TRUNC, true},
	{__NR_access, 0, 0, true},
	{__NR_readlink, 0, 0, true},
	{__NR_stat, 0, 0, true},
	{__NR_lstat, 0, 0, true},
	{__NR_poll, 0, 0, false},
#endif
};

enum {
	ALLOW = SECCOMP_RET_ALLOW,
	/* the C library expects this of an older kernel, and finds another way */
	REFUSE = SECCOMP_RET_ERRNO | ENOSYS,
	INSTRUCTIONS_MAX = 4 * ARRAY_LEN(allowed_calls),
	LINEAR_MAX = 3,
};

struct call_filter {
	struct sock_filter list[INSTRUCTIONS_MAX];
	unsigned short nr;
};

static void add(struct call_filter *f, struct sock_filter instruction)
{
	f->list[f->nr++] = instruction;
}

static void load(struct call_filter *f, size_t offset)
{
	add(f, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void end(struct call_filter *f, uint32_t action)
{
	add(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

/* Skips the next NR instructions unless the loaded word is VALUE. */
static void unless_equal(struct call_filter *f, uint32_t value, uint8_t nr)
{
	add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, nr));
}

/* The flags in arguments are in their low words. */
static void allow(struct call_filter *f, const struct allowed_call *call)
{
	const size_t low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;

	unless_equal(f, call->number, call->mask ? 4 : 1);
	if (call->mask) {
		load(f, offsetof(struct seccomp_data, args) + 8 * call->arg + low);
		add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, call->mask, 0, 1));
		end(f, REFUSE);
	}
	end(f, ALLOW);
}

/*
 * Adds a binary search. The kernel runs a new filter for each number that a system call may have.
 * With a linear list this takes longer than the rest of the fork.
 */
static void allow_sorted(struct call_filter *f, const struct allowed_call *list, size_t nr)
{
	if (nr <= LINEAR_MAX) {
		for (size_t i = 0; i < nr; i++)
			allow(f, &list[i]);
		end(f, REFUSE);
		return;
	}
	size_t half = nr / 2, jump = f->nr++;

	allow_sorted(f, list, half);
	f->list[jump] = (struct sock_filter)BPF_JUMP(
		BPF_JMP | BPF_JGE | BPF_K, list[half].number, (uint8_t)(f->nr - jump - 1), 0);
	allow_sorted(f, list + half, nr - half);
}

static int compare_calls(const void *a, const void *b)
{
	const struct allowed_call *x = a, *y = b;

	return compare_u64(x->number, y->number);
}

/*
 * Installs the filter, which needs no_new_privs. If a kernel or container does not allow it, the
 * process goes on without the filter.
 */
static void filter_calls(bool no_files)
{
	struct allowed_call allowed[ARRAY_LEN(allowed_calls)];
	struct call_filter f = {.nr = 0};
	size_t nr = 0;

	for (size_t i = 0; i < ARRAY_LEN(allowed_calls); i++)
		if (!no_files || !allowed_calls[i].names_files)
			allowed[nr++] = allowed_calls[i];
	qsort(allowed, nr, sizeof(*allowed), compare_calls);
	load(&f, offsetof(struct seccomp_data, arch));
	unless_equal(&f, NATIVE_ARCH, 1);
	/* This is skipped for another architecture, whose number matches no call. */
	load(&f, offsetof(struct seccomp_data, nr));
	allow_sorted(&f, allowed, nr);

	struct sock_fprog program = {.len = f.nr, .filter = f.list};

	/* without the flag, older kernels turn on mitigations of speculation that cost much time */
	syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program);
}

static void limit(int resource, rlim_t most)
{
	struct rlimit now;

	if (!getrlimit(resource, &now) && now.rlim_max < most)
		most = now.rlim_max;
	setrlimit(resource, &(struct rlimit){most, most});
}

/*
 * The soft limit raises SIGXCPU, the hard limit SIGKILL, which another process may have sent, too.
 */
static void limit_time(rlim_t seconds)
{
	limit(RLIMIT_CPU, seconds + 1);
	setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds + 1});
}

/* Returns the bytes of private memory. In a child, this includes the memory of its parent. */
static uint64_t private_memory(void)
{
	FILE *in = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (in && fscanf(in, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
		pages = 0;
	if (in)
		fclose(in);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void sandbox_mute(void)
{
	int null = SANITIZED ? -1 : open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	if (null > STDERR_FILENO)
		close(null);
}

bool sandbox_enter(const struct sandbox *sandbox)
{
	uint64_t memory = sandbox->memory;

	add_capped(&memory, private_memory());
	if (sandbox->nice < 0 || getpriority(PRIO_PROCESS, 0) < 0)
		setpriority(PRIO_PROCESS, 0, sandbox->nice);
	sandbox_mute();
	memory_die_first();
	bool safe = user_become_unprivileged();

	prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of user clears it; it is refused later */
	signal(SIGXFSZ, SIG_IGN);         /* a failed write is enough */
	signal(SIGTSTP, SIG_IGN);         /* the terminal stops the parent */
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NPROC, 0);
	limit(RLIMIT_FSIZE, sandbox->file_size);
	if (sandbox->cpu_s)
		limit_time(sandbox->cpu_s);
	if (sandbox->open_files)
		limit(RLIMIT_NOFILE, sandbox->open_files);
	if (!SANITIZED)
		limit(RLIMIT_DATA, memory);
	if (!SANITIZED && NATIVE_ARCH)
		filter_calls(sandbox->no_files);
	return safe;
}

/* Unmaps writable shared memory, which BPF programs may use. */
static void unmap_shared(void)
{
	FILE *in = fopen("/proc/self/maps", "re");
	char line[PATH_MAX + 128], mode[5];
	struct {
		uintptr_t start, end;
	} *list = NULL;
	size_t nr = 0, alloc = 0;

	while (in && fgets(line, sizeof(line), in)) {
		ALLOC_GROW(list, nr, alloc);
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &list[nr].start, &list[nr].end,
			    mode) == 3 &&
			mode[3] == 's' && mode[1] == 'w')
			nr++;
	}
	if (in)
		fclose(in);
	for (size_t i = 0; i < nr; i++)
		munmap((void *)list[i].start, list[i].end - list[i].start);
	free(list);
}

int sandbox_detach(int fd)
{
	int kept = STDERR_FILENO + 1, max = (int)sysconf(_SC_OPEN_MAX);

	if (fd != kept && dup2(fd, kept) < 0)
		return fd;
	if (syscall(__NR_close_range, kept + 1, ~0U, 0))
		for (int other = kept + 1; other < max; other++)
			close(other);
	unmap_shared();
	return kept;
}
