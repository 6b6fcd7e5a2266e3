/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which stacks the command line of sample-bt requests. */
#include "label/label.h"
#include "lib/util.h"
#include "record/options.h"
#include "runtime/vm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum {
	PERL = VM_BIT(VM_PERL),
	PYTHON = VM_BIT(VM_PYTHON),
	LUA = VM_BIT(VM_LUA),
};

static const struct wish {
	const char *words[3];
	bool user, kernel, by_default, any_vm;
	uint32_t vms;
} wishes[] = {
	{{0}, .user = true, .kernel = true, .by_default = true},
	{{"-u"}, .user = true},
	{{"-k"}, .kernel = true},
	{{"-u", "-k"}, .user = true, .kernel = true},
	{{"--perl"}, .vms = PERL},
	{{"--perl", "-k"}, .vms = PERL, .kernel = true},
	{{"--perl", "--python"}, .vms = PERL | PYTHON},
	{{"--vm", "perl"}, .vms = PERL},
	{{"--vm", "lua,perl", "--python"}, .vms = PERL | PYTHON | LUA},
	{{"--vm", "auto"}, .vms = VM_ALL, .any_vm = true},
	{{"--vm", "auto", "--perl"}, .vms = VM_ALL, .any_vm = true},
	{{"--vm", "auto", "--mixed"}, .vms = VM_ALL, .any_vm = true, .user = true, .kernel = true},
	{{"--vm=perl,lua", "--mixed", "-u"}, .vms = PERL | LUA, .user = true},
	{{"--mixed"}, .vms = VM_ALL, .any_vm = true, .user = true, .kernel = true},
	{{"--mixed", "-u"}, .vms = VM_ALL, .any_vm = true, .user = true},
	{{"--mixed", "-k"}, .vms = VM_ALL, .any_vm = true, .user = true, .kernel = true},
	{{"-k", "--mixed", "-u"}, .vms = VM_ALL, .any_vm = true, .user = true, .kernel = true},
	{{"--perl", "--mixed"}, .vms = PERL, .user = true, .kernel = true},
	{{"-u", "--mixed", "--perl"}, .vms = PERL, .user = true},
};

static void test_stacks(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wishes); i++) {
		const struct wish *w = &wishes[i];
		char *argv[7] = {(char *)"sample-bt", (char *)"-p", (char *)"1"};
		int argc = 3;
		struct options o;

		for (size_t k = 0; k < ARRAY_LEN(w->words) && w->words[k]; k++)
			argv[argc++] = (char *)w->words[k];
		options_parse(&o, argc, argv);
		assert_int_equal(o.session.request.user, w->user);
		assert_int_equal(o.session.request.kernel, w->kernel);
		assert_int_equal(o.session.request.vms, w->vms);
		assert_int_equal(o.session.request.any_vm, w->any_vm);
		assert_int_equal(o.session.request.by_default, w->by_default);
		options_release(&o);
	}
}

static void test_time(void **state)
{
	static const struct {
		const char *word;
		double seconds;
	} times[] = {
		{"5", 5}, {"0.5", 0.5}, {"5s", 5}, {"500ms", 0.5}, {"2m", 120}, {"1.5h", 5400}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		char *argv[] = {(char *)"sample-bt", (char *)"-p", (char *)"1", (char *)"-t",
			(char *)times[i].word, NULL};
		struct options o;

		options_parse(&o, 5, argv);
		assert_float_equal(o.session.request.seconds, times[i].seconds, 1e-9);
		options_release(&o);
	}
}

/* Labels are recorded by default, or because the view uses them. */
static void test_labels(void **state)
{
	static const struct {
		const char *words[3];
		uint32_t more, values;
	} list[] = {
		{{"--nginx"}, 0, 1000},
		{{"--nginx", "--labels", "20"}, 0, 20},
		{{"--nginx", "--with", "args,conn"}, 1 << NGINX_ARGS | 1 << NGINX_KEY_CONN, 1000},
		{{"--nginx", "--by", "worker"}, 1 << NGINX_KEY_WORKER, 1000},
		{{"--nginx", "--where", "args=a*"}, 1 << NGINX_ARGS, 1000},
		{{"--nginx", "--by", "comm"}, 0, 1000},
		{{"--nginx", "--engine", "stap"}, 0, 1000},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		char *argv[7] = {(char *)"sample-bt", (char *)"-p", (char *)"1"};
		int argc = 3;
		struct options o;

		for (size_t k = 0; k < 3 && list[i].words[k]; k++)
			argv[argc++] = (char *)list[i].words[k];
		options_parse(&o, argc, argv);
		assert_ptr_equal(label_only(&o.session.request.labels), &nginx_labels);
		assert_int_equal(o.session.request.labels.list[0].keys,
			label_default_keys(&nginx_labels) | list[i].more);
		assert_int_equal(o.session.request.label_values, list[i].values);
		assert_true(o.session.request.children);
		options_release(&o);
	}
}

/* Each of several sources has its own of the labels that are asked for. */
static void test_sources(void **state)
{
	char *argv[] = {(char *)"sample-bt", (char *)"-p", (char *)"1", (char *)"--php-request",
		(char *)"--nginx", (char *)"--php-request", (char *)"--with", (char *)"args,conn",
		NULL};
	struct options o;

	(void)state;
	options_parse(&o, ARRAY_LEN(argv) - 1, argv);
	const struct chosen_sources *labels = &o.session.request.labels;

	assert_int_equal(labels->nr, 2);
	assert_ptr_equal(labels->list[0].source, &php_request_labels);
	assert_int_equal(labels->list[0].keys,
		label_default_keys(&php_request_labels) | 1 << PHP_REQUEST_ARGS);
	assert_ptr_equal(labels->list[1].source, &nginx_labels);
	assert_int_equal(labels->list[1].keys,
		label_default_keys(&nginx_labels) | 1 << NGINX_ARGS | 1 << NGINX_KEY_CONN);
	options_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
