/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tcp [wait] FOLDER N: uses TCP on 127.0.0.1 and ::1, after SIGUSR1 with wait. For each of them,
 * reach() connects N times to a thread that runs serve(), sends 1000 bytes and receives 500.
 * refuse() connects N times to a port of 127.0.0.1 at which nobody listens. If the environment has
 * LOST, which is an address of IPv4 that drops all packets, lose() connects N times to it instead;
 * then it prints "retransmits N", the packets that the kernel has sent again in this network.
 * Prints "ports V4 V6 REFUSED".
 */
#define _GNU_SOURCE
#include "await_signal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ASKED = 1000, ANSWERED = 500, LOST_PORT = 9 };

#define CALL __attribute__((noinline)) static

static volatile long sum;
static long number;
static char bytes[ASKED];

struct place {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	};
	socklen_t len;
	int listener;
};

static struct place place_of(int family)
{
	struct place p = {.len = family == AF_INET ? sizeof(p.v4) : sizeof(p.v6)};

	p.any.sa_family = (sa_family_t)family;
	if (family == AF_INET)
		p.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		p.v6.sin6_addr = in6addr_loopback;
	p.listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(p.listener, &p.any, p.len) || getsockname(p.listener, &p.any, &p.len))
		exit(2);
	return p;
}

CALL void serve(int listener)
{
	char received[ASKED];

	for (long i = 0; i < number; i++) {
		int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

		sum += recv(fd, received, ASKED, MSG_WAITALL);
		sum += write(fd, bytes, ANSWERED);
		close(fd);
	}
	__asm__ volatile("");
}

static void *run_server(void *arg)
{
	serve(((struct place *)arg)->listener);
	return NULL;
}

CALL void reach(const struct place *to)
{
	char received[ANSWERED];

	for (long i = 0; i < number; i++) {
		int fd = socket(to->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

		sum += connect(fd, &to->any, to->len);
		sum += send(fd, bytes, ASKED, 0);
		sum += recv(fd, received, ANSWERED, MSG_WAITALL);
		close(fd);
	}
	__asm__ volatile("");
}

CALL void refuse(const struct place *to)
{
	for (long i = 0; i < number; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

		sum += connect(fd, &to->any, to->len);
		close(fd);
	}
	__asm__ volatile("");
}

CALL void lose(const char *address)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(LOST_PORT)};
	struct pollfd *fds = calloc((size_t)number, sizeof(*fds));

	inet_pton(AF_INET, address, &to.sin_addr);
	for (long i = 0; i < number; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1;

		setsockopt(fd, IPPROTO_TCP, TCP_SYNCNT, &one, sizeof(one));
		sum += connect(fd, (struct sockaddr *)&to, sizeof(to));
		fds[i] = (struct pollfd){.fd = fd, .events = POLLOUT};
	}
	for (long i = 0; i < number; i++)
		sum += poll(&fds[i], 1, -1);
	free(fds);
}

/* Returns the number in /proc/net/snmp, whose lines of names are followed by lines of values. */
static long retransmits(void)
{
	char names[1024], values[1024], *name, *value, *rest_of_names = names, *rest = values;
	FILE *f = fopen("/proc/net/snmp", "re");

	while (f && fgets(names, sizeof(names), f) && fgets(values, sizeof(values), f))
		if (!strncmp(names, "Tcp:", 4))
			break;
	if (f)
		fclose(f);
	while ((name = strsep(&rest_of_names, " ")) && (value = strsep(&rest, " ")))
		if (!strcmp(name, "RetransSegs"))
			return atol(value);
	return -1;
}

static void talk(int family, struct place *p)
{
	pthread_t server;

	*p = place_of(family);
	if (p->listener < 0 || listen(p->listener, 16) ||
		pthread_create(&server, NULL, run_server, p))
		exit(2);
	reach(p);
	pthread_join(server, NULL);
}

int main(int argc, char **argv)
{
	bool wait = argc > 1 && !strcmp(argv[1], "wait");
	struct place v4, v6, closed;

	argv += wait;
	if (argc - wait != 3)
		return 64;
	number = atol(argv[2]);
	if (wait)
		await_signal();
	if (getenv("LOST")) {
		lose(getenv("LOST"));
		printf("retransmits %ld\n", retransmits());
		return 0;
	}
	talk(AF_INET, &v4);
	talk(AF_INET6, &v6);
	closed = place_of(AF_INET);
	refuse(&closed);
	printf("ports %d %d %d\n", ntohs(v4.v4.sin_port), ntohs(v6.v6.sin6_port),
		ntohs(closed.v4.sin_port));
	return 0;
}
