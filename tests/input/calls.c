/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded into the programs in the folder $CALLS_OF. main is called in a child for each text of
 * the file $CALLS, which becomes its last argument. Texts end with a null byte. The output of each
 * call on stdout is followed by a null byte, its wait status and a null byte.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int main_function(int argc, char **argv, char **envp);
typedef int start_function(main_function *program, int argc, char **argv, void (*init)(void),
	void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

static main_function *program;

static void call(int argc, char **argv, char **envp, char *last)
{
	char *args[argc + 2];
	pid_t pid;
	int status;

	memcpy(args, argv, argc * sizeof(*args));
	args[argc] = last;
	args[argc + 1] = NULL;
	pid = fork();
	if (!pid)
		exit(program(argc + 1, args, envp));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		abort();
	dprintf(STDOUT_FILENO, "%c%d%c", 0, status, 0);
}

/* The file is closed before the first call, because exit() of a child would reset its offset. */
static int call_all(int argc, char **argv, char **envp)
{
	static char texts[1 << 16];
	FILE *in = fopen(getenv("CALLS"), "re");
	size_t len;

	if (!in)
		return 1;
	len = fread(texts, 1, sizeof(texts), in);
	fclose(in);
	unsetenv("LD_PRELOAD"); /* for programs that this one executes */
	for (char *text = texts; text < texts + len; text += strlen(text) + 1)
		call(argc, argv, envp, text);
	return 0;
}

static int is_ours(void)
{
	const char *folder = getenv("CALLS_OF");
	size_t len = strlen(folder);
	char path[4096];
	ssize_t nr = readlink("/proc/self/exe", path, sizeof(path) - 1);

	return nr > (ssize_t)len && !memcmp(path, folder, len) && path[len] == '/';
}

int __libc_start_main(main_function *program_main, int argc, char **argv, void (*init)(void),
	void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(main_function *program_main, int argc, char **argv, void (*init)(void),
	void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	start_function *start = (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");

	program = program_main;
	return start(is_ours() ? call_all : program_main, argc, argv, init, fini, rtld_fini,
		stack_end);
}
