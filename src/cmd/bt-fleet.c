/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs of a fleet: sends windows to servers, and asks them. The only program with a network. */
#include "fleet/clickhouse.h"
#include "fleet/send.h"
#include "lib/lines.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/user.h"
#include "lib/util.h"
#include "view/args/arg_value.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { DAYS_MAX = 100000, WORDS_MAX = 3 };

struct fleet_command {
	char *words[WORDS_MAX + 1]; /* what to do, and with what */
	size_t nr;
	const char *cluster;
	unsigned days;
	bool follow;
};

#define AT(member) ARG_AT(struct fleet_command, member)

static const struct arg_option options[] = {
	{"cluster", 0, "NAME", "init, expire: the server is a part of this cluster of its settings",
		1, arg_text, AT(cluster), .use = "the name of a cluster"},
	{"days", 0, "N",
		"init, expire: keep samples for N days (default: init: for ever; expire: 30)", 1,
		arg_count, AT(days), 1, DAYS_MAX},
	{"follow", 0, NULL, "send: also windows that come later, until the end of stdin", 1,
		arg_flag, AT(follow)},
	{0},
};

static void take_words(void *input, const struct arg_words *words)
{
	struct fleet_command *c = input;

	if (words->nr > WORDS_MAX)
		arg_error("too many words: '%s'", words->list[WORDS_MAX]);
	for (c->nr = 0; c->nr < words->nr; c->nr++)
		c->words[c->nr] = words->list[c->nr];
}

static const struct arg_table program = {
	.options = options,
	.take_words = take_words,
	.words = "init|expire|ls|get|names URL\n       bt-fleet [OPTION...] send URL DIR",
	.about = "Keeps the windows of continuous recordings by sample-bt in ClickHouse, "
		 "clickhouse://HOST/DATABASE, or sends them to a collector of OpenTelemetry, "
		 "otlp+http://HOST:4318.\v"
		 "init makes the tables; expire drops what is old; ls lists services, hosts and "
		 "versions; get writes what the URL selects as a recording; names stores the names "
		 "of a recording's frames (stdin); send sends the windows in a folder.\n"
		 "Exit status: 0 all; 1 a shard does not answer; 2 failed; 64 wrong usage.",
};

static int get(const struct fleet_url *url, struct strbuf *err)
{
	struct recording rec;

	recording_init(&rec);
	int ret = clickhouse_get(url, &rec, err);

	if (ret >= 0 && recording_write(&rec, stdout, err))
		ret = -1;
	recording_release(&rec);
	return ret;
}

static int names(const struct fleet_url *url, struct strbuf *err)
{
	struct recording rec;
	struct lines lines;

	recording_init(&rec);
	lines_init(&lines, STDIN_FILENO);
	lines_decompress(&lines);
	int ret = recording_read(&rec, &lines, err);

	if (!ret)
		ret = clickhouse_store_names(url, &rec, err);
	lines_release(&lines);
	recording_release(&rec);
	return ret;
}

/* Does what the first word says. Returns -1 with a message on failure, or the exit code. */
static int act(const struct fleet_command *c, const struct fleet_url *url, struct strbuf *err)
{
	const char *what = c->words[0];

	if (!strcmp(what, "send"))
		return send_windows(&(struct send){url, c->words[2], c->follow});
	if (url->is_otlp)
		return fail(err, "a collector only takes windows: bt-fleet send\n");
	if (!strcmp(what, "init"))
		return clickhouse_init(url, c->cluster, c->days, err);
	if (!strcmp(what, "expire"))
		return clickhouse_expire(url, c->cluster, c->days ? c->days : 30, err);
	if (!strcmp(what, "ls"))
		return clickhouse_list(url, stdout, err);
	return !strcmp(what, "get") ? get(url, err) : names(url, err);
}

static void check_words(const struct fleet_command *c)
{
	static const char *const list[] = {"init", "expire", "ls", "get", "names", "send"};
	size_t i = 0;

	if (!c->nr)
		arg_error("say what to do: init, expire, ls, get, names or send; try --help");
	while (i < ARRAY_LEN(list) && strcmp(list[i], c->words[0]) != 0)
		i++;
	if (i == ARRAY_LEN(list))
		arg_error("'%s': use init, expire, ls, get, names or send", c->words[0]);
	if (c->nr != (!strcmp(c->words[0], "send") ? 3 : 2))
		arg_error("%s needs a URL%s", c->words[0],
			!strcmp(c->words[0], "send") ? " and the folder of the windows" : "");
}

int main(int argc, char **argv)
{
	struct fleet_command c = {.nr = 0};
	struct strbuf err = STRBUF_INIT;
	struct fleet_url url;

	program_init();
	if (user_drop_capabilities()) { /* the recorder, which runs it, has many */
		program_say("cannot give up capabilities: %s", strerror(errno));
		return program_end(EXIT_FAILED);
	}
	arg_parse(&program, argc, argv, &c);
	check_words(&c);
	if (fleet_url_parse(&url, c.words[1], &err))
		arg_error("'%s': %.*s", c.words[1], (int)strcspn(err.buf, "\n"), err.buf);
	int ret = act(&c, &url, &err);

	program_say_rest(&err);
	fleet_url_release(&url);
	if (program_close(stdout, "stdout"))
		ret = -1;
	return program_end(ret < 0 ? EXIT_FAILED : ret);
}
