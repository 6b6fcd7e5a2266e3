/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trial.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/open_files.h"

#include <time.h>
#include <unistd.h>

enum {
	BUSY_NS = 20000000, /* enough for some ticks */
	NAPS = 10,          /* enough for some waits */
	NAP_US = 1000,
	ROUNDS = 1024, /* rounds of computing between two naps */
	LIMIT_S = 10,  /* limit on a busy machine */
};

static int64_t own_cpu_ns(void)
{
	struct timespec ts = {0};

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* Computes, makes system calls and sleeps, which are events for most tools. */
static void be_busy(const struct engine_ops *ops, struct engine *engine)
{
	int64_t end = own_cpu_ns() + BUSY_NS, limit = monotonic_ns() + LIMIT_S * 1000000000LL;

	for (int naps = 0; (naps < NAPS || own_cpu_ns() < end) && monotonic_ns() < limit; naps++) {
		for (int i = 0; i < ROUNDS && own_cpu_ns() < end; i++)
			;
		ops->wait(engine, 0);
		usleep(NAP_US);
	}
}

static bool is_whole(const struct recording *rec, const struct rec_row *row)
{
	for (int i = 0; i < ROW_STACKS && row->stacks[i] != NO_STACK; i++)
		if (rec->stacks[row->stacks[i]].end != END_ROOT)
			return false;
	return true;
}

static void count(const struct recording *rec, struct trial *trial)
{
	for (size_t i = 0; i < rec->nr_rows; i++) {
		trial->samples += rec->rows[i].count;
		if (is_whole(rec, &rec->rows[i]))
			trial->whole += rec->rows[i].count;
	}
}

static int record(const struct engine_ops *ops, struct engine *engine, struct trial *trial,
	struct strbuf *err)
{
	struct strbuf notes = STRBUF_INIT;
	struct open_files files = {0};
	struct recording rec;
	int ret;

	if (ops->start(engine, err)) {
		const char *log = ops->log(engine);

		trial->log = log ? xstrdup(log) : NULL;
		return -1;
	}
	be_busy(ops, engine);
	ops->stop(engine);
	recording_init(&rec);
	ret = ops->take(engine, &rec, &files, &notes, err);
	count(&rec, trial);
	recording_release(&rec);
	open_files_release(&files);
	strbuf_release(&notes);
	return ret < 0 ? -1 : 0;
}

int trial_run(const struct engine_ops *ops, const struct engine_request *request,
	struct trial *trial, struct strbuf *err)
{
	uint32_t self = (uint32_t)getpid();
	struct engine_request own = {
		.tool = request->tool,
		.values = request->values,
		.pids = &self,
		.nr_pids = 1,
		.children = true, /* so that the programs for children are loaded, too */
		.user = request->user,
		.kernel = request->kernel,
		.vms = request->vms,
		.operators = request->operators,
		.labels = request->labels,
		.label_is_optional = true,
		.label_values = request->label_values,
		.mixed = request->mixed,
		.hz = request->hz,
	};
	struct engine *engine = ops->new (&own, err);
	int ret = engine ? record(ops, engine, trial, err) : -1;

	if (engine)
		ops->free(engine);
	return ret;
}
