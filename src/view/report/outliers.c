/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time is divided into columns. For each function, the inclusive weights in all windows of 1,
 * 2, 4 … columns are compared with each other. An outlier is farther from the quartiles than 1.5
 * times the distance between them (Tukey's rule). Outliers are a tenth of the time at most, or few
 * ranges: what a function does more often is a phase of the program, and only windows beyond nine
 * tenths of the others are outliers. So they are for all functions if most of the time would be
 * unusual for one function or another. An outlier grows over columns beside it that are beyond the
 * quartiles, too, and over a gap that chance explains, or in which nothing runs. For everything
 * together, windows with unusually little are outliers, too, except at the ends: before the first
 * event the program may not have started, and the recording ends within the last column.
 *
 * Samples are random: a window with K samples where LAMBDA are expected has at most the probability
 * exp(K - LAMBDA) * (LAMBDA / K)^K (Chernoff's bound for the Poisson distribution), which must be
 * small although many windows and functions are compared. LAMBDA is the limit for windows with
 * more, and the lower quartile for those with less: the limit may be near 0, where no window is
 * improbable. Times and bytes are measured, so for them only the size of the difference matters.
 */
#include "outliers.h"
#include "lib/table.h"
#include "lib/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	FUNCTIONS_SHOWN = 5, /* for each range */
	COLUMNS_MIN = 20,    /* fewer columns do not tell what is usual */
	RARE = 10,           /* at most one column in this many is unusual … */
	RANGES_RARE = 3,     /* … or columns are in at most so many ranges */
};

#define SIGNIFICANT 0.001 /* probability that any of the outliers is chance */
#define LEAST_SHARE 0.05  /* of a usual window: smaller differences do not matter */
#define AS_USUAL 0.001    /* probability of a gap in an outlier that chance explains */
#define NOT_UNUSUAL (-1.0)

/* A function, which is a name in a module; number 0 stands for everything. */
struct function_times {
	uint32_t frame;   /* one of its frames */
	uint32_t depth;   /* of its first node */
	uint64_t *weight; /* inclusive, by column, or NULL if it has none */
	double *usual;    /* in each column of outliers, else NOT_UNUSUAL; NULL without outliers */
	double median;    /* of the columns, if there are outliers */
};

struct outliers {
	const struct profile *p;
	uint32_t merged, nr; /* slices of a column, and columns */
	bool is_random;      /* weights are numbers of samples */
	bool is_strict;      /* windows must be beyond nine tenths of the others */
	uint64_t most;       /* the largest weight of a column */
	uint32_t *number_of; /* function of each frame */
	struct function_times *functions;
	uint32_t nr_functions;
	uint64_t *sums;   /* of the weights of one function before each column */
	uint64_t *sorted; /* weights of its windows */
};

static double seconds_at(const struct outliers *o, uint32_t column)
{
	const struct profile_times *t = &o->p->times;

	return ((double)t->begin_ns + (double)column * o->merged * (double)t->slice_ns) / 1e9;
}

/* ---- weights ---- */

static void number_functions(struct outliers *o)
{
	const struct profile *p = o->p;
	struct table numbers;
	bool is_new;

	table_init(&numbers);
	o->number_of = xcalloc(p->nr_frames, sizeof(*o->number_of));
	o->functions = xcalloc((size_t)p->nr_frames + 1, sizeof(*o->functions));
	o->nr_functions = 1;
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		uint32_t *number =
			table_put(&numbers, p->frames[i].name, p->frames[i].module, &is_new);

		if (is_new) {
			*number = o->nr_functions++;
			o->functions[*number].frame = i;
		}
		o->number_of[i] = *number;
	}
	table_release(&numbers);
}

/* Adds a part of a node's self weight to FUNCTION. */
static void add_part(struct outliers *o, uint32_t function, const struct series_item *item)
{
	struct function_times *f = &o->functions[function];

	if (!f->weight)
		f->weight = xcalloc(o->nr, sizeof(*f->weight));
	for (uint32_t i = 0; i <= item->more; i++)
		add_capped(&f->weight[(item->slice + i - 1) / o->merged], item->sum);
}

static void add_series(struct outliers *o, uint32_t function, uint32_t series)
{
	struct series_reader r = series_read(&o->p->times.series, series);

	while (series_next(&r))
		add_part(o, function, &r.item);
}

