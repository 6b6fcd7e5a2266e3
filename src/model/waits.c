/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "waits.h"
#include "lib/util.h"

#include <string.h>

static const char *const notes[] = {
	"[sleeping]",
	"[uninterruptible]",
	"[stopped]",
	"[traced]",
	"[preempted]",
	"[waiting for CPU]",
	"[idle]",
	"[parked]",
	"[on CPU]",
};

const char *wait_note(const char *state)
{
	const char *found = *state && !state[1] ? strchr(wait_letters, *state) : NULL;

	return found ? notes[found - wait_letters] : NULL;
}

bool wait_is_off_cpu(const char *state)
{
	return wait_note(state) && *state != 'C';
}

int wait_number(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(notes); i++)
		if (strlen(notes[i]) == len && !memcmp(notes[i], name, len))
			return (int)i;
	return -1;
}

bool wait_is_note(const char *name, size_t len)
{
	return wait_number(name, len) >= 0 || begins_with(name, len, "[tag: ");
}
