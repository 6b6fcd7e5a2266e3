/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recording_file.h"
#include "lib/lines.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "model/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int read_lines(struct recording *rec, int fd, const char *name)
{
	struct strbuf err = STRBUF_INIT;
	const char *damage;
	struct lines lines;
	int ret;

	lines_init(&lines, fd);
	lines_decompress(&lines);
	ret = recording_read(rec, &lines, &err);
	damage = lines_damage(&lines);
	if (damage)
		program_say("'%s': %s%s", name, damage, ret < 0 ? "" : ": what is before is used");
	else if (ret < 0)
		program_say("'%s': %s", name, err.buf);
	lines_release(&lines);
	strbuf_release(&err);
	return ret < 0 ? -1 : !!damage;
}

int recording_file_read(struct recording *rec, const char *file)
{
	int fd, ret;

	if (!strcmp(file, "-"))
		return read_lines(rec, STDIN_FILENO, "stdin");
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		program_say("cannot open '%s': %s", file, strerror(errno));
		return -1;
	}
	ret = read_lines(rec, fd, file);
	close(fd);
	return ret;
}
