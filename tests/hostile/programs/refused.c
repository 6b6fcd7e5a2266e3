/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refused CALLS PROGRAM [ARG]…: runs PROGRAM under a seccomp filter that lets the system calls
 * CALLS, a comma-separated list of seccomp and prctl, fail with EPERM, as in a container whose own
 * filter refuses them. Needs root.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 3)
		return 64;
	unsigned refused[] = {__NR_seccomp,
		strstr(argv[1], "prctl") ? (unsigned)__NR_prctl : (unsigned)__NR_seccomp};
	struct sock_filter list[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[0], 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[1], 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = sizeof(list) / sizeof(*list), .filter = list};

	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("refused");
		return 77;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 126;
}
