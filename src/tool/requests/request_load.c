/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "request_load.h"
#include "lib/strbuf.h"
#include "process/task.h"

enum { FULL = 90 }; /* per cent of the time from which a worker has none left */

uint64_t request_load_busy(uint32_t pid)
{
	return task_ticks(pid) * task_tick_ns() + task_run_delay(pid, 0);
}

void request_load_say(const struct request_load *list, size_t nr, uint64_t ns, struct strbuf *out)
{
	size_t full = 0;

	for (size_t i = 0; i < nr; i++)
		full += list[i].busy_ns / FULL >= ns / 100;
	if (!full)
		return;
	strbuf_addf(out,
		"%zu of %zu worker%s busy all the time: requests also wait in the sockets before "
		"they are read, which these times do not include\n",
		full, nr, nr == 1 ? " was" : "s were");
}
