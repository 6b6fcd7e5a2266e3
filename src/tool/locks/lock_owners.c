/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lock_owners.h"
#include "locks.h"
#include "lib/util.h"
#include "process/task.h"

#include <bpf/bpf.h>
#include <inttypes.h>
#include <stdlib.h>

void lock_owners_init(struct lock_owners *o)
{
	strpool_init(&o->texts);
	table_init(&o->known);
}

void lock_owners_release(struct lock_owners *o)
{
	strpool_release(&o->texts);
	table_release(&o->known);
}

static uint32_t text_of(struct lock_owners *o, const char *comm, uint32_t tid)
{
	char *text = xasprintf("%.*s/%" PRIu32, COMM_LEN, comm, tid);
	uint32_t number = strpool_adds(&o->texts, text);

	free(text);
	return number;
}

/* Returns the text for a thread that lives, or 0. */
static uint32_t find_living(struct lock_owners *o, uint32_t pid, uint32_t number)
{
	uint32_t tid = pid ? task_thread(pid, number) : number;
	char comm[COMM_LEN + 1] = "";

	if (tid)
		task_comm(tid, comm, sizeof(comm));
	return *comm ? text_of(o, comm, tid) : 0;
}

/* Who has had a lock has released it: returns the text of the thread that has ended since, or 0. */
static uint32_t find_releaser(struct lock_owners *o, uint32_t tid, int labels)
{
	uint32_t number, *last = NULL;
	struct lock_labels l;

	for (; !bpf_map_get_next_key(labels, last, &number); last = &number)
		if (!bpf_map_lookup_elem(labels, &number, &l) && l.tid_by == tid)
			return text_of(o, l.comm_by, tid);
	return 0;
}

const char *lock_owners_get(struct lock_owners *o, uint32_t pid, uint32_t number, int labels)
{
	bool is_new;
	uint32_t *text = table_put(&o->known, pid, number, &is_new);

	if (is_new)
		*text = find_living(o, pid, number);
	if (is_new && !*text)
		*text = find_releaser(o, number, labels);
	return *text ? strpool_get(&o->texts, *text) : NULL;
}
