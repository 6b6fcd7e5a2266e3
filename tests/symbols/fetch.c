/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch [-f S] [-a S] [-s S] [-n] [-q] [-r] [-x] BUILD_ID[=NAME]…: debuginfod_fetch as a program.
 * Prints "RESULT NAME PATH" for each file; notes go to stderr. -f, -a, -s: seconds for a file, for
 * all files, and of silence; -n: ignores known failures; -q: no progress; -r: rejects the files
 * that come; -x: fetches executables.
 */
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/user.h"
#include "lib/util.h"
#include "symbol/fetch/debuginfod.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const results[] = {
	[DEBUGINFOD_FOUND] = "found",
	[DEBUGINFOD_UNKNOWN] = "unknown",
	[DEBUGINFOD_FAILED] = "failed",
	[DEBUGINFOD_TIMEOUT] = "timeout",
	[DEBUGINFOD_LEFT_OUT] = "left-out",
};

struct asked {
	struct debuginfod_options options;
	enum debuginfod_kind kind;
	bool reject;
};

static bool parse(struct asked *asked, int argc, char **argv)
{
	struct debuginfod_options *o = &asked->options;

	for (int c; (c = getopt(argc, argv, "f:a:s:nqrx")) != -1;)
		switch (c) {
		case 'f':
			o->file_s = (unsigned)atoi(optarg);
			break;
		case 'a':
			o->all_s = (unsigned)atoi(optarg);
			break;
		case 's':
			o->silence_s = (unsigned)atoi(optarg);
			break;
		case 'n':
			o->again = true;
			break;
		case 'q':
			o->quiet = true;
			break;
		case 'r':
			asked->reject = true;
			break;
		case 'x':
			asked->kind = DEBUGINFOD_EXECUTABLE;
			break;
		default:
			return false;
		}
	return true;
}

static struct debuginfod_file file_of(char *word, enum debuginfod_kind kind)
{
	char *equals = strchr(word, '=');

	if (equals)
		*equals = '\0';
	return (struct debuginfod_file){
		.build_id = word, .name = equals ? equals + 1 : word, .kind = kind};
}

static void print(struct debuginfod_file *file, bool reject)
{
	printf("%s %s %s\n", results[file->result], file->name, file->path ? file->path : "-");
	if (reject)
		debuginfod_reject(file);
	free(file->path);
}

int main(int argc, char **argv)
{
	struct asked asked = {0};
	struct strbuf notes = STRBUF_INIT;

	program_init();
	if (!parse(&asked, argc, argv))
		return EXIT_USAGE_ERROR;
	bool servers = debuginfod_has_servers();

	if (user_drop_privileges(&notes)) {
		program_say_lines(&notes);
		return EXIT_FAILED;
	}
	if (!servers) {
		puts("no servers");
		return EXIT_OK;
	}
	size_t n = (size_t)(argc - optind);
	struct debuginfod_file *files = xcalloc(n, sizeof(*files));

	for (size_t i = 0; i < n; i++)
		files[i] = file_of(argv[optind + (int)i], asked.kind);
	debuginfod_fetch(files, n, &asked.options, &notes);
	program_say_lines(&notes);
	for (size_t i = 0; i < n; i++)
		print(&files[i], asked.reject);
	if (waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD)
		puts("a child is left");
	strbuf_release(&notes);
	free(files);
	return EXIT_OK;
}
