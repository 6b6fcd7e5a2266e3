/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "top.h"
#include "lib/utf8.h"
#include "lib/util.h"
#include "top_rows.h"

#include <stdlib.h>
#include <string.h>

static const unsigned windows[] = {10, 60, 0, 1}; /* seconds, in the order of the key */

static const char *const view_names[TOP_VIEWS] = {
	[TOP_FUNCTIONS] = "functions",
	[TOP_TREE] = "tree",
	[TOP_CALLERS] = "callers",
	[TOP_PROCESSES] = "processes",
	[TOP_THREADS] = "threads",
	[TOP_LABEL] = "label",
};

void top_init(struct top *t)
{
	*t = (struct top){.sort = SORT_SELF,
		.window = windows[0],
		.search = STRBUF_INIT,
		.typed = STRBUF_INIT,
		.message = STRBUF_INIT,
		.height = 1};
	table_init(&t->open);
}

static void release_entries(struct top *t)
{
	if (t->entries.p)
		entries_release(&t->entries);
	t->entries = (struct report_entries){0};
}

void top_release(struct top *t)
{
	release_entries(t);
	for (size_t i = 0; i < t->nr_labels; i++)
		free(t->labels[i]);
	free(t->labels);
	strbuf_release(&t->search);
	strbuf_release(&t->typed);
	strbuf_release(&t->message);
	table_release(&t->open);
	free(t->rows);
}

void top_add_label(struct top *t, const char *key)
{
	for (size_t i = 0; i < t->nr_labels; i++)
		if (!strcmp(t->labels[i], key))
			return;
	t->labels = xrealloc(t->labels, t->nr_labels + 1, sizeof(*t->labels));
	t->labels[t->nr_labels++] = xstrdup(key);
}

const char *top_view_name(enum top_view view)
{
	return view_names[view];
}

enum report_sort top_sort(const struct top *t)
{
	return t->sort == SORT_SELF && t->view != TOP_FUNCTIONS ? SORT_INCLUSIVE : t->sort;
}

const char *top_file(const struct top *t)
{
	return t->typed.buf;
}

void top_set_view(const struct top *t, struct recording_view *view)
{
	bool none = t->view == TOP_FUNCTIONS || t->view == TOP_CALLERS;

	view->event = (int)t->event;
	if (t->view == TOP_TREE)
		return;
	view->comm = false;
	view->threads = t->view == TOP_THREADS;
	view->processes = t->view == TOP_PROCESSES;
	view->by = t->view == TOP_LABEL && t->label < t->nr_labels ? t->labels[t->label] : NULL;
	view->note_states &= !none;
}

/* Keeps the cursor among the rows, and on the screen. */
static void settle(struct top *t)
{
	if (t->cursor >= t->nr_rows)
		t->cursor = t->nr_rows ? t->nr_rows - 1 : 0;
	if (t->first > t->cursor)
		t->first = t->cursor;
	if (t->cursor >= t->first + t->height)
		t->first = t->cursor - t->height + 1;
}

static void list(struct top *t)
{
	top_list(t);
	settle(t);
}

void top_show(struct top *t, struct profile *p)
{
	release_entries(t);
	t->profile = p;
	if (t->view == TOP_FUNCTIONS)
		entries_init_whole(&t->entries, p);
	list(t);
}

void top_resize(struct top *t, size_t height)
{
	t->height = height ? height : 1;
	settle(t);
}

static struct top_row *row_at_cursor(struct top *t)
{
	return t->cursor < t->nr_rows ? &t->rows[t->cursor] : NULL;
}

/* The cursor stays on its row when the order changes, unless it is on the first one. */
static void choose(struct top *t, size_t row)
{
	t->cursor = row;
	settle(t);
	t->chosen = t->cursor ? t->rows[t->cursor].id : 0;
}

static void set_open(struct top *t, uint64_t id, bool open)
{
	bool is_new;

	*table_put(&t->open, id, 0, &is_new) = open;
}

/* Opens or closes the row, which stays under the cursor. */
static void turn(struct top *t, struct top_row *row, bool open)
{
	t->chosen = row->id;
	set_open(t, row->id, open);
	list(t);
}

static enum top_wish switch_view(struct top *t, enum top_view view)
{
	if (view == TOP_LABEL && !t->nr_labels) {
		strbuf_reset(&t->message);
		strbuf_adds(&t->message, "the samples have no labels");
		return TOP_DRAW;
	}
	if (view == TOP_LABEL && t->view == TOP_LABEL)
		t->label = (t->label + 1) % t->nr_labels;
	t->view = view;
	t->cursor = t->first = 0;
	t->chosen = 0;
	return TOP_FOLD;
}

/* Shows who calls the function under the cursor. */
static enum top_wish show_callers(struct top *t)
{
	uint64_t id = row_at_cursor(t)->id;

	switch_view(t, TOP_CALLERS);
	set_open(t, id, true);
	t->chosen = id;
	return TOP_FOLD;
}

static enum top_wish open_row(struct top *t)
{
	struct top_row *row = row_at_cursor(t);

	if (row && t->view == TOP_FUNCTIONS)
		return show_callers(t);
	if (row && row->has_children && !row->is_open)
		turn(t, row, true);
	else if (row && row->is_open)
		choose(t, t->cursor + 1);
	return TOP_DRAW;
}

