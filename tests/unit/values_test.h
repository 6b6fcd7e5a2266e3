/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of the layouts of interpreters as variables of our scripts. */
#ifndef TESTS_UNIT_VALUES_TEST_H
#define TESTS_UNIT_VALUES_TEST_H

#include "runtime/vm_values.h"
#include "tapset_test.h"

static struct vm_values values;
static struct argv argv;

static int set_up(void **state)
{
	(void)state;
	values = (struct vm_values){0};
	argv = (struct argv){0};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	vm_values_release(&values);
	argv_release(&argv);
	return 0;
}

/* Returns the value of the variable NAME, valid until the next call, or "none". */
static const char *value(const char *name)
{
	size_t len = strlen(name);

	argv_release(&argv);
	vm_values_give(&values, &argv);
	for (size_t i = 0; i < argv.nr; i++)
		if (!strncmp(argv.words[i], name, len) && argv.words[i][len] == '=')
			return argv.words[i] + len + 1;
	return "none";
}

#endif
