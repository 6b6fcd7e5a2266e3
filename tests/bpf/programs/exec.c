/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exec-a SECONDS DIR [END]: works for 20 ms in functions of its own, then executes exec-b, which
 * executes exec-a, and so on. Built with -DSELF=a or -DSELF=b. */
#include "case.h"

#include <string.h>
#include <time.h>

#define JOIN(name) JOINED(SELF, name)
#define JOINED(self, name) JOINED_NOW(self, name)
#define JOINED_NOW(self, name) self##_##name
#define TEXT(word) TEXT_NOW(word)
#define TEXT_NOW(word) #word
enum { a_ROOM = 16, b_ROOM = 5000 };

static NOINLINE void JOIN(spin)(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 50;

	do
		case_sink = burn_unit(case_sink);
	while (clock() < end);
}

static NOINLINE void JOIN(work)(void)
{
	volatile char room[JOIN(ROOM)];

	case_keep(room);
	JOIN(spin)();
	case_keep(room);
}

int main(int argc, char **argv)
{
	char path[4096], end[32];

	if (argc < 3)
		return 64;
	if (argc < 4)
		case_ready();
	time_t over = argc > 3 ? (time_t)atol(argv[3]) : time(NULL) + atoi(argv[1]);

	JOIN(work)();
	if (time(NULL) >= over)
		return 0;
	snprintf(path, sizeof(path), "%s/exec-%s", argv[2], strcmp(TEXT(SELF), "a") ? "a" : "b");
	snprintf(end, sizeof(end), "%ld", (long)over);
	execl(path, path, argv[1], argv[2], end, (char *)NULL);
	perror(path);
	return 2;
}
