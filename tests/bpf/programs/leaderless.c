/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leaderless: a process goes on in another thread after its main thread has ended. */
#include "case.h"

#include <pthread.h>

static void *thread(void *arg)
{
	usleep(100000);
	spin();
	exit(0);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t id;

	burn_init(argc, argv);
	if (pthread_create(&id, NULL, thread, NULL))
		return 2;
	pthread_exit(NULL);
}
