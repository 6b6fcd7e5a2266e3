/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stats COMMAND…: runs COMMAND while the kernel measures how long BPF programs run. */
#include <bpf/bpf.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = argc > 1 ? bpf_enable_stats(BPF_STATS_RUN_TIME) : -1;

	/* the kernel measures as long as the descriptor is open */
	if (fd < 0 || fcntl(fd, F_SETFD, 0)) {
		perror("stats");
		return 2;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 2;
}
