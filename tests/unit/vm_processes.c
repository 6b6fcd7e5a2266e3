/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of interpreters, and the names of their frames, as the BPF programs send them. */
#include "runtime/vm_processes.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { PID = 77 };

static struct processes ps;
static struct vm_processes processes;

/* Returns a number for what is known of the name. */
static uint32_t add(void *context, const struct vm_name *name)
{
	(void)context;
	return 1 + 2 * (name->function != NULL) + (name->file != NULL);
}

static int set_up(void **state)
{
	const struct vm_names names = {.add = add};

	(void)state;
	processes_init(&ps);
	vm_processes_init(&processes, VM_BIT(VM_PERL) | VM_BIT(VM_PYTHON), &ps, &names);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	vm_processes_release(&processes);
	processes_release(&ps);
	return 0;
}

static void set_text(struct perl_text *text, const char *value)
{
	text->len = (uint16_t)strlen(value);
	memcpy(text->bytes, value, text->len);
}

/* Sends the frame of a sub in this generation. Returns the number of its name. */
static uint64_t send_in(uint16_t generation, bool is_named, bool is_placed)
{
	static struct vm_new_frame frame;

	frame = (struct vm_new_frame){.what = VM_WHAT(PERL_SUB) | 0x1000};
	frame.key.tgid = PID;
	frame.key.kind = VM_PERL;
	frame.key.generation = generation;
	frame.key.words = vm_pack(&(struct vm_frame){frame.what, 0, 0x2000});
	frame.texts.perl.named = is_named;
	frame.texts.perl.placed = is_placed;
	set_text(&frame.texts.perl.name, "total");
	set_text(&frame.texts.perl.file, "shop.pl");
	vm_processes_take_frame(&processes, &frame);
	return vm_processes_name(&processes, &perl_vm, PID, generation, &frame.key.words);
}

static uint64_t send(bool is_named, bool is_placed)
{
	return send_in(1, is_named, is_placed);
}

/* Memory may not be readable at a tick. The programs send the frame again then. */
static void vm_processes__complete_a_name(void **state)
{
	(void)state;
	assert_int_equal(send(false, false), 1);
	assert_int_equal(send(true, false), 3);
	assert_int_equal(send(true, true), 4);
	assert_int_equal(send(false, false), 4);
}

/* A process may execute a program in another language before its last frames are taken. */
static void vm_processes__take_a_frame_of_the_last_program(void **state)
{
	(void)state;
	send(true, false);
	for (size_t i = 1; i < processes.nr_images; i++)
		processes.images[i].layout.kind = VM_PYTHON;
	assert_int_equal(send(true, true), 4);
}

static void vm_processes__find_none_in_an_unknown_process(void **state)
{
	(void)state;
	assert_ptr_equal(vm_processes_vm(&processes, PID), &perl_vm);
	assert_null(vm_processes_operator(&processes, PID, VM_OP(1)));
}

/* Children inherit the interpreter, however many there are. */
static void vm_processes__have_children(void **state)
{
	enum { CHILDREN = 100, NONE = 5000000 }; /* no process has such a number */
	struct facets facets = {0};

	(void)state;
	facets_add(&facets, &processes.facet);
	facets_forked(&facets, NONE, NONE + 1, 0);
	facets_executed(&facets, NONE + 1);
	facet_inherit(&processes.facet, NONE, NONE + 1);
	processes.images[1].layout.kind = VM_PYTHON;
	for (uint32_t i = 1; i < CHILDREN; i++) {
		facets_forked(&facets, NONE + i, NONE + i + 1, 0);
		assert_ptr_equal(vm_processes_vm(&processes, NONE + i + 1), &python_vm);
	}
}

/* Samples of a program may be taken after it has ended, or while its process executes another. */
static void vm_processes__remember_the_last_program(void **state)
{
	struct facets facets = {0};

	(void)state;
	facets_add(&facets, &processes.facet);
	send(true, true);
	processes.images[1].layout.kind = VM_PYTHON;
	assert_ptr_equal(vm_processes_vm(&processes, PID), &python_vm);
	facets_executed(&facets, PID);
	assert_ptr_equal(vm_processes_vm(&processes, PID), &python_vm);
	processes.images[2].layout.kind = VM_PERL;
	assert_ptr_equal(vm_processes_vm(&processes, PID), &perl_vm);
	assert_ptr_equal(vm_processes_vm(&processes, PID + 1), &perl_vm);
	processes.kinds = VM_BIT(VM_PYTHON);
	assert_ptr_equal(vm_processes_vm(&processes, PID + 1), &python_vm);
}

