/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies of the kernel's types: what they contain, and the file that keeps them. */
#include "engine/bpf/kernel_types.h"
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/embedded.h"
#include "lib/util.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* struct list { list *next; struct place inner[3]; }, struct place { const number x; }, an enum,
 * and two others */
static struct btf *make_kernel(void)
{
	struct btf *btf = btf__new_empty();
	int number = btf__add_int(btf, "long", 8, BTF_INT_SIGNED);
	int alias = btf__add_typedef(btf, "number", number);
	int constant = btf__add_const(btf, alias);
	int other = btf__add_struct(btf, "other", 8);

	btf__add_field(btf, "y", number, 0, 0);
	int pointer = btf__add_ptr(btf, other);
	int place = btf__add_struct(btf, "place", 8);

	btf__add_field(btf, "x", constant, 0, 0);
	int array = btf__add_array(btf, number, place, 3);

	btf__add_struct(btf, "list", 32);
	btf__add_field(btf, "next", pointer, 0, 0);
	btf__add_field(btf, "inner", array, 64, 0);
	btf__add_enum(btf, "state", 4);
	btf__add_enum_value(btf, "RUNS", 7);
	btf__add_struct(btf, "unrelated", 8);
	btf__add_field(btf, "y", number, 0, 0);
	return btf;
}

static void types__copied(void **state)
{
	struct btf *kernel = make_kernel(), *programs = btf__new_empty();

	(void)state;
	btf__add_struct(programs, "list___old", 0);
	btf__add_enum(programs, "state", 4);
	struct btf *copied = kernel_types_copy(kernel, programs);

	assert_non_null(copied);
	const struct btf_type *list = btf__type_by_id(
		copied, (uint32_t)btf__find_by_name_kind(copied, "list", BTF_KIND_STRUCT));

	assert_int_equal(list->size, 32);
	assert_int_equal(btf_vlen(list), 2);
	assert_string_equal(btf__name_by_offset(copied, btf_members(list)[1].name_off), "inner");
	assert_int_equal(btf_member_bit_offset(list, 1), 64);
	const struct btf_type *pointer = btf__type_by_id(copied, btf_members(list)[0].type);

	assert_true(btf_is_ptr(pointer));
	assert_int_equal(pointer->type, 0);
	const struct btf_type *array = btf__type_by_id(copied, btf_members(list)[1].type);

	assert_int_equal(btf_array(array)->nelems, 3);
	const struct btf_type *place = btf__type_by_id(copied, btf_array(array)->type);

	assert_string_equal(btf__name_by_offset(copied, place->name_off), "place");
	assert_int_equal(btf__resolve_size(copied, btf_members(place)[0].type), 8);
	assert_true(btf__find_by_name_kind(copied, "state", BTF_KIND_ENUM) > 0);
	assert_true(btf__find_by_name_kind(copied, "other", BTF_KIND_STRUCT) < 0);
	assert_true(btf__find_by_name_kind(copied, "unrelated", BTF_KIND_STRUCT) < 0);
	btf__free(copied);
	btf__free(programs);
	btf__free(kernel);
}

/* Changes the last byte of the only file *.types in FOLDER. Returns false if there is none. */
static bool damage(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	bool done = false;

	while (dir && (entry = readdir(dir))) {
		size_t len = strlen(entry->d_name);
		char byte;

		if (len < 6 || strcmp(entry->d_name + len - 6, ".types") != 0)
			continue;
		int fd = openat(dirfd(dir), entry->d_name, O_RDWR | O_CLOEXEC);
		off_t at = lseek(fd, -1, SEEK_END);

		assert_int_equal(pread(fd, &byte, 1, at), 1);
		byte = (char)~byte;
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		close(fd);
		done = true;
	}
	if (dir)
		closedir(dir);
	return done;
}

static void types__kept(void **state)
{
	char folder[] = "/tmp/kernel-types.XXXXXX";
	struct kernel_types types;

	(void)state;
	assert_non_null(mkdtemp(folder));
	setenv("CACHE_DIRECTORY", folder, 1);
	struct bpf_object *object = embedded_open(on_cpu_tool.object, NULL);

	kernel_types_open(&types, "a", 1);
	assert_null(types.path);
	kernel_types_keep(&types, object);
	kernel_types_release(&types);

	kernel_types_open(&types, "a", 1);
	if (types.path) { /* not where the kernel has no BTF, or no build-id */
		struct btf *btf = btf__parse(types.path, NULL);

		assert_true(btf__find_by_name_kind(btf, "task_struct", BTF_KIND_STRUCT) > 0);
		btf__free(btf);
		kernel_types_release(&types);
		kernel_types_open(&types, "b", 1);
		assert_null(types.path);
		assert_true(damage(folder));
		kernel_types_release(&types);
		kernel_types_open(&types, "a", 1);
		assert_null(types.path);
	}
	kernel_types_release(&types);
	bpf_object__close(object);
	char *remove = xasprintf("rm -r '%s'", folder);

	assert_int_equal(system(remove), 0);
	free(remove);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types__copied),
		cmocka_unit_test(types__kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
