/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fleet/spool.h"
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "model/recording.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define LARGEST (UINT64_MAX / 2)

/* A new spool without limits, whose folder is removed by close_spool(). */
static struct spool open_spool(void)
{
	struct spool spool = {
		.folder = xstrdup("/tmp/spool.XXXXXX"), .bytes_max = LARGEST, .age_max = INFINITY};

	assert_non_null(mkdtemp((char *)(uintptr_t)spool.folder));
	assert_int_equal(spool_open(&spool, NULL), 0);
	return spool;
}

static void close_spool(struct spool *spool)
{
	struct spool_list files;

	assert_int_equal(spool_read(spool->folder, &files, NULL), 0);
	for (size_t i = 0; i < files.nr; i++)
		unlink(files.list[i].path);
	spool_list_release(&files);
	spool_close(spool);
	char *lock = xasprintf("%s/.lock", spool->folder);

	assert_int_equal(unlink(lock), 0);
	free(lock);
	assert_int_equal(rmdir(spool->folder), 0);
	free((char *)(uintptr_t)spool->folder);
}

/* Adds a window with COUNT samples that began at STARTED. */
static int add(struct spool *spool, const char *started, uint64_t count, struct strbuf *err)
{
	struct recording rec;

	recording_init(&rec);
	recording_add_meta(&rec, "started", started);
	recording_add_event(&rec, "on-cpu", "samples", "cpu", 0);
	recording_add_task(&rec, &(struct rec_task){1, 1, 1, recording_string(&rec, "a")});
	recording_add_row(
		&rec, &(struct rec_row){.stacks = {NO_STACK, NO_STACK, NO_STACK, NO_STACK},
			      .count = count,
			      .sum = count});
	int ret = spool_add(spool, &rec, err);

	recording_release(&rec);
	return ret;
}

static void add_well(struct spool *spool, const char *started, uint64_t count)
{
	assert_int_equal(add(spool, started, count, NULL), 0);
}

/* Appends what the file's windows are: "BEGIN COUNT+LOST", each on a line, as they are sorted. */
static void list_windows(const struct spool *spool, struct strbuf *out)
{
	struct spool_list files;

	assert_int_equal(spool_read(spool->folder, &files, NULL), 0);
	for (size_t i = 0; i < files.nr; i++) {
		struct recording rec;
		struct lines lines;
		int fd = open(files.list[i].path, O_RDONLY);

		recording_init(&rec);
		lines_init(&lines, fd);
		lines_decompress(&lines);
		assert_int_equal(recording_read(&rec, &lines, NULL), 0);
		strbuf_addf(out, "%s %d+%d\n", recording_meta(&rec, "started"),
			(int)rec.rows[0].count, (int)rec.lost[LOST_SPOOL]);
		lines_release(&lines);
		recording_release(&rec);
		close(fd);
	}
	spool_list_release(&files);
}

static void assert_windows(const struct spool *spool, const char *wanted)
{
	struct strbuf got = STRBUF_INIT;

	list_windows(spool, &got);
	assert_string_equal(got.buf, wanted);
	strbuf_release(&got);
}

/* Windows that begin in the same second are kept, and told apart. */
static void spool_add__same_second(void **state)
{
	struct spool spool = open_spool();

	(void)state;
	for (int i = 0; i < 3; i++)
		add_well(&spool, "2026-11-28T14:03:00Z", 7);
	assert_windows(&spool, "2026-11-28T14:03:00Z 7+0\n"
			       "2026-11-28T14:03:01Z 7+0\n"
			       "2026-11-28T14:03:02Z 7+0\n");
	close_spool(&spool);
}

/* After the clock was set back, windows stay in the order in which they were recorded. */
static void spool_add__clock_set_back(void **state)
{
	struct spool spool = open_spool();
	struct spool_list files;

	(void)state;
	add_well(&spool, "2026-11-28T14:03:00Z", 1);
	add_well(&spool, "2026-11-28T14:04:00Z", 2);
	for (uint64_t i = 3; i < 12; i++)
		add_well(&spool, i % 2 ? "2026-11-28T13:04:00Z" : "2026-11-28T14:04:00Z", i);
	add_well(&spool, "2026-11-28T14:05:00Z", 12);
	assert_windows(&spool, "2026-11-28T14:03:00Z 1+0\n2026-11-28T14:04:00Z 2+0\n"
			       "2026-11-28T13:04:00Z 3+0\n2026-11-28T14:04:01Z 4+0\n"
			       "2026-11-28T13:04:01Z 5+0\n2026-11-28T14:04:02Z 6+0\n"
			       "2026-11-28T13:04:02Z 7+0\n2026-11-28T14:04:03Z 8+0\n"
			       "2026-11-28T13:04:03Z 9+0\n2026-11-28T14:04:04Z 10+0\n"
			       "2026-11-28T13:04:04Z 11+0\n2026-11-28T14:05:00Z 12+0\n");

	/* what is dropped is what was recorded first, whatever its time is */
	assert_int_equal(spool_read(spool.folder, &files, NULL), 0);
	spool.bytes_max = 0;
	for (size_t i = 5; i < files.nr; i++)
		spool.bytes_max += files.list[i].bytes;
	spool_list_release(&files);
	add_well(&spool, "2026-11-28T12:00:00Z", 13);
	assert_int_equal(spool_read(spool.folder, &files, NULL), 0);
	assert_in_range(files.list[0].nr_events, 7, 8);
	assert_int_equal(files.list[files.nr - 1].nr_events, 13 + 1 + 2 + 3 + 4 + 5);
	spool_list_release(&files);
	close_spool(&spool);
}

