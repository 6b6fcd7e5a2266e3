/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read PID: prints the data that are found in a worker of nginx as lines "KEY VALUE…": layout,
 * arrays and modules, then each request with its texts. For tests/nginx. */
#include "label/nginx/nginx_find.h"
#include "label/nginx/nginx_modules.h"
#include "nginx/nginx_read.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/inspect.h"
#include "process/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void print_request(const struct nginx_modules *modules, const struct nginx_request *r)
{
	static const char *const names[NGINX_TEXTS] = {"uri", "args", "method", "host", "server",
		"location", "upstream", "peer", "client"};
	const struct nginx_texts *t = &r->texts;
	const struct nginx_module *handler = nginx_handler(modules, t->phase, t->content_handler);
	const char *phase = nginx_phase_name(modules, t->phase);

	printf("request phase=%s handler=%s status=%" PRIu32 " sub=%" PRIu32 " conn=%" PRIu64
	       " start=%" PRId64 " sent=%" PRId64 " consistent=%d",
		phase ? phase : "?", handler ? handler->name : "?", t->status, t->subrequest,
		t->connection, r->start_ms, r->sent, r->consistent);
	for (int i = 0; i < NGINX_TEXTS; i++) {
		uint32_t len = t->text[i].len < NGINX_TEXT_MAX ? t->text[i].len : NGINX_TEXT_MAX;

		printf(" %s=%.*s", names[i], (int)len, t->text[i].bytes);
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct nginx_connection *connections;
	struct nginx_modules modules;
	struct nginx_request request;
	struct nginx_layout layout;
	struct strbuf text = STRBUF_INIT;
	struct processes ps;
	struct target target;
	uint64_t pid, *requests;
	size_t nr;

	if (argc != 2 || !parse_u64(argv[1], strlen(argv[1]), 10, &pid)) {
		fputs("usage: read PID\n", stderr);
		return EXIT_USAGE_ERROR;
	}
	processes_init(&ps);
	inspect_init(&target, &ps, processes_get(&ps, (uint32_t)pid), NULL);
	if (nginx_find(&target, &layout, &text)) {
		fprintf(stderr, "read: %s\n", text.len ? text.buf : "no nginx");
		return EXIT_FAILED;
	}
	nginx_describe(&layout, nginx_file(&target)->path, (uint32_t)pid, &text);
	printf("found %s\n", text.buf);
	nginx_modules_read(&layout, &target, &modules);
	printf("modules %zu functions %zu handlers %zu\n", modules.nr, modules.code.nr,
		modules.nr_handlers);
	for (size_t i = 0; i < modules.nr_handlers; i++) {
		const struct nginx_module *m = nginx_handler(&modules, i, 0);

		printf("handler %s %s\n", nginx_phase_name(&modules, i), m ? m->name : "-");
	}
	connections = nginx_connections_read(&layout, &target.memory, &nr);
	printf("connections %zu\n", nr);
	requests = nginx_requests_list(connections, nr, &nr);
	for (size_t i = 0; i < nr; i++)
		if (nginx_request_read(&layout, &target.memory, requests[i], &request))
			print_request(&modules, &request);
	free(requests);
	free(connections);
	nginx_modules_release(&modules);
	strbuf_release(&text);
	inspect_release(&target);
	processes_release(&ps);
	reader_end();
	return EXIT_OK;
}