/* However often a process executes a program, rows of each find their names, and no others. */
static void vm_processes__tell_programs_apart(void **state)
{
	enum { PROGRAMS = VM_GENERATIONS - 1 };
	struct facets facets = {0};
	struct vm_words words = vm_pack(&(struct vm_frame){VM_WHAT(PERL_SUB) | 0x1000, 0, 0x2000});

	(void)state;
	facets_add(&facets, &processes.facet);
	for (uint16_t i = 1; i <= PROGRAMS; i++) {
		assert_int_equal(send_in(i, i % 2, true), i % 2 ? 4 : 2);
		facets_executed(&facets, PID);
	}
	for (uint16_t i = 1; i <= PROGRAMS; i++)
		assert_int_equal(
			vm_processes_name(&processes, &perl_vm, PID, i, &words), i % 2 ? 4 : 2);
	assert_int_equal(vm_processes_name(&processes, &perl_vm, PID, PROGRAMS + 1, &words), 1);
}

/* A child's first frames may come before the event of its fork. */
static void vm_processes__take_a_frame_before_the_fork(void **state)
{
	struct facets facets = {0};

	(void)state;
	facets_add(&facets, &processes.facet);
	for (uint32_t i = 0; i < 3; i++)
		facets_executed(&facets, PID - 1);
	assert_int_equal(send_in(3, true, true), 4);
	facets_forked(&facets, PID - 1, PID, 0);
	assert_int_equal(send_in(3, true, true), 4);
}

static void vm_sets__have_an_order(void **state)
{
	(void)state;
	assert_null(vm_first(0));
	assert_null(vm_only(0));
	assert_ptr_equal(vm_first(VM_ALL), vms[0]);
	assert_ptr_equal(vm_first(VM_ALL & ~VM_BIT(vms[0]->kind)), vms[1]);
	assert_ptr_equal(vm_only(VM_BIT(VM_PYTHON)), &python_vm);
	assert_null(vm_only(VM_BIT(VM_PYTHON) | VM_BIT(VM_PERL)));
	assert_null(vm_of_kind(VM_NONE));
	for (size_t i = 0; i < NR_VMS; i++)
		assert_ptr_equal(vm_of_kind(vms[i]->kind), vms[i]);
}

static void vm_sets__have_titles(void **state)
{
	struct strbuf text = STRBUF_INIT;

	(void)state;
	vm_add_titles(VM_BIT(VM_PHP), &text);
	strbuf_addch(&text, '\n');
	vm_add_titles(VM_BIT(VM_PHP) | VM_BIT(VM_PERL), &text);
	strbuf_addch(&text, '\n');
	vm_add_titles(VM_BIT(VM_PHP) | VM_BIT(VM_PERL) | VM_BIT(VM_LUA), &text);
	assert_string_equal(text.buf, "PHP\nPerl or PHP\nPerl, Lua or PHP");
	strbuf_release(&text);
}

static void vm_sets__tell_what_stap_cannot(void **state)
{
	(void)state;
	assert_false(vm_needs_bpf(0));
	assert_false(vm_needs_bpf(VM_BIT(VM_PERL)));
	assert_true(vm_needs_bpf(VM_BIT(VM_LUA)));
	assert_false(vm_needs_bpf(VM_BIT(VM_PYTHON)));
	assert_false(vm_needs_bpf(VM_BIT(VM_RUBY)));
	assert_true(vm_needs_bpf(VM_BIT(VM_PERL) | VM_BIT(VM_LUA)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(vm_processes__complete_a_name, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			vm_processes__take_a_frame_of_the_last_program, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			vm_processes__find_none_in_an_unknown_process, set_up, tear_down),
		cmocka_unit_test_setup_teardown(vm_processes__have_children, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			vm_processes__remember_the_last_program, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			vm_processes__tell_programs_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			vm_processes__take_a_frame_before_the_fork, set_up, tear_down),
		cmocka_unit_test(vm_sets__have_an_order),
		cmocka_unit_test(vm_sets__have_titles),
		cmocka_unit_test(vm_sets__tell_what_stap_cannot),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
