/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * speedscope's files, as defined in its file-format-schema.json:
 *
 *	{"shared": {"frames": [{"name", "file", "line"}, …]},
 *	 "profiles": [{"type": "sampled", "name", "unit",
 *		       "samples": [[0, 1], …], "weights": [3, …]},
 *		      {"type": "evented", "name", "unit",
 *		       "events": [{"type": "O" or "C", "at": 12, "frame": 0}, …],
 *		       "endValue": 100}]}
 *
 * Members may be in any order. A stack begins with its root. Functions that no event closes are
 * open until endValue. In most files, a profile is a thread. Profiles are added up; if threads are
 * requested, the name of a profile is the task.
 */
#include "expansion.h"
#include "json_reader.h"
#include "json_tree.h"
#include "lib/lines.h"
#include "lib/pattern.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"
#include "module_frame.h"
#include "stack_account.h"
#include "stacks.h"
#include "text_format.h"
#include "whole_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct speedscope_unit {
	const char *theirs, *ours;
	unsigned factor;
};

/* Positions of the members of a profile. */
struct speedscope_profile {
	struct json_reader samples, weights, events, end; /* "at" is NULL if there is none */
	struct strbuf name, type;
	const struct speedscope_unit *unit; /* NULL if it is missing or unknown */
};

/* An open function of the events. The outermost one is the root of the tree. */
struct open_frame {
	uint32_t index, node;
	struct stack_account account; /* of the function and its callers */
};

struct speedscope_reader {
	struct text_input *in;
	struct profile *p;
	struct stacks stacks;
	uint32_t *entries; /* entries (stacks.h) of the list of frames */
	size_t nr, alloc;
	uint32_t *indexes; /* frames of a sample, root first */
	size_t nr_indexes, indexes_alloc;
	struct open_frame *open;
	size_t nr_open, open_alloc;
	const struct speedscope_unit *unit; /* unit of the profiles, or NULL before the first one */
	double carry;                       /* remainder of the weights, below 1 */
	bool found;                         /* a profile has the requested name */
	bool bad, deep;              /* the text is not valid JSON; it is nested too deeply */
	uint64_t other_units, wrong; /* number of profiles; of samples and events */
	struct expansion expansion;  /* limits samples, in which a number stands for a name */
	uint64_t unclosed, ends;     /* number of functions; of profiles without an end */
};

static void note_bad(struct speedscope_reader *r, const struct json_reader *j)
{
	r->bad |= j->bad;
	r->deep |= j->deep;
}

static const struct speedscope_unit *unit_of(const char *name)
{
	static const struct speedscope_unit units[] = {{"none", "samples", 1},
		{"nanoseconds", "ns", 1}, {"microseconds", "us", 1}, {"milliseconds", "us", 1000},
		{"seconds", "us", 1000000}, {"bytes", "bytes", 1}};

	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (!strcmp(name, units[i].theirs))
			return &units[i];
	return NULL;
}

static uint32_t read_frame(struct speedscope_reader *r, struct json_reader *j)
{
	struct strbuf member = STRBUF_INIT, name = STRBUF_INIT, file = STRBUF_INIT;
	struct module_frame frame = {0};
	struct json_number line = {0};
	const char *key;

	if (json_begin(j, '{'))
		while ((key = json_next_member(j, &member))) {
			if (!strcmp(key, "name"))
				json_read_string(j, &name);
			else if (!strcmp(key, "file"))
				json_read_string(j, &file);
			else if (!strcmp(key, "line"))
				json_read_number(j, &line);
			else
				json_skip(j);
		}
	frame.name = name.buf;
	frame.name_len = name.len;
	frame.module = file.buf;
	frame.module_len = file.len;
	if (r->in->options->sources && line.is_whole)
		frame.source = module_frame_source(r->p, file.buf, file.len, line.whole);

	uint32_t entry = module_frame_entry(&r->stacks, &frame);

	strbuf_release(&member);
	strbuf_release(&name);
	strbuf_release(&file);
	return entry;
}

static void read_frames(struct speedscope_reader *r, struct json_reader *j)
{
	struct strbuf member = STRBUF_INIT;
	const char *key;

	if (json_begin(j, '{'))
		while ((key = json_next_member(j, &member))) {
			if (strcmp(key, "frames") || !json_begin(j, '[')) {
				if (strcmp(key, "frames"))
					json_skip(j);
				continue;
			}
			while (json_next(j)) {
				uint32_t entry = read_frame(r, j);

				ALLOC_GROW(r->entries, r->nr, r->alloc);
				r->entries[r->nr++] = entry;
			}
		}
	strbuf_release(&member);
}

/*
 * Returns the weight in our unit. The remainder is added to the next weight. Returns false if the
 * weight is negative or too large.
 */
