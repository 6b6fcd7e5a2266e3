/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and open files as messages of a SOCK_SEQPACKET socket. */
#ifndef LIB_UNTRUSTED_FDPASS_H
#define LIB_UNTRUSTED_FDPASS_H

#include <stdint.h>

/* Sends a number and at most one file descriptor (FD -1: none). -1 and errno on failure. */
int fdpass_send(int to, uint32_t number, int fd, int flags);

/* 1: a message, *FD is -1 if it had no file; 0: none is ready; -1: the other end is closed. */
int fdpass_receive(int from, uint32_t *number, int *fd, int flags);

#endif
