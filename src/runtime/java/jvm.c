/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jvm.h"
#include "lib/untrusted/fdpass.h"
#include "lib/untrusted/sandbox.h"
#include "lib/user.h"
#include "lib/util.h"
#include "process/procfile.h"
#include "process/task.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	/*
	 * The child waits longer than the recorder. If it removed the trigger file early, a JVM
	 * that handles SIGQUIT late would print its threads. The child also removes a map that is
	 * written late.
	 */
	LIMIT_MS = 20000,
	ALARM_S = 25, /* ends the child in any case */
	PAUSE_MS = 10,
	STATUS_MAX = 8192, /* bytes of /proc/PID/status */
	ANSWER_MAX = 4096, /* bytes of the answer that are read */
};

/* ---- in the child ---- */

struct asker {
	uint32_t pid, number; /* its PID in our namespace, and in the innermost one */
	uid_t user;           /* user and group are the effective ones of the process */
	gid_t group;
	int status; /* its /proc/PID/status; reads fail after its end */
	int pidfd;
	int map; /* the file that the JVM is to write, or -1 if it is not made */
	int64_t began_ns;
	char trigger[32], socket[32], map_name[32];
};

/* Returns the milliseconds that are left, or 0 if there are none. */
static int time_left(const struct asker *a)
{
	int64_t left = LIMIT_MS - (monotonic_ns() - a->began_ns) / 1000000;

	return left > 0 ? (int)left : 0;
}

/* Returns what follows "NAME:" in the text of /proc/PID/status, or NULL if it is not there. */
static const char *status_value(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, len) && line[len] == ':')
			return line + len + 1;
	}
	return NULL;
}