/* Adds the self weight of each node to its function and to all callers, once to each function. */
static void add_weights(struct outliers *o)
{
	const struct profile *p = o->p;
	uint32_t *seen = xcalloc(o->nr_functions, sizeof(*seen));
	uint32_t *depth = xcalloc(p->nr_nodes, sizeof(*depth));

	for (uint32_t node = 1; node < p->nr_nodes; node++) {
		uint32_t series = profile_times_of(&p->times, node);
		struct function_times *f = &o->functions[o->number_of[p->nodes[node].frame]];

		depth[node] = depth[p->nodes[node].parent] + 1;
		f->depth = f->depth ? f->depth : depth[node];
		if (!series || !p->nodes[node].self)
			continue;
		add_series(o, 0, series);
		for (uint32_t up = node; up; up = p->nodes[up].parent) {
			uint32_t function = o->number_of[p->nodes[up].frame];

			if (seen[function] != node)
				add_series(o, function, series);
			seen[function] = node;
		}
	}
	free(depth);
	free(seen);
}

static int compare_weights(const void *va, const void *vb)
{
	return compare_u64(*(const uint64_t *)va, *(const uint64_t *)vb);
}

/* ---- outliers ---- */

/* A window of LENGTH columns. */
struct window {
	uint32_t first, length;
	uint64_t usual;    /* the median of such windows */
	uint64_t limit;    /* weight of the last window that is not an outlier */
	uint64_t expected; /* of windows that differ only by chance */
	double least;      /* difference that matters */
};

/* Returns the logarithm of the probability of WEIGHT samples where EXPECTED are expected. */
static double log_chance(uint64_t weight, uint64_t expected)
{
	double k = (double)weight, lambda = expected ? (double)expected : 0.5;

	return k > 0 ? k - lambda - k * log(k / lambda) : -lambda;
}

static uint64_t window_weight(const struct outliers *o, const struct window *w)
{
	return o->sums[w->first + w->length] - o->sums[w->first];
}

/* Returns whether the weight of a window differs by more than chance, and enough to matter. */
static bool differs(const struct outliers *o, const struct window *w)
{
	uint64_t weight = window_weight(o, w);
	uint64_t difference = weight > w->limit ? weight - w->limit : w->limit - weight;
	bool more = weight > w->limit;
	double tests = (double)o->nr * (more ? o->nr_functions : 1); /* less: everything only */

	if (!difference || (double)difference < w->least)
		return false;
	return !o->is_random || log_chance(weight, w->expected) < log(SIGNIFICANT / tests);
}

/* Returns whether a part of the window is an outlier of F already. */
static bool is_marked(const struct function_times *f, const struct window *w)
{
	for (uint32_t i = 0; f->usual && i < w->length; i++)
		if (f->usual[w->first + i] >= 0)
			return true;
	return false;
}

/*
 * Returns whether a column of WEIGHT is beyond the limit for the columns of W. If all columns that
 * are not unusual have the same weight, it is the limit.
 */
static bool is_beyond(const struct window *w, uint64_t weight, bool more)
{
	double column = (double)weight * w->length;

	if (more)
		return column > (double)w->limit;
	return column <= (double)w->limit && column <= (double)w->usual - w->least;
}

/*
 * Marks the columns of a window, except for those at its ends that are not unusual. If there is
 * less than usual, it includes the columns that follow, as long as there is.
 */
static void mark(const struct outliers *o, struct function_times *f, struct window w, bool more)
{
	uint32_t first = w.first, end = w.first + w.length;

	if (!f->usual) {
		f->usual = xcalloc(o->nr, sizeof(*f->usual));
		for (uint32_t i = 0; i < o->nr; i++)
			f->usual[i] = NOT_UNUSUAL;
	}
	while (end - first > 1 && !is_beyond(&w, f->weight[first], more))
		first++;
	while (end - first > 1 && !is_beyond(&w, f->weight[end - 1], more))
		end--;
	while (!more && end + 1 < o->nr && is_beyond(&w, f->weight[end], false))
		end++;
	for (uint32_t i = first; i < end; i++)
		f->usual[i] = (double)w.usual / w.length;
}

/* Sorts the weights of all windows of LENGTH columns. Returns how many there are. */
static uint32_t sort_windows(struct outliers *o, uint32_t length)
{
	uint32_t nr = o->nr - length + 1;

	for (uint32_t i = 0; i < nr; i++)
		o->sorted[i] = o->sums[i + length] - o->sums[i];
	qsort(o->sorted, nr, sizeof(*o->sorted), compare_weights);
	return nr;
}

