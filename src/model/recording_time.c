/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Selects the slices of a recording, and shows them apart. */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "recording.h"
#include "recording_time.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SPLIT_MAX = 1 << 23 }; /* rows of single slices */

/* Consecutive slices. */
struct slice_range {
	uint32_t first, last;
};

/* Adds the part of ITEM within the selection to PART. Returns false if there is none. */
static bool clip(const struct series_item *item, struct slice_range s, struct series_item *part)
{
	uint32_t first = item->slice > s.first ? item->slice : s.first;
	uint32_t last = item->slice + item->more < s.last ? item->slice + item->more : s.last;

	if (first > last)
		return false;
	*part = (struct series_item){first - s.first + 1, last - first, item->count, item->sum};
	return true;
}

/* Reduces ROW to the selection. Its series moves to SELECTED. */
static void reduce_row(const struct recording *rec, struct rec_row *row, struct slice_range s,
	struct series_pool *selected)
{
	struct series_reader r = series_read(&rec->series, row->series);
	struct series_item part;

	row->count = row->sum = 0;
	row->series = 0;
	while (series_next(&r)) {
		if (!clip(&r.item, s, &part))
			continue;
		add_product_capped(&row->count, part.count, (uint64_t)part.more + 1);
		add_product_capped(&row->sum, part.sum, (uint64_t)part.more + 1);
		row->series = series_add(selected, row->series, &part);
	}
}

static void reduce_rows(struct recording *rec, struct slice_range s)
{
	struct series_pool selected;
	size_t kept = 0;

	series_init(&selected);
	for (size_t i = 0; i < rec->nr_rows; i++) {
		struct rec_row row = rec->rows[i];

		reduce_row(rec, &row, s, &selected);
		if (row.series)
			rec->rows[kept++] = row;
	}
	rec->nr_rows = kept;
	series_release(&rec->series);
	rec->series = selected;
}

/* Returns the slice boundary that is nearest to NS, as a number of slices from the begin. */
static uint64_t nearest(const struct recording *rec, uint64_t ns)
{
	uint64_t boundary = (ns + rec->slices.ns / 2) / rec->slices.ns;

	return boundary < rec->slices.nr ? boundary : rec->slices.nr;
}

static struct slice_range select_slices(const struct recording *rec, uint64_t from, uint64_t to)
{
	uint64_t begin = nearest(rec, from), end = nearest(rec, to);

	if (begin == end) { /* the range is shorter than a slice */
		begin = from / rec->slices.ns;
		end = begin + 1;
	}
	return (struct slice_range){(uint32_t)begin + 1, (uint32_t)end};
}

/* Forgets how many events were lost. Returns whether any were. */
static bool forget_lost(struct recording *rec)
{
	bool any = false;

	for (int i = 0; i < LOST_REASONS; i++) {
		any |= rec->lost[i] > 0;
		rec->lost[i] = 0;
	}
	return any;
}

int recording_select_time(
	struct recording *rec, const struct time_range *range, struct strbuf *notes)
{
	uint64_t from, to, duration = (uint64_t)rec->slices.nr * rec->slices.ns;

	if (time_range_is_open(range))
		return 0;
	if (!rec->slices.nr)
		return fail(
			notes, "it has no slices of time to select: record with --slice TIME\n");
	if (time_range_resolve(range, recording_started(rec), duration, &from, &to, notes))
		return fail(notes, "\n");
	struct slice_range s = select_slices(rec, from, to);

	if (forget_lost(rec))
		strbuf_adds(notes, "when events were lost is not known: losses are not shown\n");
	strbuf_addf(notes, "%.3f to %.3f s of %.3f s are shown\n",
		(double)((s.first - 1) * rec->slices.ns) / 1e9,
		(double)(s.last * rec->slices.ns) / 1e9, (double)duration / 1e9);
	reduce_rows(rec, s);
	rec->slices.nr = s.last - s.first + 1;
	rec->slices.begin += (s.first - 1) * rec->slices.ns;
	char *seconds =
		xasprintf("%.3f", (double)((uint64_t)rec->slices.nr * rec->slices.ns) / 1e9);

	recording_set_meta(rec, "seconds", seconds);
	free(seconds);
	return 0;
}

/* Returns the number of rows if each has a single slice. */
static uint64_t count_split(const struct recording *rec)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < rec->nr_rows; i++) {
		struct series_reader r = series_read(&rec->series, rec->rows[i].series);

		while (series_next(&r))
			nr += (uint64_t)r.item.more + 1;
	}
	return nr;
}

/* Returns the labels of ROW and SLICE, whose value is its begin in seconds. */
static uint32_t slice_labels(struct recording *rec, const struct rec_row *row, uint32_t slice)
{
	uint32_t pairs[LABEL_SET_MAX];
	size_t nr = labels_get(&rec->labels, row->labels, pairs);
	struct label list[LABEL_SET_MAX + 1];
	uint64_t last = rec->slices.begin + rec->slices.nr * rec->slices.ns;
	int width = snprintf(NULL, 0, "%.3f", (double)last / 1e9);
	char *value = xasprintf(
		"%0*.3f", width, (double)(rec->slices.begin + (slice - 1) * rec->slices.ns) / 1e9);

	list[0] = (struct label){
		recording_string(rec, RECORDING_SLICE), recording_string(rec, value)};
	for (size_t i = 0; i < nr; i++)
		list[i + 1] = rec->labels.pairs[pairs[i]];
	free(value);
	return recording_labels(rec, list, nr + 1);
}

int recording_split_slices(struct recording *rec, struct strbuf *err)
{
	struct rec_row *rows = rec->rows;
	size_t nr_rows = rec->nr_rows;

	if (!rec->slices.nr)
		return fail(err, "it has no slices of time to show: record with --slice TIME\n");
	if (count_split(rec) > SPLIT_MAX)
		return fail(err,
			"it has too many slices of time to show each: select a part of the "
			"time\n");
	rec->rows = NULL;
	rec->nr_rows = rec->rows_alloc = 0;
	for (size_t i = 0; i < nr_rows; i++) {
		struct series_reader r = series_read(&rec->series, rows[i].series);

		while (series_next(&r))
			for (uint32_t k = 0; k <= r.item.more; k++) {
				struct rec_row row = rows[i];

				row.series = 0;
				row.labels = slice_labels(rec, &rows[i], r.item.slice + k);
				row.count = r.item.count;
				row.sum = r.item.sum;
				recording_add_row(rec, &row);
			}
	}
	free(rows);
	return 0;
}
