/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel and its modules in a recording, from a made-up sysfs. */
#include "symbol/names/kernel.h"
#include "lib/util.h"
#include "model/recording.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/kernel-test-XXXXXX";

/* Two notes: "Linux" and the build-id 0123…. */
static const char notes[] = "\x06\0\0\0\x04\0\0\0\x01\x01\0\0Linux\0\0\0\x2a\0\0\0"
			    "\x04\0\0\0\x08\0\0\0\x03\0\0\0GNU\0\x01\x23\x45\x67\x89\xab\xcd\xef";

static void put(const char *path, const void *content, size_t len)
{
	char *full = xasprintf("%s/%s", folder, path);

	for (char *slash = full + strlen(folder); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_int_equal(write(fd, content, len), len);
	close(fd);
	free(full);
}

static void put_module(const char *name, const char *text)
{
	char *path = xasprintf("module/%s/notes/.note.gnu.build-id", name);

	put(path, notes, sizeof(notes) - 1);
	free(path);
	path = xasprintf("module/%s/sections/.text", name);
	put(path, text, strlen(text));
	free(path);
}

static int set_up(void **state)
{
	(void)state;
	return !mkdtemp(folder);
}

static int tear_down(void **state)
{
	char *command = xasprintf("rm -r '%s'", folder);
	int ret = system(command);

	(void)state;
	free(command);
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	return ret;
}

static void add_frame(struct recording *rec, enum frame_kind kind, const char *module)
{
	uint32_t frame = recording_add_frame(
		rec, &(struct rec_frame){.kind = kind, .place = AT_ADDRESS, .addr = 1});

	recording_name_frame(rec, frame,
		&(struct rec_name){.function = recording_string(rec, "f"),
			.module = recording_string(rec, module)},
		1);
}

static void kernel__its_build_id(void **state)
{
	struct recording rec;
	struct utsname uts;

	(void)state;
	recording_init(&rec);
	put("kernel/notes", notes, sizeof(notes) - 1);
	kernel_describe(&rec, folder);
	assert_int_equal(uname(&uts), 0);
	assert_string_equal(recording_get(&rec, rec.kernel_release), uts.release);
	assert_string_equal(recording_get(&rec, rec.kernel_build_id), "0123456789abcdef");
	assert_int_equal(rec.nr_modules, 0);
	for (size_t len = 0; len < sizeof(notes) - 1; len++) {
		put("kernel/notes", notes, len);
		kernel_describe(&rec, folder);
		assert_int_equal(rec.kernel_build_id, 0);
	}
	recording_release(&rec);
}

static void kernel__modules_with_frames(void **state)
{
	struct recording rec;

	(void)state;
	put_module("nf_tables", "0xffffffffc0001000\n");
	put_module("xfs", "0xffffffffc0100000\n");
	put_module("unused", "0xffffffffc0200000\n");
	put_module("hidden", "0x0000000000000000\n");
	put_module("odd", "nothing\n");
	put("module/no_text/notes/.note.gnu.build-id", notes, sizeof(notes) - 1);
	put("module/no_id/sections/.text", "0xffffffffc0300000\n", 19);
	put_module("kernel", "0xffffffff81000000\n");
	recording_init(&rec);
	recording_add_frame(&rec, &(struct rec_frame){.kind = FRAME_KERNEL});
	add_frame(&rec, FRAME_USER, "[unused]");
	add_frame(&rec, FRAME_KERNEL, "[kernel]");
	for (int i = 0; i < 3; i++) {
		add_frame(&rec, FRAME_KERNEL, "[xfs]");
		add_frame(&rec, FRAME_KERNEL, "[nf_tables]");
	}
	static const char *const others[] = {"[hidden]", "[odd]", "[no_text]", "[no_id]", "[gone]",
		"[../module/unused]", "[unused", "unused", "[]", "[", ""};

	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		add_frame(&rec, FRAME_KERNEL, others[i]);
	kernel_describe(&rec, folder);
	assert_int_equal(rec.nr_modules, 2);
	assert_string_equal(recording_get(&rec, rec.modules[0].name), "xfs");
	assert_string_equal(recording_get(&rec, rec.modules[0].build_id), "0123456789abcdef");
	assert_int_equal(rec.modules[0].text, 0xffffffffc0100000);
	assert_string_equal(recording_get(&rec, rec.modules[1].name), "nf_tables");
	assert_int_equal(rec.modules[1].text, 0xffffffffc0001000);
	recording_release(&rec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(kernel__its_build_id, set_up, tear_down),
		cmocka_unit_test_setup_teardown(kernel__modules_with_frames, set_up, tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
