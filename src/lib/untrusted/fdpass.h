/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sends and receives numbers and open files as messages of a SOCK_SEQPACKET socket. */
#ifndef LIB_UNTRUSTED_FDPASS_H
#define LIB_UNTRUSTED_FDPASS_H

#include <stdint.h>

/* Sends a number and, unless FD is -1, a file descriptor. Returns -1 with errno on failure. */
int fdpass_send(int to, uint32_t number, int fd, int flags);

/*
 * Returns 1 for a message, in which *FD is -1 if it had no file; or 0 if no message is ready; or -1
 * if the other end is closed.
 */
int fdpass_receive(int from, uint32_t *number, int *fd, int flags);

#endif
