/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of interpreters' frames, as the BPF programs send them. */
#include "runtime/vm_processes.h"
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
	vm_processes_init(&processes, &perl_vm, &ps, &names);
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

/* Sends the frame of a sub. Returns the number of its name. */
static uint64_t send(bool is_named, bool is_placed)
{
	static struct vm_new_frame frame;

	frame = (struct vm_new_frame){.what = VM_WHAT(PERL_SUB) | 0x1000};
	frame.key.tgid = PID;
	frame.key.words = vm_pack(&(struct vm_frame){frame.what, 0, 0x2000});
	frame.texts.perl.named = is_named;
	frame.texts.perl.placed = is_placed;
	set_text(&frame.texts.perl.name, "total");
	set_text(&frame.texts.perl.file, "shop.pl");
	vm_processes_take_frame(&processes, &frame);
	return vm_processes_name(&processes, PID, &frame.key.words);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(vm_processes__complete_a_name, set_up, tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
