/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "waits.h"
#include "lib/strbuf.h"
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
};

static const struct {
	const char *word;
	unsigned states;
} words[] = {
	{"blocked", WAITS_BLOCKED},
	{"runnable", WAITS_RUNNABLE},
	{"all", WAITS_ALL},
	{"S", 1 << 0},
	{"D", 1 << 1},
	{"T", 1 << 2 | 1 << 3},
	{"R", 1 << 4},
	{"W", 1 << 5},
	{"I", 1 << 6 | 1 << 7},
};

static unsigned parse_word(const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strlen(words[i].word) == len && !memcmp(words[i].word, word, len))
			return words[i].states;
	return 0;
}

unsigned waits_parse(const char *list)
{
	unsigned states = 0;

	for (;;) {
		size_t n = strcspn(list, ",");
		unsigned more = parse_word(list, n);

		if (!more)
			return 0;
		states |= more;
		if (!list[n])
			return states;
		list += n + 1;
	}
}

void waits_add(unsigned states, struct strbuf *out)
{
	const char *comma = "";

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (words[i].word[1] || !(states & words[i].states))
			continue;
		strbuf_addf(out, "%s%s", comma, words[i].word);
		comma = ",";
	}
}

const char *wait_note(const char *state)
{
	const char *found = *state && !state[1] ? strchr(wait_letters, *state) : NULL;

	return found ? notes[found - wait_letters] : NULL;
}

bool wait_is_note(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(notes); i++)
		if (strlen(notes[i]) == len && !memcmp(notes[i], name, len))
			return true;
	return begins_with(name, len, "[tag: ");
}
