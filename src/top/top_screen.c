/* SPDX-License-Identifier: GPL-2.0-or-later */
#define NCURSES_WIDECHAR 1
#include "top_screen.h"
#include "input/notes.h"
#include "lib/percent.h"
#include "lib/terminal.h"
#include "lib/util.h"
#include "model/amount.h"
#include "symbol/names/short_name.h"

#include <curses.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEAD_LINES = 4, FOOT_LINES = 1, NUMBERS = 18 };
enum { COLOUR_HOT = 1, COLOUR_WARM, COLOUR_KERNEL, COLOUR_TITLE };
enum { HOT = 10, WARM = 2 }; /* per cent */

static SCREEN *screen;
static bool is_utf8;

int top_screen_open(struct strbuf *err)
{
	FILE *out = fdopen(dup(STDOUT_FILENO), "w"); /* stdout itself escapes control characters */

	setlocale(LC_CTYPE, "");
	is_utf8 = MB_CUR_MAX > 1;
	screen = out ? newterm(NULL, out, stdin) : NULL;
	if (!screen || !tigetstr((char *)(uintptr_t) "cup")) {
		const char *name = getenv("TERM");

		top_screen_close();
		return fail(err,
			"the terminal '%s' is not known, or cannot move its cursor: set TERM, such "
			"as to xterm\n",
			name ? name : "");
	}
	set_term(screen);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	const char *no_colour = getenv("NO_COLOR");

	if (has_colors() && !(no_colour && *no_colour)) {
		start_color();
		use_default_colors();
		init_pair(COLOUR_HOT, COLOR_RED, -1);
		init_pair(COLOUR_WARM, COLOR_YELLOW, -1);
		init_pair(COLOUR_KERNEL, COLOR_CYAN, -1);
		init_pair(COLOUR_TITLE, COLOR_GREEN, -1);
	}
	return 0;
}

void top_screen_close(void)
{
	if (screen)
		endwin();
	screen = NULL;
}

/* Draws TEXT, of which control characters are shown, in at most WIDTH columns. Returns its width.
 */
static int put(int y, int x, const char *text, size_t len, int width)
{
	struct strbuf shown = STRBUF_INIT;

	if (width <= 0)
		return 0;
	terminal_add(&shown, text, len, (size_t)width);
	mvaddnstr(y, x, shown.buf, (int)shown.len);
	int columns = (int)terminal_width(shown.buf, shown.len);

	strbuf_release(&shown);
	return columns;
}

static int puts_at(int y, int x, const char *text)
{
	return put(y, x, text, strlen(text), COLS - x);
}

static void draw_title(const struct top *t, const struct top_load *l, const char *state)
{
	struct strbuf right = STRBUF_INIT;

	if (state)
		strbuf_addf(&right, "%s  ", state);
	else if (t->frozen)
		strbuf_adds(&right, "frozen  ");
	if (t->window && t->window < l->seconds)
		strbuf_addf(&right, "last %u s of %.0f s  ", t->window, l->seconds);
	else
		strbuf_addf(&right, "%.0f s  ", l->seconds);
	if (t->profile)
		amount_add_unit(&right, t->profile->nodes[0].total, l->unit.buf);
	int width = (int)terminal_width(right.buf, right.len);

	attron(A_BOLD | COLOR_PAIR(COLOUR_TITLE));
	put(0, 0, l->title.buf, l->title.len, COLS - width - 2);
	attroff(A_BOLD | COLOR_PAIR(COLOUR_TITLE));
	if (COLS > width)
		put(0, COLS - width, right.buf, right.len, width);
	strbuf_release(&right);
}