/* Closes the row, or else goes to its caller. */
static void close_row(struct top *t)
{
	struct top_row *row = row_at_cursor(t);

	if (!row)
		return;
	if (row->is_open) {
		turn(t, row, false);
		return;
	}
	for (size_t i = t->cursor; row->depth && i--;)
		if (t->rows[i].depth < row->depth) {
			choose(t, i);
			return;
		}
}

/* Opens the row and everything below it with a tenth of its weight. */
static void open_all(struct top *t)
{
	struct top_row *row = row_at_cursor(t);

	if (!row || t->view == TOP_FUNCTIONS)
		return;
	uint64_t least = row->total / 10;
	unsigned depth = row->depth;

	t->chosen = row->id;
	set_open(t, row->id, true);
	list(t);
	for (size_t i = t->cursor + 1; i < t->nr_rows && t->rows[i].depth > depth; i++)
		if (t->rows[i].has_children && !t->rows[i].is_open && t->rows[i].total >= least) {
			set_open(t, t->rows[i].id, true);
			list(t);
		}
}

static void next_sort(struct top *t)
{
	t->sort = (top_sort(t) + 1) % (SORT_NAME + 1);
	t->chosen = 0;
	t->cursor = 0;
	list(t);
}

static enum top_wish next_window(struct top *t)
{
	size_t i = 0;

	while (i < ARRAY_LEN(windows) && windows[i] != t->window)
		i++;
	t->window = windows[(i + 1) % ARRAY_LEN(windows)];
	return TOP_FOLD;
}

static void ask(struct top *t, enum top_prompt prompt)
{
	t->prompt = prompt;
	strbuf_reset(&t->typed);
	if (prompt == TOP_PROMPT_SEARCH)
		strbuf_adds(&t->typed, t->search.buf);
}

static void set_search(struct top *t)
{
	strbuf_reset(&t->search);
	if (t->prompt == TOP_PROMPT_SEARCH)
		strbuf_adds(&t->search, t->typed.buf);
	list(t);
}

/* Removes the last character. */
static void erase(struct strbuf *text)
{
	while (text->len && (text->buf[--text->len] & 0xc0) == 0x80)
		;
	if (text->alloc)
		text->buf[text->len] = '\0';
}

/* Takes a key of the answer to a prompt. The search follows what is typed. */
static enum top_wish type(struct top *t, uint32_t key)
{
	enum top_prompt prompt = t->prompt;

	if (key == TOP_ENTER) {
		t->prompt = TOP_NO_PROMPT;
		return prompt == TOP_PROMPT_SAVE && t->typed.len ? TOP_SAVE : TOP_DRAW;
	}
	if (key == TOP_ESCAPE)
		strbuf_reset(&t->typed);
	else if (key == TOP_BACKSPACE)
		erase(&t->typed);
	else if (key >= ' ' && key < TOP_UP)
		utf8_add(&t->typed, key);
	if (prompt == TOP_PROMPT_SEARCH)
		set_search(t);
	if (key == TOP_ESCAPE)
		t->prompt = TOP_NO_PROMPT;
	return TOP_DRAW;
}

/* Moves the cursor. Returns false if KEY is for something else. */
static bool move(struct top *t, uint32_t key)
{
	size_t page = t->height > 1 ? t->height - 1 : 1, at = t->cursor;

	switch (key) {
	case TOP_UP:
		at -= at > 0;
		break;
	case TOP_DOWN:
		at++;
		break;
	case TOP_PAGE_UP:
		at -= at < page ? at : page;
		break;
	case TOP_PAGE_DOWN:
		at += page;
		break;
	case TOP_HOME:
		at = 0;
		break;
	case TOP_END:
		at = t->nr_rows;
		break;
	default:
		return false;
	}
	if (t->nr_rows)
		choose(t, at);
	return true;
}

static enum top_wish command(struct top *t, uint32_t key)
{
	static const char views[] = "ftcphl"; /* in the order of enum top_view */
	const char *view = key < 128 && key ? strchr(views, (int)key) : NULL;

	if (view)
		return switch_view(t, (enum top_view)(view - views));
	switch (key) {
	case 'q':
		return TOP_QUIT;
	case '\t':
		return switch_view(t, (t->view + 1) % (t->nr_labels ? TOP_VIEWS : TOP_LABEL));
	case TOP_ENTER:
	case TOP_RIGHT:
		return open_row(t);
	case TOP_LEFT:
		close_row(t);
		break;
	case '*':
		open_all(t);
		break;
	case 's':
		next_sort(t);
		break;
	case 'w':
		return next_window(t);
	case 'e':
		t->event = t->nr_events ? (t->event + 1) % t->nr_events : 0;
		return TOP_FOLD;
	case ' ':
		t->frozen = !t->frozen;
		return TOP_FOLD;
	case '/':
		ask(t, TOP_PROMPT_SEARCH);
		break;
	case 'o':
		ask(t, TOP_PROMPT_SAVE);
		break;
	case '?':
		t->help = true;
		break;
	case TOP_ESCAPE:
		strbuf_reset(&t->search);
		list(t);
		break;
	}
	return TOP_DRAW;
}

enum top_wish top_press(struct top *t, uint32_t key)
{
	strbuf_reset(&t->message);
	if (t->help) {
		t->help = false;
		return TOP_DRAW;
	}
	if (t->prompt)
		return type(t, key);
	return move(t, key) ? TOP_DRAW : command(t, key);
}
