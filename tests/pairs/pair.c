/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pair ROOT [RELEASE]: runs the preflight for SystemTap and a kernel that are unpacked below ROOT.
 */
#include "check/check.h"
#include "engine/tool.h"
#include "lib/strbuf.h"
#include "lib/util.h"

int main(int argc, char **argv)
{
	struct strbuf err = STRBUF_INIT;
	struct checks checks;
	struct tool tool;

	if (argc < 2 || argc > 3) {
		fputs("pair: usage: pair ROOT [RELEASE]\n", stderr);
		return EXIT_USAGE_ERROR;
	}
	if (tool_find(&tool, "on-cpu", &err)) {
		fprintf(stderr, "pair: %s\n", err.buf);
		return EXIT_FAILED;
	}
	checks_run(&checks, &(struct check_request){
				    .root = argv[1],
				    .release = argv[2],
				    .user = true,
				    .kernel = true,
				    .tool = &tool,
			    });
	checks_text(&checks, 1, stdout);
	int ret = checks_fit(&checks) ? EXIT_OK : EXIT_FAILED;

	checks_release(&checks);
	tool_release(&tool);
	return ret;
}
