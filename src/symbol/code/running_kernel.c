/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "running_kernel.h"
#include "code_job.h"
#include "lib/strbuf.h"
#include "model/recording.h"
#include "symbol/names/kallsyms.h"
#include "symbol/names/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static bool has_kernel(const struct recording *rec)
{
	for (size_t i = 0; i < rec->nr_frames; i++)
		if (rec->frames[i].kind == FRAME_KERNEL && rec->frames[i].place == AT_ADDRESS)
			return true;
	return false;
}

/* Returns whether this is the same build at the same addresses, which change at each boot. */
static bool is_recorded(const struct recording *rec, const struct kallsyms *symbols)
{
	struct recording now;

	recording_init(&now);
	kernel_describe(&now, "/sys");
	const char *build_id = recording_get(&now, now.kernel_build_id);
	bool same = *build_id && !strcmp(build_id, recording_get(rec, rec->kernel_build_id)) &&
		    rec->kernel_text && rec->kernel_text == kallsyms_text(symbols);

	recording_release(&now);
	return same;
}

void running_kernel_open(struct running_kernel *kernel, const struct recording *rec)
{
	struct strbuf err = STRBUF_INIT;

	*kernel = (struct running_kernel){.kcore = -1};
	if (!has_kernel(rec))
		return;
	kernel->symbols = kallsyms_new(&err);
	strbuf_release(&err);
	kernel->is_recorded = kernel->symbols && is_recorded(rec, kernel->symbols);
	if (!kernel->is_recorded)
		return;
	kernel->kcore = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	kernel->error = kernel->kcore < 0 ? errno : 0;
}

void running_kernel_close(struct running_kernel *kernel)
{
	kallsyms_free(kernel->symbols);
	if (kernel->kcore >= 0)
		close(kernel->kcore);
}

void running_kernel_place(
	const struct running_kernel *kernel, uint64_t address, struct kernel_place *place)
{
	const char *name, *module;
	uint64_t next = kallsyms_next(kernel->symbols, address);

	*place = (struct kernel_place){0};
	if (!next || !kallsyms_find(kernel->symbols, address, &name, &module, &place->before))
		return;
	place->after = next - address;
}

void running_kernel_explain(const struct running_kernel *kernel, struct strbuf *why)
{
	strbuf_adds(why, ": its code is not known: its vmlinux with debug information is not "
			 "installed, and ");
	if (kernel->is_recorded)
		strbuf_addf(why, "'/proc/kcore' cannot be read: %s",
			kernel->error ? strerror(kernel->error) : "it lacks the addresses");
	else if (!kernel->symbols)
		strbuf_adds(why, "'/proc/kcore' needs root");
	else
		strbuf_adds(why, "another kernel runs now, or this one since another boot");
}