/* What cannot be written is in the account of the next window that can, and said in equal words. */
static void spool_add__full(void **state)
{
	struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
	struct spool spool = open_spool();
	struct rlimit limit, none;

	(void)state;
	getrlimit(RLIMIT_FSIZE, &limit);
	none = limit;
	none.rlim_cur = 0;
	signal(SIGXFSZ, SIG_IGN);
	add_well(&spool, "2026-11-28T14:03:00Z", 1);
	setrlimit(RLIMIT_FSIZE, &none);
	int one = add(&spool, "2026-11-28T14:04:00Z", 2, &first);
	int other = add(&spool, "2026-11-28T14:05:00Z", 3, &second);

	setrlimit(RLIMIT_FSIZE, &limit);
	assert_true(one == -1 && other == -1);
	assert_string_equal(first.buf, second.buf);
	assert_non_null(strstr(first.buf, spool.folder));
	assert_int_equal(spool.nr_dropped, 5);
	assert_windows(&spool, "2026-11-28T14:03:00Z 1+0\n");
	add_well(&spool, "2026-11-28T14:06:00Z", 4);
	assert_windows(&spool, "2026-11-28T14:03:00Z 1+0\n2026-11-28T14:06:00Z 4+5\n");
	strbuf_release(&first);
	strbuf_release(&second);
	close_spool(&spool);
}

/* Makes a file of this name, which was written SECONDS ago. */
static void make_file(const struct spool *spool, const char *name, int64_t seconds)
{
	char *path = xasprintf("%s/%s", spool->folder, name);
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	struct timespec times[2] = {
		{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};

	assert_int_equal(write(fd, "damaged", 7), 7);
	futimens(fd, times);
	close(fd);
	free(path);
}

/* Rests are dropped as windows. */
static void spool_add__rests(void **state)
{
	struct spool spool = open_spool();
	struct spool_list files;

	(void)state;
	spool.age_max = 1000;
	make_file(&spool, "20261128T140100Z-on-cpu-5.rec.zst.damaged", 2000);
	make_file(&spool, "20261128T140200Z.000001-on-cpu-6.rec.zst.Ab12Cd", 2000);
	make_file(&spool, "20261128T140300Z-on-cpu-7.rec.zst.Ab12Cd", 1);
	make_file(&spool, "20261128T140300Z-on-cpu-7.rec.zstd", 2000);
	add_well(&spool, "2026-11-28T14:04:00Z", 1);
	assert_int_equal(spool_read(spool.folder, &files, NULL), 0);
	assert_int_equal(files.nr, 2);
	assert_true(files.list[0].is_rest && files.list[0].nr_events == 7);
	assert_true(!files.list[1].is_rest && files.list[1].nr_events == 1 + 5 + 6);
	spool_list_release(&files);

	char *other = xasprintf("%s/20261128T140300Z-on-cpu-7.rec.zstd", spool.folder);

	assert_int_equal(unlink(other), 0);
	free(other);
	close_spool(&spool);
}

/* Windows that were set aside are in the account of the next one, each once, and kept. */
static void spool_add__set_aside(void **state)
{
	static const char *const names[] = {"20261128T140100Z-on-cpu-5.rec.zst.damaged.counted",
		"20261128T140200Z-on-cpu-6.rec.zst.refused.counted",
		"20261128T140300Z-on-cpu-7.rec.zst.Ab12Cd", "20261128T140400Z-on-cpu-12.rec.zst",
		"20261128T140500Z-on-cpu-2.rec.zst"};
	struct spool spool = open_spool();
	struct spool_list files;

	(void)state;
	make_file(&spool, "20261128T140100Z-on-cpu-5.rec.zst.damaged", 1);
	make_file(&spool, "20261128T140200Z-on-cpu-6.rec.zst.refused", 1);
	make_file(&spool, "20261128T140300Z-on-cpu-7.rec.zst.Ab12Cd", 1);
	add_well(&spool, "2026-11-28T14:04:00Z", 1);
	add_well(&spool, "2026-11-28T14:05:00Z", 2);
	assert_int_equal(spool_read(spool.folder, &files, NULL), 0);
	assert_int_equal(files.nr, 5);
	for (size_t i = 0; i < files.nr; i++)
		assert_string_equal(files.list[i].path + strlen(spool.folder) + 1, names[i]);
	assert_int_equal(files.list[0].nr_events, 0);
	assert_int_equal(files.list[1].nr_events, 0);
	spool_list_release(&files);
	close_spool(&spool);
}

/* Another process, as another recorder, cannot open the spool, until this one ends. */
static void spool_open__in_use(void **state)
{
	struct spool spool = open_spool(), other = {.folder = spool.folder};
	struct strbuf err = STRBUF_INIT;
	int status;

	(void)state;
	char *wanted = xasprintf("the spool '%s' is in use by another recorder, process %d: give "
				 "each its own folder (--spool)\n",
		spool.folder, (int)getpid());

	for (int in_use = 1; in_use >= 0; in_use--) {
		pid_t pid = fork();

		if (!pid) {
			int ret = spool_open(&other, &err);

			_exit(in_use ? ret == -1 && !strcmp(err.buf, wanted) : !ret);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 1 << 8);
		spool_close(&spool);
	}
	free(wanted);
	close_spool(&spool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spool_add__same_second),
		cmocka_unit_test(spool_add__clock_set_back),
		cmocka_unit_test(spool_add__full),
		cmocka_unit_test(spool_add__rests),
		cmocka_unit_test(spool_add__set_aside),
		cmocka_unit_test(spool_open__in_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