/* Returns the last weight that is not far from the quartiles of the NR sorted ones. */
static uint64_t far_limit(const struct outliers *o, uint32_t nr, bool more)
{
	uint64_t low = o->sorted[nr / 4], high = o->sorted[nr - 1 - nr / 4];
	uint64_t far = (high - low) + (high - low) / 2;

	if (more)
		return high + far;
	return low > far ? low - far : 0;
}

/* Returns the weight beyond which windows are outliers, of the NR sorted ones. */
static uint64_t limit_of(const struct outliers *o, uint32_t nr, bool more)
{
	uint64_t rare = o->sorted[more ? nr - 1 - nr / RARE : nr / RARE];
	uint64_t limit = far_limit(o, nr, more);

	return o->is_strict && (rare > limit) == more ? rare : limit;
}

static bool is_outlying(
	const struct outliers *o, const struct function_times *f, const struct window *w, bool more)
{
	return (window_weight(o, w) > w->limit) == more && differs(o, w) && !is_marked(f, w);
}

/*
 * Returns the first column of the window that differs most, among W and the windows that begin
 * within it. There are NR windows.
 */
static uint32_t most_outlying(const struct outliers *o, const struct function_times *f,
	struct window w, uint32_t nr, bool more)
{
	uint32_t end = w.first + w.length < nr ? w.first + w.length : nr;
	struct window best = w;

	for (; w.first < end; w.first++)
		if (is_outlying(o, f, &w, more) &&
			(window_weight(o, &w) > window_weight(o, &best)) == more &&
			window_weight(o, &w) != window_weight(o, &best))
			best = w;
	return best.first;
}

/* Returns the first column after the one in which anything happens first. */
static uint32_t first_begun(const struct outliers *o)
{
	uint32_t first = 0;

	while (first < o->nr && !o->sums[++first])
		;
	return first;
}

/* Marks the windows of LENGTH columns of F with more, or less, than usual. */
static void mark_windows(struct outliers *o, struct function_times *f, uint32_t length, bool more)
{
	uint32_t nr = sort_windows(o, length);
	struct window w = {.length = length,
		.usual = o->sorted[nr / 2],
		.limit = limit_of(o, nr, more),
		.least = LEAST_SHARE * (double)o->most * length};

	w.expected = more ? w.limit : o->sorted[nr / 4];
	if (!more) {
		w.first = first_begun(o);
		nr--;
	}
	for (; w.first < nr; w.first++)
		if (is_outlying(o, f, &w, more)) {
			w.first = most_outlying(o, f, w, nr, more);
			mark(o, f, w, more);
		}
}

/* Short outliers are found first; longer windows are for what no shorter one shows. */
static void mark_outliers(struct outliers *o, struct function_times *f)
{
	for (uint32_t length = 1; length <= o->nr / RARE; length *= 2) {
		mark_windows(o, f, length, true);
		if (f == o->functions)
			mark_windows(o, f, length, false);
	}
}

/* ---- whole ranges ---- */

/* Columns of an outlier, from FIRST to before END; the ranges of a function do not touch. */
struct marked_range {
	uint32_t first, end;
};

/* Returns the first range at or after column FIRST; it is empty if there is none. */
static struct marked_range next_range(const struct outliers *o, const double *usual, uint32_t first)
{
	struct marked_range r;

	while (first < o->nr && usual[first] < 0)
		first++;
	r = (struct marked_range){first, first};
	while (r.end < o->nr && usual[r.end] >= 0)
		r.end++;
	return r;
}

static double weight_of(const struct outliers *o, uint32_t first, uint32_t end)
{
	return (double)(o->sums[end] - o->sums[first]);
}

static bool has_more(
	const struct outliers *o, const struct function_times *f, struct marked_range r)
{
	double usual = 0;

	for (uint32_t i = r.first; i < r.end; i++)
		usual += f->usual[i];
	return weight_of(o, r.first, r.end) > usual;
}

/* Marks columns on both sides of R that have more than LIMIT, too. */
static void grow(
	const struct outliers *o, struct function_times *f, struct marked_range r, double limit)
{
	for (uint32_t i = r.first; i && f->usual[i - 1] < 0 && (double)f->weight[i - 1] > limit;
		i--)
		f->usual[i - 1] = f->median;
	for (uint32_t i = r.end; i < o->nr && f->usual[i] < 0 && (double)f->weight[i] > limit; i++)
		f->usual[i] = f->median;
}

