/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * userfault: the stacks of its threads, except for their current pages, and a page of code through
 * which one of them was called belong to a userfaultfd that is never served. A process that reads
 * them waits for ever. One thread waits, the other one is busy. Needs the right to use userfaultfd.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, STACK = 64 * PAGE, ABOVE = 8 * PAGE };

static int fault_fd;
static __thread char *code_page;

static int open_userfaultfd(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	return fd < 0 || ioctl(fd, UFFDIO_API, &api) ? -1 : fd;
}

/* Makes each later access to these pages wait for an answer. */
static void take_away(char *at, size_t size)
{
	struct uffdio_register range = {
		.range = {(uintptr_t)at, size}, .mode = UFFDIO_REGISTER_MODE_MISSING};

	if (madvise(at, size, MADV_DONTNEED) || ioctl(fault_fd, UFFDIO_REGISTER, &range)) {
		perror("userfault");
		_exit(1);
	}
}

/* The frame pointer of these functions leads into pages that were taken away. */
static __attribute__((noinline, optimize("no-omit-frame-pointer"))) void go_on(int wait)
{
	volatile unsigned long spins = 0;

	while (wait)
		pause();
	for (;;)
		spins++;
}

static __attribute__((noinline)) void *deep(void *arg)
{
	char room[ABOVE];
	char *end = (char *)(((uintptr_t)room + sizeof(room)) & ~(uintptr_t)(PAGE - 1));
	char *from = (char *)(((uintptr_t)room + PAGE) & ~(uintptr_t)(PAGE - 1));

	memset(room, 1, sizeof(room));
	take_away(from, (size_t)(end - from));
	take_away(code_page, PAGE);
	go_on(arg != NULL);
	return arg;
}

/* Calls go_on from code that is in no file. An unwinder may only trust its frame pointer if a call
 * precedes the return address, and the page of that call is taken away. */
static void *through_code(void *arg)
{
	/* push rbp; mov rbp, rsp; mov rax, rsi; mov rsi, rdx; call rax; pop rbp; ret */
	static const unsigned char code[] = {
		0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf0, 0x48, 0x89, 0xd6, 0xff, 0xd0, 0x5d, 0xc3};
	char *at = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	memcpy(at, code, sizeof(code));
	memcpy(at + PAGE, code, sizeof(code));
	code_page = at;
	((void (*)(void *, void *, void *(*)(void *)))(uintptr_t)at)(arg, at + PAGE, deep);
	return at;
}

int main(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	int wait;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fault_fd = open_userfaultfd();
	if (fault_fd < 0) {
		perror("userfaultfd");
		return 77;
	}
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	if (pthread_create(&thread, &attr, through_code, &wait) ||
		pthread_create(&thread, &attr, through_code, NULL))
		return 1;
	puts("waiting");
	fflush(stdout);
	for (;;)
		pause();
}
