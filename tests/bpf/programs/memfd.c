/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memfd SECONDS PROGRAM: executes a copy of PROGRAM in a memfd, so that it runs from no file. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int from = argc > 2 ? open(argv[2], O_RDONLY | O_CLOEXEC) : -1,
	    to = memfd_create("program", MFD_CLOEXEC);
	struct stat st;

	if (from < 0 || to < 0 || fstat(from, &st) ||
		sendfile(to, from, NULL, (size_t)st.st_size) != st.st_size)
		return 2;
	argv[2] = NULL;
	fexecve(to, argv, environ);
	perror("memfd");
	return 2;
}
