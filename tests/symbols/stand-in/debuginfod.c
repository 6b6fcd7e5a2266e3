/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bad libdebuginfod.so.1. $STAND_IN is "crash", or "hang": then it begins a file and never checks
 * whether it should stop. */
#include <elfutils/debuginfod.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static debuginfod_progressfn_t progress;
static int verbose;

debuginfod_client *debuginfod_begin(void)
{
	return (debuginfod_client *)&verbose;
}

void debuginfod_set_progressfn(debuginfod_client *client, debuginfod_progressfn_t fn)
{
	(void)client;
	progress = fn;
}

void debuginfod_set_verbose_fd(debuginfod_client *client, int fd)
{
	(void)client;
	verbose = fd;
}

const char *debuginfod_get_url(debuginfod_client *client)
{
	(void)client;
	return NULL;
}

int debuginfod_find_debuginfo(
	debuginfod_client *client, const unsigned char *build_id, int len, char **path)
{
	char folder[4096], file[4200];

	(void)len;
	(void)path;
	if (!strcmp(getenv("STAND_IN"), "crash"))
		abort();
	snprintf(folder, sizeof(folder), "%s/%s", getenv("DEBUGINFOD_CACHE_PATH"),
		(const char *)build_id);
	snprintf(file, sizeof(file), "%s/debuginfo.XXXXXX", folder);
	mkdir(getenv("DEBUGINFOD_CACHE_PATH"), 0700);
	mkdir(folder, 0700);
	if (mkstemp(file) < 0)
		abort();
	dprintf(verbose, "query 1 urls in parallel\n");
	sleep(1);
	progress(client, 1, 0);
	for (;;)
		sleep(1);
}

int debuginfod_find_source(debuginfod_client *client, const unsigned char *build_id, int len,
	const char *source, char **path)
{
	(void)source;
	return debuginfod_find_debuginfo(client, build_id, len, path);
}

int debuginfod_find_executable(
	debuginfod_client *client, const unsigned char *build_id, int len, char **path)
{
	return debuginfod_find_debuginfo(client, build_id, len, path);
}
