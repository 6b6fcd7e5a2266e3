/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process that shows a recording while another one makes it. */
#ifndef TOP_TOP_RUN_H
#define TOP_TOP_RUN_H

struct strbuf;
struct top_options;

/*
 * The messages of the recorder, on a socket of packets: each has the file descriptor of a recording
 * as text. The viewer answers each with a byte when it wants the next one; the first byte comes
 * without a message.
 */
struct top_message {
	int is_last; /* the recording has ended by itself */
};

/*
 * Shows the recordings that come from SOCKET until the user ends it or the recorder closes the
 * socket. Takes the terminal when the first one comes. Returns -1 with ERR if it cannot be used.
 */
int top_run(int socket, const struct top_options *options, struct strbuf *err);

#endif