static uint64_t all_between(const struct outliers *o, uint32_t first, uint32_t end)
{
	uint64_t all = 0;

	for (uint32_t i = first; i < end; i++)
		add_capped(&all, o->functions[0].weight[i]);
	return all;
}

/*
 * Returns whether the gap from A to B has about as much as the lighter one of them, more than the
 * MEDIAN of a column. If a function is usually not there, no more of it is expected in the gap than
 * there is of everything, as the program may not have got a processor, but not if the gap is longer
 * than A and B.
 */
static bool is_same(
	const struct outliers *o, struct marked_range a, struct marked_range b, double median)
{
	uint32_t a_length = a.end - a.first, b_length = b.end - b.first, length = b.first - a.end;
	double gap = weight_of(o, a.end, b.first), all = (double)all_between(o, a.end, b.first);
	double one = weight_of(o, a.first, a.end) / a_length;
	double other = weight_of(o, b.first, b.end) / b_length;
	double expected = length * (one < other ? one : other), usual = length * median;

	if (median == 0 && length <= a_length + b_length && all < expected)
		expected = all;
	if (!o->is_random)
		return gap - usual >= (expected - usual) / 2;
	return gap >= expected || log_chance((uint64_t)gap, (uint64_t)expected) >= log(AS_USUAL);
}

/* Joins outliers with more than usual where no real gap is between them. */
static void join(const struct outliers *o, struct function_times *f)
{
	struct marked_range last = {0};

	for (struct marked_range r = next_range(o, f->usual, 0); r.end > r.first;
		r = next_range(o, f->usual, r.end)) {
		if (!has_more(o, f, r))
			continue;
		if (last.end && is_same(o, last, r, f->median)) {
			for (uint32_t i = last.end; i < r.first; i++)
				f->usual[i] = f->usual[i] < 0 ? f->median : f->usual[i];
			r.first = last.first;
		}
		last = r;
	}
}

static void make_whole(struct outliers *o, struct function_times *f)
{
	uint32_t nr = sort_windows(o, 1);
	double limit = (double)far_limit(o, nr, true) + LEAST_SHARE * (double)o->most;

	f->median = (double)o->sorted[nr / 2];
	for (struct marked_range r = next_range(o, f->usual, 0); r.end > r.first;
		r = next_range(o, f->usual, r.end))
		if (has_more(o, f, r))
			grow(o, f, r, limit);
	join(o, f);
}

/* Returns whether what is marked is an exception, not a phase. */
static bool is_exception(const struct outliers *o, const struct function_times *f)
{
	uint32_t columns = 0, ranges = 0;

	for (struct marked_range r = next_range(o, f->usual, 0); r.end > r.first;
		r = next_range(o, f->usual, r.end)) {
		columns += r.end - r.first;
		ranges++;
	}
	return columns <= o->nr / RARE || ranges <= RANGES_RARE;
}

static void search(struct outliers *o, struct function_times *f)
{
	free(f->usual);
	f->usual = NULL;
	mark_outliers(o, f);
	if (f->usual)
		make_whole(o, f);
}

static void find_outliers(struct outliers *o, struct function_times *f)
{
	bool is_strict = o->is_strict;

	for (uint32_t i = 0; i < o->nr; i++)
		o->sums[i + 1] = o->sums[i] + f->weight[i];
	if ((double)o->sums[o->nr] < LEAST_SHARE * (double)o->most)
		return;
	search(o, f);
	if (is_strict || !f->usual || is_exception(o, f))
		return;
	o->is_strict = true;
	search(o, f);
	o->is_strict = false;
}

static void find_all(struct outliers *o)
{
	for (uint32_t i = 0; i < o->nr_functions; i++)
		if (o->functions[i].weight)
			find_outliers(o, &o->functions[i]);
}

static bool is_outlier(const struct outliers *o, uint32_t column)
{
	for (uint32_t i = 0; i < o->nr_functions; i++)
		if (o->functions[i].usual && o->functions[i].usual[column] >= 0)
			return true;
	return false;
}

static uint32_t unusual_columns(const struct outliers *o)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < o->nr; i++)
		nr += is_outlier(o, i);
	return nr;
}

/* What a function does in the columns of an outlier. */
struct outlier_row {
	uint32_t function, depth;
	uint64_t weight, usual;
};