static bool read_status(const struct asker *a, char text[STATUS_MAX])
{
	ssize_t n = pread(a->status, text, STATUS_MAX - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/*
 * The start time is checked after status and pidfd were opened, so both refer to the same process.
 */
static bool find_process(struct asker *a, uint64_t start)
{
	char path[64], text[STATUS_MAX];

	snprintf(path, sizeof(path), "/proc/%u/status", a->pid);
	a->status = open(path, O_RDONLY | O_CLOEXEC);
	a->pidfd = (int)syscall(SYS_pidfd_open, a->pid, 0);
	if (a->status < 0 || !task_numbers_ours() || task_start(a->pid, a->pid) != start ||
		!read_status(a, text))
		return false;
	const char *users = status_value(text, "Uid"), *groups = status_value(text, "Gid"),
		   *numbers = status_value(text, "NSpid");

	if (!users || !groups || sscanf(users, "%*u %u", &a->user) != 1 ||
		sscanf(groups, "%*u %u", &a->group) != 1)
		return false;
	a->number = a->pid;
	for (char *end; numbers && *numbers == '\t'; numbers = end)
		a->number = (uint32_t)strtoul(numbers + 1, &end, 10);
	snprintf(a->trigger, sizeof(a->trigger), ".attach_pid%u", a->number);
	snprintf(a->socket, sizeof(a->socket), ".java_pid%u", a->number);
	snprintf(a->map_name, sizeof(a->map_name), "perf-%u.map", a->number);
	return true;
}

/*
 * Everything is then done as the user of the process. The real user ID stays, so that this user
 * cannot stop or change the child. Nobody may read the memory of the child.
 */
static bool become_user(const struct asker *a)
{
	if (!geteuid())
		setgroups(0, NULL);
	return !setegid(a->group) && !seteuid(a->user) && !user_drop_capabilities() &&
	       !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/*
 * Makes an empty file in /tmp of the process that only its user can write. Returns -1 if that
 * fails, for example because the file exists.
 */
static int make_file(const char *name)
{
	return open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/*
 * Connects to the socket in /tmp of the process if the process itself listens there. Returns -1 if
 * it does not, and sets *IS_FALSE if it never will.
 */
static int connect_to(const struct asker *a, bool *is_false)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct ucred peer = {0};
	socklen_t len = sizeof(peer);
	struct stat st;

	if (fstatat(AT_FDCWD, a->socket, &st, AT_SYMLINK_NOFOLLOW))
		return -1;
	*is_false = !S_ISSOCK(st.st_mode) || st.st_uid != a->user;
	if (*is_false)
		return -1;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	memcpy(address.sun_path, a->socket, sizeof(a->socket));
	if (fd >= 0 && !connect(fd, (const struct sockaddr *)&address, sizeof(address))) {
		if (!getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) &&
			peer.pid == (pid_t)a->pid)
			return fd;
		*is_false = true;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/* SIGQUIT must have a handler, or it would end the process. A stopped process does not answer. */
static enum jvm_end may_signal(const struct asker *a)
{
	char text[STATUS_MAX];

	if (!read_status(a, text))
		return JVM_GONE;
	const char *state = status_value(text, "State"), *caught = status_value(text, "SigCgt");

	if (!caught || !(strtoull(caught, NULL, 16) & 1ULL << (SIGQUIT - 1)))
		return JVM_CLOSED;
	return state && strchr("TtZX", state[1]) ? JVM_SILENT : JVM_PENDING;
}

/* At SIGQUIT the JVM looks for the trigger file. Without the file it prints its threads. */
static enum jvm_end trigger(const struct asker *a, int file)
{
	struct stat st;
	enum jvm_end end = may_signal(a);

	if (end != JVM_PENDING)
		return end;
	/* some file systems set other owners: the JVM would not accept the file */
	if (fstat(file, &st) || st.st_uid != a->user)
		return JVM_FORBIDDEN;
	if (syscall(SYS_pidfd_send_signal, a->pidfd, SIGQUIT, NULL, 0))
		return errno == ESRCH ? JVM_GONE : JVM_FORBIDDEN;
	return JVM_PENDING;
}

static enum jvm_end await_listener(const struct asker *a, int *fd)
{
	char text[STATUS_MAX];
	bool is_false = false;

	while ((*fd = connect_to(a, &is_false)) < 0) {
		if (is_false)
			return JVM_FAILED;
		if (!time_left(a))
			return JVM_SILENT;
		if (!read_status(a, text))
			return JVM_GONE;
		nanosleep(&(struct timespec){0, PAUSE_MS * 1000000}, NULL);
	}
	return JVM_PENDING;
}

/* Connects to the JVM in *FD. */
static enum jvm_end attach(const struct asker *a, int *fd)
{
	bool is_false = false;

	*fd = connect_to(a, &is_false);
	if (*fd >= 0 || is_false)
		return is_false ? JVM_FAILED : JVM_PENDING;
	int file = make_file(a->trigger);

	if (file < 0)
		return errno == EEXIST ? JVM_SILENT : JVM_FORBIDDEN; /* another program asks it */
	enum jvm_end end = trigger(a, file);

	if (end == JVM_PENDING)
		end = await_listener(a, fd);
	unlink(a->trigger);
	close(file);
	return end;
}

/* Reads the first line of the answer, and as much of the other lines as is available. */
static enum jvm_end read_answer(const struct asker *a, int fd)
{
	char text[ANSWER_MAX + 1];
	size_t nr = 0;
	ssize_t n = 1;

	while (n > 0 && nr < ANSWER_MAX && !(nr > 1 && !memcmp(text, "0\n", 2))) {
		struct pollfd p = {.fd = fd, .events = POLLIN};

		if (poll(&p, 1, time_left(a)) <= 0)
			return JVM_SILENT;
		n = read(fd, text + nr, ANSWER_MAX - nr);
		nr += n > 0 ? (size_t)n : 0;
	}
	text[nr] = '\0';
	if (!strncmp(text, "0\n", 2))
		return JVM_WROTE;
	return strstr(text, "Unknown diagnostic command") ? JVM_OLD : JVM_FAILED;
}

static enum jvm_end ask(const struct asker *a)
{
	/* version, command and three arguments */
	static const char request[] = "1\0jcmd\0Compiler.perfmap\0\0";
	struct stat st;
	int fd;
	enum jvm_end end = attach(a, &fd);

	if (end != JVM_PENDING)
		return end;
	if (send(fd, request, sizeof(request), MSG_NOSIGNAL) != sizeof(request))
		return JVM_SILENT;
	end = read_answer(a, fd);
	if (end == JVM_WROTE && (fstat(a->map, &st) || !st.st_size))
		return JVM_FAILED;
	return end;
}

/*
 * The child makes the map itself, so that it is not another user's link or file, which the JVM
 * would follow or overwrite.
 */
static enum jvm_end take_map(struct asker *a)
{
	a->map = make_file(a->map_name);
	if (a->map < 0)
		return errno == EEXIST ? JVM_HAS_MAP : JVM_FORBIDDEN;
	enum jvm_end end = ask(a);

	unlink(a->map_name);
	return end;
}

static void work(uint32_t pid, uint64_t start, int tmp, int socket)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
	struct asker a = {.pid = pid, .map = -1, .began_ns = monotonic_ns()};
	enum jvm_end end = JVM_GONE;

	/* the child removes its files after Ctrl-C, too */
	for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
		signal(ignored[i], SIG_IGN);
	alarm(ALARM_S);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	if (fchdir(tmp))
		return;
	socket = sandbox_detach(socket);
	sandbox_mute();
	if (find_process(&a, start))
		end = a.pidfd >= 0 && become_user(&a) ? take_map(&a) : JVM_FORBIDDEN;
	int map = end == JVM_WROTE ? procfile_detach(pid, a.map) : -1;

	fdpass_send(socket, map < 0 && end == JVM_WROTE ? JVM_FAILED : end, map, 0);
}

/* ---- in the recorder ---- */

/* A child of the child does the work, so that the recorder need not wait for its end. */
bool jvm_request_start(struct jvm_request *r, uint32_t pid, uint64_t start, int tmp)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return false;
	pid_t child = fork();

	if (!child) {
		if (!fork())
			work(pid, start, tmp, pair[1]);
		_exit(EXIT_OK);
	}
	close(pair[1]);
	r->socket = pair[0];
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		continue;
	if (child < 0)
		close(r->socket);
	return child > 0;
}

enum jvm_end jvm_request_end(struct jvm_request *r, int *map)
{
	uint32_t end;
	int received = fdpass_receive(r->socket, &end, map, MSG_DONTWAIT);

	if (!received)
		return JVM_PENDING;
	jvm_request_release(r);
	return received > 0 && end < JVM_ENDS ? (enum jvm_end)end : JVM_SILENT;
}

void jvm_request_release(struct jvm_request *r)
{
	close(r->socket);
}
