/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packages by dpkg's lists and the answers of a program that stands in for rpm. */
#include "symbol/fetch/package.h"
#include "symbol_test.h"

#include <sys/stat.h>

static struct packages of(const char *os_release)
{
	char *path = in_dir("os-release");

	write_file(path, os_release, strlen(os_release));
	struct packages p = packages_of(path);

	free(path);
	return p;
}

static void test_distributions(void **state)
{
	static const struct {
		const char *os_release;
		enum package_family family;
		const char *server;
	} cases[] = {
		{"NAME=x\nID=debian\n", PACKAGES_DEBIAN, "debian"},
		{"ID=ubuntu\nID_LIKE=debian", PACKAGES_UBUNTU, "ubuntu"},
		{"ID=\"linuxmint\"\nID_LIKE=\"ubuntu debian\"\n", PACKAGES_UBUNTU, "ubuntu"},
		{"ID_LIKE='debian'\nID=devuan\n", PACKAGES_DEBIAN, "debian"},
		{"ID=fedora\n", PACKAGES_DNF, "fedoraproject"},
		{"ID=rocky\nID_LIKE=\"rhel centos fedora\"\n", PACKAGES_DNF, "elfutils"},
		{"ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n", PACKAGES_ZYPPER, "opensuse"},
		{"ID=arch\n", PACKAGES_OTHER, "archlinux"},
		{"ID=nobodys\n", PACKAGES_OTHER, "elfutils"},
		{"VERSION_ID=debian\nXID=debian\nID=", PACKAGES_OTHER, "elfutils"},
		{"", PACKAGES_OTHER, "elfutils"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct packages p = of(cases[i].os_release);

		assert_int_equal(p.family, cases[i].family);
		assert_non_null(strstr(p.server, cases[i].server));
	}
	assert_int_equal(packages_of("/no/where").family, PACKAGES_OTHER);
}

static void expect_command(enum package_family family, const char *owner, const char *want)
{
	const struct packages p = {.family = family};
	char *command = packages_command(&p, owner);

	if (want)
		assert_string_equal(command, want);
	else
		assert_null(command);
	free(command);
}

static void test_commands(void **state)
{
	static const char *const debian[][2] = {
		{"libc6", "libc6-dbg"},
		{"libc6-i386", "libc6-i386-dbgsym"},
		{"perl", "perl-debug"},
		{"perl-base", "perl-debug"},
		{"perl-tk", "perl-tk-dbgsym"},
		{"libperl5.36", "perl-debug"},
		{"python3.11", "python3.11-dbg"},
		{"python3.11-minimal", "python3.11-dbg"},
		{"libpython3.11", "python3.11-dbg"},
		{"libpython3.11-stdlib", "python3.11-dbg"},
		{"python3.x", "python3.x-dbgsym"},
		{"python3-yaml", "python3-yaml-dbgsym"},
		{"linux-image-6.1.0-9-amd64", "linux-image-6.1.0-9-amd64-dbg"},
		{"linux-image-6.1.0-9-amd64-unsigned", "linux-image-6.1.0-9-amd64-dbg"},
		{"xz-utils", "xz-utils-dbgsym"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(debian); i++) {
		char *want = xasprintf("apt install %s", debian[i][1]);

		expect_command(PACKAGES_DEBIAN, debian[i][0], want);
		free(want);
	}
	expect_command(PACKAGES_UBUNTU, "linux-image-6.8.0-1-generic",
		"apt install linux-image-6.8.0-1-generic-dbgsym");
	expect_command(PACKAGES_DNF, "glibc", "dnf debuginfo-install glibc");
	expect_command(PACKAGES_ZYPPER, "xz", "zypper install xz-debuginfo");
	expect_command(PACKAGES_OTHER, "xz", NULL);
}

/* Puts a program that runs SCRIPT first on the PATH; each call adds its arguments to "calls". */
static void stand_in(const char *name, const char *script)
{
	char *path = in_dir(name), *calls = in_dir("calls");
	char *text = xasprintf("#!/bin/sh\nprintf '%%s\\n' \"$*\" >>'%s'\n%s\n", calls, script);

	unlink(calls);
	write_file(path, text, strlen(text));
	assert_int_equal(chmod(path, 0755), 0);
	free(text);
	free(calls);
	free(path);
}

static void expect_owners(
	const struct packages *p, const char *const *paths, const char *const *want, size_t n)
{
	char **owners = xcalloc(n, sizeof(*owners));

	packages_find(p, paths, n, owners);
	for (size_t i = 0; i < n; i++) {
		if (want[i])
			assert_string_equal(owners[i] ? owners[i] : "(none)", want[i]);
		else
			assert_null(owners[i]);
		free(owners[i]);
	}
	free(owners);
}

static char *calls(void)
{
	char *path = in_dir("calls"), *text = NULL;
	size_t len;

	if (!access(path, F_OK))
		text = read_file(path, &len);
	free(path);
	return text;
}

/* Writes the list of a package. */
static void put_list(const char *name, const char *text)
{
	char *folder = in_dir("info"), *path = xasprintf("%s/%s.list", folder, name);

	mkdir(folder, 0755);
	write_file(path, text, strlen(text));
	setenv("DPKG_ADMINDIR", dir, 1);
	free(path);
	free(folder);
}

static void test_dpkg(void **state)
{
	static const char *const paths[] = {
		"/usr/bin/perl",
		"/usr/lib/x86_64-linux-gnu/libc.so.6",
		"/lib/libm.so",
		"/usr/share/both",
		"/usr/bin/sh",
		"/opt/ours",
		"/usr/bin/*",
		"not/absolute",
		"/usr/share/last",
	};
	static const char *const want[] = {
		"perl-base", "libc6", "libm-two", "one", "dash", NULL, NULL, NULL, "two"};
	const struct packages p = {.family = PACKAGES_DEBIAN};

	(void)state;
	put_list("perl-base", "/.\n/usr\n/usr/bin\n/usr/bin/perl\n/usr/bin/perl5\n");
	put_list("libc6:amd64", "/.\n/lib/x86_64-linux-gnu/libc.so.6\n");
	put_list("libm-two:i386", "/usr/lib/libm.so\n/usr/lib/libm.so.6\n");
	put_list("one", "/usr/share/both\n");
	put_list("two:amd64", "/usr/share/both\nnot/absolute\n/usr/share/last");
	put_list("dash", "/bin\n/bin/sh\n");
	put_list("zsh", "/usr/share/zsh\n/usr/bin/perl\n");
	put_list("empty", "");
	expect_owners(&p, paths, want, ARRAY_LEN(paths));
	expect_owners(&p, NULL, NULL, 0);
}

static void test_nobody_to_ask(void **state)
{
	static const char *const paths[] = {"/usr/bin/perl"};
	const char *none[] = {NULL};
	char *program = in_dir("rpm");

	(void)state;
	expect_owners(&(const struct packages){.family = PACKAGES_OTHER}, paths, none, 1);
	setenv("DPKG_ADMINDIR", "/nonexistent", 1);
	expect_owners(&(const struct packages){.family = PACKAGES_DEBIAN}, paths, none, 1);
	stand_in("rpm", "while :; do echo perl-base; done"); /* no end */
	expect_owners(&(const struct packages){.family = PACKAGES_DNF}, paths, none, 1);
	stand_in("rpm", "kill -9 $$");
	expect_owners(&(const struct packages){.family = PACKAGES_DNF}, paths, none, 1);
	unlink(program);
	setenv("PATH", dir, 1);
	expect_owners(&(const struct packages){.family = PACKAGES_DNF}, paths, none, 1);
	free(program);
}

static void test_rpm(void **state)
{
	static const char *const paths[] = {"/usr/lib64/libc.so.6", "/opt/ours", "/usr/bin/xz"};
	static const char *const want[] = {"glibc", NULL, "xz"};
	const struct packages p = {.family = PACKAGES_DNF};

	(void)state;
	stand_in("rpm", "for path; do :; done\n"
			"case $path in\n"
			"*libc.so.6) echo glibc; echo glibc ;;\n"
			"*xz) echo xz ;;\n"
			"*) echo \"file $path is not owned by any package\"; exit 1 ;;\n"
			"esac");
	expect_owners(&p, paths, want, ARRAY_LEN(paths));

	char *said = calls();

	assert_true(!strncmp(said, "-qf --queryformat %{NAME}\\n -- /usr/lib64/", 42));
	free(said);
}

/* This machine's own answer, if it has one. */
static void test_here(void **state)
{
	static const char *const paths[] = {"/usr/bin/dpkg-query", "/no/where"};
	static const char *const want[] = {"dpkg", NULL};
	struct packages p = packages_of(NULL);

	(void)state;
	if (p.family != PACKAGES_DEBIAN && p.family != PACKAGES_UBUNTU) {
		printf("# skipped: neither Debian nor Ubuntu\n");
		skip();
	}
	expect_owners(&p, paths, want, ARRAY_LEN(paths));
}

static char *path_before;

static int begin(void **state)
{
	char *path;

	if (set_up(state))
		return 1;
	path_before = xstrdup(getenv("PATH"));
	path = xasprintf("%s:%s", dir, path_before);
	setenv("PATH", path, 1);
	free(path);
	return 0;
}

static int restore(void **state)
{
	char *path = xasprintf("%s:%s", dir, path_before);

	(void)state;
	setenv("PATH", path, 1);
	free(path);
	return 0;
}

static int end(void **state)
{
	setenv("PATH", path_before, 1);
	free(path_before);
	return tear_down(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_here),
		cmocka_unit_test(test_distributions),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_dpkg),
		cmocka_unit_test_teardown(test_nobody_to_ask, restore),
		cmocka_unit_test(test_rpm),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, begin, end);
}