static bool weight_of(
	struct speedscope_reader *r, const struct json_number *number, uint64_t *weight)
{
	double scaled = number->value * r->unit->factor + r->carry;

	*weight = 0;
	if (number->is_whole) {
		add_product_capped(weight, number->whole, r->unit->factor);
		return true;
	}
	if (!(scaled >= 0 && scaled < (double)INT64_MAX))
		return false;
	*weight = (uint64_t)(scaled + 1e-6); /* 0.29 * 1000 is below 290 */
	r->carry = scaled - (double)*weight;
	return true;
}

/*
 * Reads the list of frames of a sample. Returns false if there is none or if a frame in it does not
 * exist.
 */
static bool read_stack(struct speedscope_reader *r, struct json_reader *j)
{
	bool good = true;

	r->nr_indexes = 0;
	if (!json_begin(j, '['))
		return false;
	while (json_next(j)) {
		uint32_t index;

		good &= json_read_index(j, &index) && index < r->nr;
		ALLOC_GROW(r->indexes, r->nr_indexes, r->indexes_alloc);
		r->indexes[r->nr_indexes++] = index;
	}
	return good && !j->bad;
}

static void push_sample(struct speedscope_reader *r)
{
	bool left = r->expansion.left;

	for (size_t i = r->nr_indexes; i-- && left;) {
		uint32_t entry = r->entries[r->indexes[i]];
		const struct frame *frame = &r->p->frames[entry & ENTRY_FRAME];

		stacks_push(&r->stacks, entry);
		left = expansion_take(&r->expansion, strpool_len(&r->p->names, frame->name));
	}
	if (!left)
		stacks_push(&r->stacks, stacks_note(&r->stacks, "[truncated: too many frames]"));
}

static void read_samples(
	struct speedscope_reader *r, struct speedscope_profile *profile, uint32_t task)
{
	struct json_reader *weights = &profile->weights, *samples = &profile->samples;
	bool weighted = weights->at && json_begin(weights, '[');

	if (!samples->at || !json_begin(samples, '[')) {
		r->wrong++;
		return;
	}
	while (json_next(samples)) {
		struct json_number number = {1, 1, true};
		bool good = read_stack(r, samples);
		uint64_t weight = 0;

		if (weighted && (!json_next(weights) || !json_read_number(weights, &number)))
			good = false;
		if (samples->bad || !good || !weight_of(r, &number, &weight)) {
			r->wrong++;
			continue;
		}
		push_sample(r);
		stacks_add(&r->stacks, task, weight);
	}
	while (weighted && json_next(weights)) {
		json_skip(weights);
		r->wrong++;
	}
}

static void add_time(struct speedscope_reader *r, uint64_t weight)
{
	const struct open_frame *leaf = &r->open[r->nr_open - 1];

	if (r->nr_open < 2 || !weight)
		return;
	add_capped(&r->p->nodes[leaf->node].self, weight);
	account_add_stack(r->p, &leaf->account, weight);
}

static void open_frame(struct speedscope_reader *r, uint32_t index)
{
	struct open_frame next = r->open[r->nr_open - 1];
	uint32_t frame = r->entries[index] & ENTRY_FRAME;

	next.index = index;
	if (r->nr_open < STACKS_DEPTH_MAX) {
		next.node = profile_child(r->p, next.node, frame);
		stack_account_add_frame(&next.account, r->p, frame);
	}
	ALLOC_GROW(r->open, r->nr_open, r->open_alloc);
	r->open[r->nr_open++] = next;
}

struct speedscope_event {
	char type; /* 'O' opens a function, 'C' closes it */
	uint32_t frame;
	struct json_number at;
};

static bool read_event(struct speedscope_reader *r, struct json_reader *j,
	struct speedscope_event *event, struct strbuf *text)
{
	struct strbuf member = STRBUF_INIT;
	bool has_frame = false, has_time = false;
	const char *key;

	*event = (struct speedscope_event){0};
	if (json_begin(j, '{'))
		while ((key = json_next_member(j, &member))) {
			if (!strcmp(key, "type") && json_read_string(j, text))
				event->type = text->buf[0];
			else if (!strcmp(key, "frame"))
				has_frame = json_read_index(j, &event->frame);
			else if (!strcmp(key, "at"))
				has_time = json_read_number(j, &event->at);
			else if (strcmp(key, "type"))
				json_skip(j);
		}
	strbuf_release(&member);
	return !j->bad && has_frame && has_time && event->frame < r->nr &&
	       (event->type == 'O' || event->type == 'C');
}

/* Adds the time until the end of the profile to the functions that are still open. */
static void end_events(
	struct speedscope_reader *r, struct speedscope_profile *profile, uint64_t last)
{
	struct json_number at;
	uint64_t end;

