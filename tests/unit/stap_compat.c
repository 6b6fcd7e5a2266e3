/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Edits of SystemTap's runtime, on made-up kernels and runtimes below a temporary folder.
 */
#include "engine/stap/compat/stap_compat.h"
#include "engine/stap/compile.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define RELEASE "6.1.0-50-amd64"
#define MODULES "/lib/modules/" RELEASE
#define HEADERS MODULES "/build/include"
#define RUNTIME "/usr/share/systemtap/runtime"

static char root[] = "/tmp/compat-test-XXXXXX";

static char *in_root(const char *path)
{
	return xasprintf("%s%s", root, path);
}

static void put(const char *path, const char *text)
{
	char *full = in_root(path);

	for (char *s = strchr(full + 1, '/'); s; s = strchr(s + 1, '/')) {
		*s = '\0';
		mkdir(full, 0755);
		*s = '/';
	}
	FILE *f = fopen(full, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	free(full);
}

/* Expects that FOLDER/NAME has exactly that TEXT and mode. */
static void expect_file(const char *folder, const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", folder, name), content[4096];
	struct stat st;
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	content[fread(content, 1, sizeof(content) - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(content, text);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(st.st_mtime, 1);
	free(path);
}

static int make_root(void **state)
{
	(void)state;
	strcpy(strrchr(root, '-'), "-XXXXXX");
	assert_non_null(mkdtemp(root));
	put("/usr/bin/stap", "");
	put(RUNTIME "/linux/regs.c", "#include \"../regs.c\"\n");
	put(RUNTIME "/regs.c", "");
	unsetenv("SYSTEMTAP_RUNTIME");
	return 0;
}

static int remove_root(void **state)
{
	char *command = xasprintf("rm -rf '%s'", root);

	(void)state;
	assert_int_equal(system(command), 0);
	free(command);
	return 0;
}

static const char old_task_work[] = "typedef typeof(&task_work_cancel) task_work_cancel_fn;\n"
				    "x = (void *)kallsyms_lookup_name(\"task_work_cancel\");\n";
static const char new_task_work[] =
	"typedef typeof(&task_work_cancel_func) task_work_cancel_fn;\n"
	"x = (void *)kallsyms_lookup_name(\"task_work_cancel_func\");\n";

static void put_task_work(void)
{
	put(HEADERS "/linux/task_work.h", "int task_work_cancel_func(void);\n");
	put(RUNTIME "/stp_task_work.c", old_task_work);
}

static struct stap_compat find_for(const char *release)
{
	struct stap_compat compat;

	stap_compat_find(&compat, &(struct stap_place){root, "/usr/bin/stap", release, MODULES});
	return compat;
}

static struct stap_compat find(void)
{
	return find_for(RELEASE);
}

/* Expects these edits, by name. */
static void expect_edits(const char *names)
{
	struct stap_compat compat = find();
	struct strbuf found = STRBUF_INIT;

	stap_compat_names(&compat, &found);
	assert_string_equal(found.buf, names);
	assert_null(compat.misfit);
	assert_int_equal(stap_compat_helps(&compat), *names != '\0');
	strbuf_release(&found);
	stap_compat_release(&compat);
}

static void expect_misfit(const char *change, const char *effect)
{
	struct stap_compat compat = find();
	struct strbuf err = STRBUF_INIT;
	char *folder = in_root("/never made");

	assert_non_null(compat.misfit);
	assert_string_equal(stap_compat_change(&compat), change);
	assert_non_null(strstr(stap_compat_effect(&compat), effect));
	assert_false(stap_compat_helps(&compat));
	assert_null(stap_compat_make_option(&compat));
	assert_null(stap_compat_copy(&compat, folder, &err));
	assert_int_equal(err.len, 0);
	assert_int_not_equal(access(folder, F_OK), 0);
	free(folder);
	stap_compat_release(&compat);
}

/* Returns the copy, in the folder "cache" of the root. */
static char *copy_for(const char *release)
{
	struct stap_compat compat = find_for(release);
	struct strbuf err = STRBUF_INIT;
	char *folder = in_root("/cache");

	/* it reads below the root, but the copy is created outside */
	char *runtime = in_root(compat.runtime);

	free(compat.runtime);
	compat.runtime = runtime;
	char *copy = stap_compat_copy(&compat, folder, &err);

	assert_string_equal(err.buf, "");
	free(folder);
	stap_compat_release(&compat);
	return copy;
}

static void test_edited(void **state)
{
	struct stat st;

	(void)state;
	put_task_work();
	expect_edits("task_work_cancel_func");
	char *copy = copy_for(RELEASE);

	assert_non_null(copy);
	expect_file(copy, "stp_task_work.c", new_task_work);
	expect_file(copy, "linux/regs.c", "#include \"../regs.c\"\n");
	expect_file(copy, "regs.c", "");
	assert_int_equal(stat(copy, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(st.st_mtime, 1);
	/* an edited runtime needs no edits */
	put(RUNTIME "/stp_task_work.c", new_task_work);
	expect_edits("");
	assert_null(copy_for(RELEASE));
	free(copy);
}

static void test_not_needed(void **state)
{
	(void)state;
	expect_edits("");
	put_task_work();
	put(HEADERS "/linux/task_work.h", "int task_work_cancel(void);\n");
	expect_edits("");
	/* part of a longer word */
	put(HEADERS "/linux/task_work.h", "int old_task_work_cancel_func_2(void);\n");
	expect_edits("");
	/* the header is in the other tree */
	put(HEADERS "/linux/task_work.h", "");
	put(MODULES "/source/include/linux/task_work.h", "int task_work_cancel_func(void);\n");
	expect_edits("task_work_cancel_func");
}

static void test_other_text(void **state)
{
	(void)state;
	put_task_work();
	put(RUNTIME "/stp_task_work.c", "typedef typeof(&task_work_cancel) fn;\n");
	expect_misfit("has task_work_cancel_func", "do not compile");
	put(RUNTIME "/stp_task_work.c", "typeof(&task_work_cancel) typeof(&task_work_cancel) "
					"lookup_name(\"task_work_cancel\")");
	expect_misfit("has task_work_cancel_func", "do not compile");
}

static const char transport[] = "k = (void*) kallsyms_lookup_name (\"uprobe_unregister\");\n";
static const char uprobes[] =
	"typedef typeof(&uprobe_register) uprobe_register_fn;\n"
	"typedef typeof(&uprobe_unregister) uprobe_unregister_fn;\n"
	"  struct inode *inode;              // refcounted\n"
	"    ret = uprobe_register (inst->inode, c->offset, &inst->kconsumer);\n"
	"  (void) uprobe_unregister (inst->inode, c->offset, &inst->kconsumer);\n"
	"  else\n"
	"    ; // already unlocked\n";
static const char edited_uprobes[] =
	"typedef typeof(&uprobe_register) uprobe_register_fn;\n"
	"typedef typeof(&uprobe_unregister_nosync) uprobe_unregister_fn;\n"
	"  struct inode *inode;              // refcounted\n"
	"  struct uprobe *uprobe;            // valid if registered_p\n"
	"    {\n"
	"      struct uprobe *u = (uprobe_register) (inst->inode, c->offset, 0, "
	"&inst->kconsumer);\n"
	"      if (IS_ERR (u))\n"
	"        ret = PTR_ERR (u);\n"
	"      else\n"
	"        inst->uprobe = u;\n"
	"    }\n"
	"  uprobe_unregister_nosync (inst->uprobe, &inst->kconsumer);\n"
	"  uprobe_unregister_sync ();\n"
	"  else\n"
	"    {} // already unlocked\n";

static void put_uprobes(void)
{
	put(HEADERS "/linux/uprobes.h", "void uprobe_unregister_nosync(void);\n");
	put(MODULES "/build/Module.symvers", "0x1\tuprobe_register\tvmlinux\tEXPORT_SYMBOL_GPL\t\n"
					     "0x2\tuprobe_unregister_nosync\tvmlinux\tE\t\n"
					     "0x3\tuprobe_unregister_sync\tvmlinux\tE\t\n");
	put(RUNTIME "/transport/transport.c", transport);
	put(RUNTIME "/linux/uprobes-inode.c", uprobes);
}

static void test_uprobes(void **state)
{
	(void)state;
	put_uprobes();
	expect_edits("uprobe_unregister_nosync");
	put(MODULES "/build/scripts/Makefile.extrawarn", "KBUILD_CFLAGS += -Wextra\n");
	expect_edits("uprobe_unregister_nosync, empty_body");
	char *copy = copy_for(RELEASE);

	expect_file(copy, "linux/uprobes-inode.c", edited_uprobes);
	free(copy);
	/* the kernel lacks what the edit would call */
	put(MODULES "/build/Module.symvers", "0x1\tuprobe_register\tvmlinux\tE\t\n");
	expect_misfit("has uprobe_unregister_nosync", "Can't resolve uprobe_unregister!");
	/* a kernel with other changes */
	put_uprobes();
	put(HEADERS "/linux/uprobes.h",
		"uprobe_unregister_nosync(); int (*handler)(struct pt_regs *regs, __u64 *data);");
	expect_misfit("has uprobe_unregister_nosync", "Can't resolve uprobe_unregister!");
}

/* A defect that affects only some modules is edited if possible, and otherwise not reported. */
static void test_harmless(void **state)
{
	(void)state;
	put(MODULES "/build/Module.symvers", "0x1\tprintk\tvmlinux\tEXPORT_SYMBOL\t\n");
	put(RUNTIME "/linux/kprobes.c",
		"mutex_lock(&module_mutex);\nmutex_unlock(&module_mutex);\n"
		"mutex_lock(&module_mutex);\nmutex_unlock(&module_mutex);\n");
	expect_edits("module_mutex");
	put(RUNTIME "/linux/kprobes.c", "mutex_lock(&module_mutex);\n");
	expect_edits("");
	put(RUNTIME "/linux/kprobes.c",
		"#ifdef STAPCONF_MODULE_MUTEX\nmutex_lock(&module_mutex);\n");
	expect_edits("");
	put(RUNTIME "/print_flush.c", "const size_t hlen = sizeof(struct _stp_trace);\n");
	put(RUNTIME "/transport/relay_v2.c", "\tif (buf->offset >= buf->chan->subbuf_size) {\n");
	expect_edits("header_straddles");
	put(RUNTIME "/transport/relay_v2.c", "");
	expect_edits("");
}

static void test_user_addr_max(void **state)
{
	(void)state;
	put(RUNTIME "/linux/addr-map.c",
		"\n#include <linux/uaccess.h>\n\n#if defined(user_addr_max)\n");
	expect_edits(""); /* no headers */
	put(HEADERS "/linux/uaccess.h", "#define user_addr_max() 1\n");
	put(HEADERS "/asm-generic/uaccess.h", "\n");
	expect_edits("");
	put(HEADERS "/linux/uaccess.h", "\n");
	expect_edits("user_addr_max");
	put(RUNTIME "/linux/addr-map.c", "#if defined(user_addr_max)\n");
	expect_misfit("has no user_addr_max", "user stacks have one frame");
}

/* The defect is not in the runtime: it needs an option for make, and no copy. */
static void test_make_option(void **state)
{
	(void)state;
	put(HEADERS "/linux/args.h", "#define __COUNT_ARGS(_0, _12, _13, _14, _15, _n, X...) _n\n");
	put("/usr/bin/stap", "x #define __COUNT_ARGS(_0 x");
	expect_edits("COUNT_ARGS");
	struct stap_compat compat = find();

	assert_string_equal(stap_compat_make_option(&compat), "CFLAGS_MODULE=-Wno-error");
	stap_compat_release(&compat);
	assert_null(copy_for(RELEASE));
	put("/usr/bin/stap", "#ifndef COUNT_ARGS\n#define __COUNT_ARGS(_0");
	expect_edits("");
}

/* The name of a copy depends on kernel and content; an existing copy is used again. */
static void test_names(void **state)
{
	struct stat before, after;

	(void)state;
	put_task_work();
	char *first = copy_for(RELEASE), *second = copy_for("6.1.0-51-amd64");

	assert_string_not_equal(first, second);
	assert_int_equal(stat(first, &before), 0);
	free(second);
	second = copy_for(RELEASE);
	assert_string_equal(first, second);
	assert_int_equal(stat(first, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	free(second);
	put(RUNTIME "/regs.c", "/* an update */\n");
	second = copy_for(RELEASE);
	assert_string_not_equal(first, second);
	expect_file(second, "regs.c", "/* an update */\n");
	free(second);
	free(first);
}

static void test_damaged(void **state)
{
	(void)state;
	put_task_work();
	char *copy = copy_for(RELEASE), *file = xasprintf("%s/stp_task_work.c", copy);

	assert_int_equal(truncate(file, 3), 0);
	char *again = copy_for(RELEASE);

	assert_string_equal(copy, again);
	expect_file(copy, "stp_task_work.c", new_task_work);
	free(file);
	free(copy);
	free(again);
}

static void test_links(void **state)
{
	char *link = in_root(RUNTIME "/linked"), *to = in_root(RUNTIME "/linux"), *folder;
	struct stat st;

	(void)state;
	put_task_work();
	assert_int_equal(symlink(to, link), 0);
	char *copy = copy_for(RELEASE);

	folder = xasprintf("%s/linked", copy);
	assert_int_equal(lstat(folder, &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	expect_file(folder, "regs.c", "#include \"../regs.c\"\n");
	free(folder);
	free(copy);
	free(link);
	free(to);
}

static void test_at_once(void **state)
{
	enum { NR = 8 };
	int status;

	(void)state;
	put_task_work();
	for (int i = 0; i < NR; i++)
		if (!fork()) {
			char *copy = copy_for(RELEASE);

			expect_file(copy, "stp_task_work.c", new_task_work);
			free(copy);
			_exit(0);
		}
	for (int i = 0; i < NR; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	/* only the copy is left */
	char *command = xasprintf("test $(ls '%s/cache' | wc -l) = 1", root);

	assert_int_equal(system(command), 0);
	free(command);
}

static void test_no_folder(void **state)
{
	struct strbuf err = STRBUF_INIT;
	char *folder = in_root("/usr/bin/stap/cache"), *runtime = in_root(RUNTIME);

	(void)state;
	put_task_work();
	struct stap_compat compat = find();

	free(compat.runtime);
	compat.runtime = runtime;
	assert_null(stap_compat_copy(&compat, folder, &err));
	assert_non_null(strstr(err.buf, "cannot make '"));
	strbuf_release(&err);
	stap_compat_release(&compat);
	free(folder);
}

static void test_stands_aside(void **state)
{
	const char *args[] = {"-R/other", "--runtime=bpf", "-DR=1"};
	struct engine_request request = {0};

	(void)state;
	assert_false(repair_is_disabled(&request));
	for (size_t i = 0; i < ARRAY_LEN(args); i++) {
		request.stap_args = &args[i];
		request.nr_stap_args = 1;
		assert_int_equal(repair_is_disabled(&request), i < 2);
	}
	setenv("SYSTEMTAP_RUNTIME", "/other", 1);
	assert_true(repair_is_disabled(&request));
	unsetenv("SYSTEMTAP_RUNTIME");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_edited, make_root, remove_root),
		cmocka_unit_test_setup_teardown(test_not_needed, make_root, remove_root),
		cmocka_unit_test_setup_teardown(test_other_text, make_root, remove_root),
		cmocka_unit_test_setup_teardown(test_uprobes, make_root, remove_root),
		cmocka_unit_test_setup_teardown(test_harmless, make_root, remove_root),
		cmocka_unit_test_setup_teardown(test_user_addr_max, make_root, remove_root),
		cmocka_unit_test_setup_teardown(test_make_option, make_root, remove_root),
		cmocka_unit_test_setup_teardown(test_names, make_root, remove_root),
		cmocka_unit_test_setup_teardown(test_damaged, make_root, remove_root),
		cmocka_unit_test_setup_teardown(test_links, make_root, remove_root),
		cmocka_unit_test_setup_teardown(test_at_once, make_root, remove_root),
		cmocka_unit_test_setup_teardown(test_no_folder, make_root, remove_root),
		cmocka_unit_test_setup_teardown(test_stands_aside, make_root, remove_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
