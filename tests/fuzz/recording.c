/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"
#include "lib/strbuf.h"
#include "model/recording.h"
#include "symbol/quality.h"
#include "view/view.h"

#include <stdlib.h>

/* The sums by file must equal the account, and every table can be written. */
static void write_quality(const struct recording *rec, const struct recording_view *view)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct quality q;

	quality_init(&q, rec, view, NULL, true);
	must(q.named == q.account.named);
	must(out && quality_csv(&q, out, NULL) == 0 && quality_json(&q, out, NULL) == 0);
	must(quality_text(&q, 80, out, NULL) == 0 && fclose(out) == 0);
	quality_release(&q);
	free(text);
}

/* Writes views that select rows by their labels and show the labels. */
static void write_labels(const struct recording *rec)
{
	struct label_filter filter = {0};
	struct recording_view view = {
		.event = -1, .by = "uri", .label_sets = true, .labels = &filter};
	struct strbuf notes = STRBUF_INIT;
	struct profile p;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	must(label_filter_add(&filter, "state=S,R,") == 0);
	must(recording_has_selected(rec, &view, &notes) == !notes.len);
	profile_init(&p);
	recording_to_profile(rec, &view, &p);
	profile_finish(&p);
	must(p.nodes[0].total == p.account.kept);
	must(out && view_pprof(&p, out, NULL) == 0);
	must(view_bt(rec, &view, DEMANGLE_SHORT, out, NULL) == 0 && fclose(out) == 0);
	profile_release(&p);
	strbuf_release(&notes);
	label_filter_release(&filter);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recording_view view = {.threads = true, .lines = true, .event = -1};
	struct recording rec;
	struct profile p;
	char *text = NULL;
	size_t len;

	if (fuzz_read_recording(&rec, data, size) == 0) {
		FILE *out = open_memstream(&text, &len);

		fuzz_write_twice(&rec);
		must(out && view_bt(&rec, &view, DEMANGLE_SHORT, out, NULL) == 0 &&
			fclose(out) == 0);
		free(text);
		write_quality(&rec, &view);
		write_labels(&rec);
		profile_init(&p);
		recording_to_profile(&rec, &view, &p);
		fuzz_fold_twice(&p);
		profile_release(&p);
	}
	recording_release(&rec);
	return 0;
}