	if (r->nr_open < 2)
		return;
	r->unclosed += r->nr_open - 1;
	r->carry = 0;
	if (profile->end.at && json_read_number(&profile->end, &at) && weight_of(r, &at, &end) &&
		end > last)
		add_time(r, end - last);
	else
		r->ends++;
}

static void read_events(
	struct speedscope_reader *r, struct speedscope_profile *profile, uint32_t task)
{
	struct json_reader *j = &profile->events;
	struct strbuf text = STRBUF_INIT;
	struct speedscope_event event;
	uint64_t last = 0, now;

	r->nr_open = 0;
	ALLOC_GROW(r->open, r->nr_open, r->open_alloc);
	r->open[r->nr_open++] =
		(struct open_frame){.node = task ? profile_child(r->p, 0, task) : 0};
	if (!j->at || !json_begin(j, '[')) {
		r->wrong++;
		return;
	}
	while (json_next(j)) {
		bool good = read_event(r, j, &event, &text);

		r->carry = 0; /* points in time have no remainder to carry over */
		if (!good || !weight_of(r, &event.at, &now) || now < last ||
			(event.type == 'C' &&
				(r->nr_open < 2 || r->open[r->nr_open - 1].index != event.frame))) {
			r->wrong++;
			continue;
		}
		add_time(r, now - last);
		last = now;
		if (event.type == 'O')
			open_frame(r, event.frame);
		else
			r->nr_open--;
	}
	end_events(r, profile, last);
	strbuf_release(&text);
}

/* Finds the positions of the profile's members, which may be in any order. */
static void find_members(struct json_reader *j, struct speedscope_profile *profile)
{
	struct strbuf member = STRBUF_INIT, unit = STRBUF_INIT;
	const char *key;

	*profile = (struct speedscope_profile){.name = STRBUF_INIT, .type = STRBUF_INIT};
	if (json_begin(j, '{'))
		while ((key = json_next_member(j, &member))) {
			if (!strcmp(key, "samples"))
				profile->samples = *j;
			else if (!strcmp(key, "weights"))
				profile->weights = *j;
			else if (!strcmp(key, "events"))
				profile->events = *j;
			else if (!strcmp(key, "endValue"))
				profile->end = *j;
			if (!strcmp(key, "name"))
				json_read_string(j, &profile->name);
			else if (!strcmp(key, "type"))
				json_read_string(j, &profile->type);
			else if (!strcmp(key, "unit"))
				json_read_string(j, &unit);
			else
				json_skip(j);
		}
	profile->unit = unit_of(unit.buf);
	strbuf_release(&unit);
	strbuf_release(&member);
}

/* Whether the profile is to be added up. */
static bool is_selected(struct speedscope_reader *r, const struct speedscope_profile *profile)
{
	const char *event = r->in->options->event;

	if (event && !pattern_or_name_matches(event, profile->name.buf, profile->name.len))
		return false;
	r->found = true;
	if (!profile->unit || (r->unit && strcmp(r->unit->ours, profile->unit->ours))) {
		r->other_units++;
		return false;
	}
	r->unit = profile->unit;
	return true;
}

/* Returns the root frame of a profile's stacks, 0 for none, or STACKS_OTHER_TASK. */
static uint32_t task_of(struct speedscope_reader *r, const struct speedscope_profile *profile)
{
	const struct text_options *options = r->in->options;

	if (!options->threads && !options->tasks)
		return 0;
	return stacks_task(
		&r->stacks, &(struct task){0, 0, profile->name.buf, profile->name.len}, 0);
}

static void read_profile(struct speedscope_reader *r, struct json_reader *j)
{
	struct speedscope_profile profile;
	uint32_t task;

	find_members(j, &profile);
	if (!j->bad && is_selected(r, &profile) &&
		(task = task_of(r, &profile)) != STACKS_OTHER_TASK) {
		if (!strcmp(profile.type.buf, "evented"))
			read_events(r, &profile, task);
		else
			read_samples(r, &profile, task);
		note_bad(r, &profile.samples);
		note_bad(r, &profile.weights);
		note_bad(r, &profile.events);
	}
	strbuf_release(&profile.name);
	strbuf_release(&profile.type);
}

/* Other formats that are JSON, by a member that they have. */
static const struct other_json {
	const char *member;
	json_read *read;  /* or NULL if it cannot be read */
	const char *hint; /* what it is, for a message */
} others[] = {
	{"traceEvents", chrome_trace_read, NULL},
	{"nodes", v8_profile_read, NULL},
	{"head", v8_profile_read, NULL},
	{"threads", firefox_profile_read, NULL},
	{"functions", NULL, "is a table of bt-report, which has no stacks"},
};