static int compare_findings(const void *va, const void *vb)
{
	const struct outlier_row *a = va, *b = vb;

	if (a->weight != b->weight)
		return compare_u64(b->weight, a->weight);
	if (a->depth != b->depth)
		return compare_u64(b->depth, a->depth);
	return compare_u64(a->function, b->function);
}

/* Removes the callers of functions that have all of their weight. Returns how many remain. */
static size_t drop_callers(struct outlier_row *list, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		if (!kept || list[i].weight != list[kept - 1].weight ||
			list[i].depth >= list[kept - 1].depth)
			list[kept++] = list[i];
	return kept;
}

/*
 * Sets LIST to what differs from column FIRST to before END, the whole first, then functions with
 * the largest weights. Returns how many there are.
 */
static size_t find(const struct outliers *o, uint32_t first, uint32_t end, struct outlier_row *list)
{
	size_t nr = 0;

	for (uint32_t i = 0; i < o->nr_functions; i++) {
		const struct function_times *f = &o->functions[i];
		struct outlier_row one = {.function = i, .depth = f->depth};
		double usual = 0;
		bool any = false;

		for (uint32_t column = first; column < end && f->usual; column++) {
			any |= f->usual[column] >= 0;
			usual += f->usual[column] < 0 ? f->median : f->usual[column];
			add_capped(&one.weight, f->weight[column]);
		}
		one.usual = (uint64_t)(usual + 0.5);
		if (any)
			list[nr++] = one;
	}
	size_t whole = nr && !list[0].function;

	qsort(list + whole, nr - whole, sizeof(*list), compare_findings);
	return whole + drop_callers(list + whole, nr - whole);
}

/* ---- the list ---- */

static void add_range(
	struct outlier_list *l, const struct outliers *o, uint32_t first, uint32_t end)
{
	struct outlier_row *list = xcalloc(o->nr_functions, sizeof(*list));
	size_t nr = find(o, first, end, list);

	for (size_t i = 0; i < nr && i < FUNCTIONS_SHOWN; i++) {
		ALLOC_GROW(l->list, l->nr, l->alloc);
		l->list[l->nr++] = (struct outlier){
			.first = first,
			.end = end,
			.from = seconds_at(o, first),
			.to = seconds_at(o, end),
			.frame = o->functions[list[i].function].frame,
			.depth = list[i].depth,
			.weight = list[i].weight,
			.usual = list[i].usual,
		};
	}
	free(list);
}

static void add_ranges(struct outlier_list *l, const struct outliers *o)
{
	uint32_t first = 0;

	while (first < o->nr) {
		uint32_t end = first;

		while (end < o->nr && is_outlier(o, end))
			end++;
		if (end > first)
			add_range(l, o, first, end);
		first = end > first ? end : first + 1;
	}
}

static void outliers_init(struct outliers *o, const struct profile *p)
{
	uint32_t merged = (p->times.nr + OUTLIERS_COLUMNS_MAX - 1) / OUTLIERS_COLUMNS_MAX;

	*o = (struct outliers){.p = p, .merged = merged, .nr = (p->times.nr + merged - 1) / merged};
	o->is_random = !strcmp(p->unit, "samples");
	o->sums = xcalloc((size_t)o->nr + 1, sizeof(*o->sums));
	o->sorted = xcalloc(o->nr, sizeof(*o->sorted));
	number_functions(o);
	o->functions[0].weight = xcalloc(o->nr, sizeof(*o->functions[0].weight));
	add_weights(o);
	for (uint32_t i = 0; i < o->nr; i++)
		if (o->functions[0].weight[i] > o->most)
			o->most = o->functions[0].weight[i];
	find_all(o);
	if (unusual_columns(o) > o->nr / 2) {
		o->is_strict = true;
		find_all(o);
	}
}

static void outliers_release(struct outliers *o)
{
	for (uint32_t i = 0; i < o->nr_functions; i++) {
		free(o->functions[i].weight);
		free(o->functions[i].usual);
	}
	free(o->functions);
	free(o->number_of);
	free(o->sums);
	free(o->sorted);
}

int outliers_find(struct outlier_list *l, const struct profile *p)
{
	struct outliers o;

	*l = (struct outlier_list){0};
	if (p->times.nr < COLUMNS_MIN)
		return 1;
	outliers_init(&o, p);
	l->columns = o.nr;
	l->column_s = seconds_at(&o, 1) - seconds_at(&o, 0);
	add_ranges(l, &o);
	outliers_release(&o);
	return 0;
}

void outlier_list_release(struct outlier_list *l)
{
	free(l->list);
}
