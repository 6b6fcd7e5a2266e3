/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When processes with a source of labels are reported that cannot be read. */
#include "label/label_processes.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { SECOND = 1000000000 };

static int refuse(const struct target *t, struct label_layout *layout, struct strbuf *err)
{
	(void)t;
	(void)layout;
	strbuf_adds(err, "it is closed");
	return -1;
}

static const struct label_source source = {.title = "a server", .find = refuse};

static const struct chosen_sources chosen = {.list = {{&source, 1}}, .nr = 1};

/* Children of a server that are about to execute another program are refused only once. */
static void label_processes__report_what_is_refused_again(void **state)
{
	uint32_t pid = (uint32_t)getpid();
	struct label_processes labels;
	struct facets facets = {0};
	struct processes ps;

	(void)state;
	processes_init(&ps);
	processes_get(&ps, pid);
	label_processes_init(&labels, &chosen, &ps);
	facets_add(&facets, &labels.facet);
	facets_update(&facets);
	struct facet_entry *e = facet_known(&labels.facet, pid);

	assert_int_equal(e->state, FACET_REFUSED);
	assert_int_equal(labels.facet.refusals.len, 0);
	e->looked_ns -= 2LL * SECOND;
	e->began_ns -= 2LL * SECOND;
	facets_update(&facets);
	assert_non_null(strstr(labels.facet.refusals.buf, "it is closed"));
	label_processes_release(&labels);
	processes_release(&ps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(label_processes__report_what_is_refused_again),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
