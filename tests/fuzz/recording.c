/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"
#include "lib/recording.h"
#include "view/view.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recording_view view = {.threads = true, .event = -1};
	struct recording rec;
	struct profile p;
	char *text = NULL;
	size_t len;

	if (fuzz_read_recording(&rec, data, size) == 0) {
		FILE *out = open_memstream(&text, &len);

		fuzz_write_twice(&rec);
		must(out && view_bt(&rec, &view, out, NULL) == 0 && fclose(out) == 0);
		free(text);
		profile_init(&p);
		recording_to_profile(&rec, &view, &p);
		fuzz_fold_twice(&p);
		profile_release(&p);
	}
	recording_release(&rec);
	return 0;
}
