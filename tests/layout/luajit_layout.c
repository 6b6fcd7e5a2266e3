/* SPDX-License-Identifier: GPL-2.0-or-later */
/* luajit_layout PID [TIMES]: prints what luajit_find finds in a process, TIMES times; prints on
 * stderr how long each search took, and all searches of its memory. */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/inspect.h"
#include "runtime/lua/luajit_fast.h"
#include "runtime/lua/luajit_find.h"

#include <inttypes.h>
#include <stdlib.h>

static void print_layout(const struct luajit_layout *l, const char *path, uint32_t pid)
{
	struct strbuf text = STRBUF_INIT;

	luajit_describe(l, path, pid, &text);
	puts(text.buf);
	strbuf_release(&text);
	printf("state %#" PRIx64 "%s\n", l->state, l->has_traces ? ", with traces" : "");
#define SAY(name) printf("%s %#x\n", #name, l->shape.name);
	LUAJIT_SHAPE_ALL(SAY)
#undef SAY
	for (unsigned i = 0; i < 256; i++)
		if (luajit_fast_name(l->fast, i))
			printf("%u %s\n", i, luajit_fast_name(l->fast, i));
}

int main(int argc, char **argv)
{
	struct strbuf err = STRBUF_INIT;
	struct luajit_layout layout, like;
	struct processes ps;
	struct target t;
	int found = -1, times = argc > 2 ? atoi(argv[2]) : 1;

	if (argc < 2)
		return EXIT_USAGE_ERROR;
	processes_init(&ps);
	inspect_init(&t, &ps, processes_get(&ps, (uint32_t)atoi(argv[1])), NULL);
	for (int i = 0; i < times; i++) {
		int64_t began = monotonic_ns();

		found = luajit_find(&t, i ? &like : NULL, &layout, &err);
		fprintf(stderr, "%.3f ms, searches %.3f ms\n",
			(double)(monotonic_ns() - began) / 1e6,
			(double)layout.search.took_ns / 1e6);
		like = layout;
	}
	if (found)
		printf("[%s]\n", found > 0 ? "no LuaJIT there" : err.buf);
	else
		print_layout(&layout, luajit_file(&t)->path, (uint32_t)atoi(argv[1]));
	inspect_release(&t);
	processes_release(&ps);
	strbuf_release(&err);
	return found ? EXIT_FAILED : EXIT_OK;
}