static const struct other_json *find_other(const char *member)
{
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (!strcmp(member, others[i].member))
			return &others[i];
	return NULL;
}

/* Returns what the file is if it is not speedscope's, or NULL. */
static const struct other_json *other_of(struct json_reader j)
{
	const struct other_json *other = NULL;
	struct strbuf member = STRBUF_INIT;
	const char *key;

	if (json_peek(&j) == '[')
		return &others[0];
	if (json_begin(&j, '{'))
		while ((key = json_next_member(&j, &member)) && strcmp(key, "profiles")) {
			other = other ? other : find_other(key);
			json_skip(&j);
		}
	strbuf_release(&member);
	return key ? NULL : other;
}

/* Returns -1 if the file is not speedscope's. */
static int read_all(struct speedscope_reader *r, struct json_reader j)
{
	struct json_reader shared = {0}, profiles = {0};
	struct strbuf member = STRBUF_INIT;
	const char *key;

	if (json_begin(&j, '{'))
		while ((key = json_next_member(&j, &member))) {
			if (!strcmp(key, "shared"))
				shared = j;
			else if (!strcmp(key, "profiles"))
				profiles = j;
			json_skip(&j);
		}
	strbuf_release(&member);
	note_bad(r, &j);
	if (r->bad)
		return 0;
	if (!shared.at || !profiles.at)
		return fail(r->in->notes, "it is JSON, but not speedscope's: it has no shared "
					  "frames and profiles\n");
	read_frames(r, &shared);
	if (json_begin(&profiles, '['))
		while (json_next(&profiles))
			read_profile(r, &profiles);
	note_bad(r, &shared);
	note_bad(r, &profiles);
	return 0;
}

static int end(struct speedscope_reader *r)
{
	struct strbuf *notes = r->in->notes;

	if (json_check(&(struct json_reader){.bad = r->bad, .deep = r->deep}, notes))
		return -1;
	if (!r->found && r->in->options->event) {
		strbuf_adds(notes, "it has no profile of the name '");
		message_add(notes, r->in->options->event, strlen(r->in->options->event));
		return fail(notes, "'\n");
	}
	if (r->unit)
		profile_set(&r->p->unit, r->unit->ours);
	if (r->other_units)
		strbuf_addf(notes,
			"profiles left out: %" PRIu64
			", of a unit other than the first's (select one with --event)\n",
			r->other_units);
	if (r->wrong)
		strbuf_addf(notes,
			"samples or events left out: %" PRIu64
			", without a frame, weight or time that is possible\n",
			r->wrong);
	if (r->unclosed)
		strbuf_addf(notes, "functions that are not closed: %" PRIu64 "; %s\n", r->unclosed,
			r->ends ? "their time after the last event is missing"
				: "they last until the end of their profile");
	add_capped(&r->p->account.lost[LOST_UNREADABLE], r->wrong);
	return r->wrong || r->other_units || r->ends;
}

static int read_json(struct speedscope_reader *r, struct json_reader j)
{
	const struct other_json *other = other_of(j);
	int ret;

	if (other && other->read) {
		ret = other->read(r->in, j, &r->stacks, r->expansion);
		r->in->several = r->stacks.several;
		return ret;
	}
	if (other)
		return fail(r->in->notes, "it is JSON, but not speedscope's: it %s\n", other->hint);
	ret = read_all(r, j);
	return ret ? ret : end(r);
}

static int speedscope_read(struct text_input *in)
{
	struct speedscope_reader r = {.in = in, .p = in->p};
	struct strbuf text = STRBUF_INIT;
	int ret = whole_file_read(in->lines, &text, in->notes);

	stacks_init(&r.stacks, in->p, in->options->tasks);
	r.expansion = expansion_of(text.len, lines_packed(in->lines));
	if (!ret)
		ret = read_json(
			&r, (struct json_reader){.at = text.buf, .end = text.buf + text.len});
	stacks_release(&r.stacks);
	free(r.entries);
	free(r.indexes);
	free(r.open);
	strbuf_release(&text);
	return ret;
}

/*
 * Whether the text begins with an object that begins with a member's name, or with a list of
 * objects.
 */
static bool is_json(const char *bytes, size_t n)
{
	struct json_reader j = {.at = bytes, .end = bytes + n};
	char first = json_peek(&j);

	if (first != '{' && first != '[')
		return false;
	j.at++;
	return first == '[' ? json_peek(&j) == '{' : json_peek(&j) == '"' || json_peek(&j) == '}';
}

const struct text_format speedscope_format = {
	.name = "speedscope",
	.is_head = is_json,
	.has_meta = true,
	.has_tasks = true,
	.read = speedscope_read,
};