/* Draws the activity of the last slices as one bar each, the newest one on the right. */
static void draw_activity(const struct top_load *l)
{
	static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char *const marks[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
	uint64_t most = 1;
	int x = puts_at(1, 0, "each second ");

	for (size_t i = 0; i < l->nr_activity; i++)
		most = l->activity[i] > most ? l->activity[i] : most;
	for (size_t i = 0; i < l->nr_activity && x + (int)i < COLS; i++) {
		double share = (double)l->activity[i] / (double)most;
		const char *bar = (is_utf8 ? blocks : marks)[(int)(share * 7.99)];

		mvaddstr(1, x + (int)i, l->activity[i] ? bar : " ");
	}
}

static void draw_tabs(const struct top *t)
{
	int x = 0;

	for (enum top_view v = 0; v < TOP_VIEWS; v++) {
		struct strbuf tab = STRBUF_INIT;

		strbuf_addf(&tab, " %s ", top_view_name(v));
		if (v == TOP_LABEL && !t->nr_labels)
			strbuf_reset(&tab);
		if (v == TOP_LABEL && t->view == v && t->nr_labels)
			strbuf_addf(&tab, "%s ", t->labels[t->label]);
		attrset(v == t->view ? A_REVERSE | A_BOLD : A_NORMAL);
		x += put(2, x, tab.buf, tab.len, COLS - x);
		strbuf_release(&tab);
	}
	attrset(A_NORMAL);
	if (t->search.len && x + 3 < COLS) {
		x += puts_at(2, x, " /");
		puts_at(2, x, t->search.buf);
	}
}

static void draw_head(const struct top *t)
{
	static const char *const names[TOP_VIEWS] = {"function [module]", "call tree",
		"function, called by", "process, call tree", "thread, call tree",
		"value, call tree"};
	bool has_self = t->view != TOP_CALLERS;
	enum report_sort sort = top_sort(t);
	char head[NUMBERS + 1];

	snprintf(head, sizeof(head), "%7s%c %7s%c ", has_self ? "self" : "",
		sort == SORT_SELF ? '*' : ' ', has_self ? "total" : "weight",
		sort == SORT_INCLUSIVE ? '*' : ' ');
	attron(A_REVERSE);
	mvhline(3, 0, ' ', COLS);
	puts_at(3, 0, head);
	puts_at(3, NUMBERS, names[t->view]);
	attroff(A_REVERSE);
}

static void put_percent(int y, int x, uint64_t part, uint64_t all)
{
	struct strbuf text = STRBUF_INIT;
	double percent = all ? (double)part * 100 / (double)all : 0;
	attr_t look = percent >= HOT    ? A_BOLD | COLOR_PAIR(COLOUR_HOT)
		      : percent >= WARM ? COLOR_PAIR(COLOUR_WARM)
					: A_NORMAL;

	percent_add(&text, part, all);
	attron(look);
	mvprintw(y, x, "%6s %%", text.buf);
	attroff(look);
	strbuf_release(&text);
}

/* Draws "name [module]" at X, of which the name is not shortened for the module. */
static void put_function(int y, int x, const struct profile *p, uint32_t frame)
{
	struct strbuf name = STRBUF_INIT;
	size_t len;
	const char *whole = profile_name(p, frame, &len), *module = profile_module(p, frame);

	short_name_add(&name, whole, len);
	if (p->frames[frame].kind == FRAME_KERNEL)
		attron(COLOR_PAIR(COLOUR_KERNEL));
	x += put(y, x, name.buf, name.len, COLS - x);
	attroff(COLOR_PAIR(COLOUR_KERNEL));
	strbuf_reset(&name);
	if (*module && !frame_is_unnamed(p, frame))
		strbuf_addf(&name, *module == '[' ? " %s" : " [%s]", file_name(module));
	attron(A_DIM);
	put(y, x, name.buf, name.len, COLS - x);
	attroff(A_DIM);
	strbuf_release(&name);
}

static void draw_row(const struct top *t, int y, const struct top_row *row, bool is_chosen)
{
	const struct profile *p = t->profile;
	uint64_t all = p->nodes[0].total;
	unsigned room = COLS > NUMBERS + 40 ? (unsigned)(COLS - NUMBERS - 40) / 2 + 1 : 1;
	/* deep rows are indented by less */
	int x = NUMBERS + 2 * (int)(row->depth < room ? row->depth : room);

	if (is_chosen)
		attron(A_BOLD);
	if (t->view != TOP_CALLERS)
		put_percent(y, 0, row->self, all);
	put_percent(y, 9, row->total, all);
	if (t->view != TOP_FUNCTIONS) {
		mvaddch(y, x, row->has_children ? (row->is_open ? '-' : '+') : ' ');
		x += 2;
	}
	put_function(y, x, p, row->frame);
	attroff(A_BOLD);
	if (is_chosen)
		mvchgat(y, 0, -1, A_REVERSE, 0, NULL);
}

static void draw_help(void)
{
	static const char *const lines[] = {
		"f t c        functions; call tree; the functions and who calls them",
		"p h l        call trees by process, by thread, by label (again: the next label)",
		"Tab          the next of these",
		"Right Enter  open a node of a tree; of a function: its callers",
		"Left         close a node, or go to its caller",
		"*            open a node and what has a tenth of its weight below it",
		"Up Down PgUp PgDn Home End   move",
		"s            sort by self, by total, by name",
		"w            time that is shown: the last 10 s, 60 s, all that is kept, 1 s",
		"e            the next event of the tool, such as calls in place of time",
		"/            show only functions whose names contain a text; Esc shows all",
		"Space        freeze, and go on",
		"o            write what is shown: FILE.rec, FILE.svg, ...",
		"q Ctrl-C     end",
	};

	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		puts_at(HEAD_LINES + (int)i + 1, 2, lines[i]);
}

static void draw_foot(const struct top *t)
{
	int y = LINES - FOOT_LINES;
	const char *question = t->prompt == TOP_PROMPT_SEARCH ? "show only functions with: "
			       : t->prompt == TOP_PROMPT_SAVE ? "write FILE.rec, FILE.svg, ...: "
							      : NULL;

	curs_set(question ? 1 : 0);
	if (question) {
		int x = puts_at(y, 0, question);

		x += put(y, x, t->typed.buf, t->typed.len, COLS - x - 1);
		move(y, x);
	} else if (t->message.len) {
		put(y, 0, t->message.buf, t->message.len, COLS);
	} else {
		attron(A_DIM);
		puts_at(y, 0,
			"q end  ? keys  Tab view  Enter open  s sort  w time  / search  Space "
			"freeze");
		attroff(A_DIM);
	}
}

void top_screen_draw(struct top *t, const struct top_load *l, const char *state)
{
	int height = LINES - HEAD_LINES - FOOT_LINES;

	top_resize(t, height > 0 ? (size_t)height : 1);
	erase();
	draw_title(t, l, state);
	draw_activity(l);
	draw_tabs(t);
	draw_head(t);
	if (t->help)
		draw_help();
	for (size_t i = 0; !t->help && (int)i < height && t->first + i < t->nr_rows; i++)
		draw_row(t, HEAD_LINES + (int)i, &t->rows[t->first + i], t->first + i == t->cursor);
	draw_foot(t);
	refresh();
}

static uint32_t translate(wint_t key)
{
	static const struct {
		wint_t from;
		uint32_t to;
	} keys[] = {
		{KEY_UP, TOP_UP},
		{KEY_DOWN, TOP_DOWN},
		{KEY_LEFT, TOP_LEFT},
		{KEY_RIGHT, TOP_RIGHT},
		{KEY_PPAGE, TOP_PAGE_UP},
		{KEY_NPAGE, TOP_PAGE_DOWN},
		{KEY_HOME, TOP_HOME},
		{KEY_END, TOP_END},
		{KEY_BACKSPACE, TOP_BACKSPACE},
		{KEY_ENTER, TOP_ENTER},
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (keys[i].from == key)
			return keys[i].to;
	return 0; /* KEY_RESIZE: the screen is drawn anew */
}

bool top_screen_key(uint32_t *key)
{
	wint_t c;
	int kind = get_wch(&c);

	if (kind == ERR)
		return false;
	*key = kind == KEY_CODE_YES ? translate(c)
	       : c == '\r'          ? TOP_ENTER
	       : c == 127           ? TOP_BACKSPACE
				    : c;
	return true;
}
