/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers of nginx's layout in tapsets/nginx; their values in a process are tested in nginx.c.
 */
#include "label/nginx/nginx_values.h"
#include "label/label.h"
#include "tapset_test.h"

#include <ctype.h>

/* Expects the next macro to be NAME, of the layout or of its offsets. */
static void expect_define(struct tapset_macros *macros, const char *name, size_t number)
{
	const char *member = strchr(name, '.');

	tapset_expect(macros, "NGINX", member ? member + 1 : name, number);
}

/*
 * Each label except for the worker's PID has its number; the number of texts precedes the others.
 */
static void expect_keys(struct tapset_macros *macros)
{
	for (size_t i = 0; i < NGINX_KEY_WORKER; i++) {
		char *name = xasprintf("KEY_%s", nginx_labels.keys[i].name);

		for (char *c = name; *c; c++)
			*c = (char)toupper((unsigned char)*c);
		if (i == NGINX_TEXTS)
			expect_define(macros, "TEXTS", NGINX_TEXTS);
		expect_define(macros, name, i);
		free(name);
	}
}

/*
 * The tapset has the same numbers in the same order, followed by three numbers for each function.
 */
static void nginx_values__numbers_of_the_tapset(void **state)
{
	struct tapset_macros macros = tapset_open("nginx");
	size_t next = 0;

	(void)state;
#define NUMBER(name) expect_define(&macros, #name, next++);
	NGINX_NUMBERS(NUMBER)
#undef NUMBER
	expect_define(&macros, "codes", next);
	expect_define(&macros, "NR_CODES", NGINX_CODES);
	expect_define(&macros, "NUMBERS", next + 3 * NGINX_CODES);
	expect_keys(&macros);
	tapset_close(&macros);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nginx_values__numbers_of_the_tapset),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
