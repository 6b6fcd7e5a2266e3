/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The spool: a folder with the windows of a continuous recording that wait to be sent, or are kept.
 * Each is a recording of its own, compressed: TIME-EVENT-NUMBER.rec.zst, where TIME is its begin as
 * in 20261128T190800Z, and NUMBER how many events are in it, kept and lost. If the window before it
 * has the same TIME, or a later one as the clock was set back, its own is the other's with a number
 * behind it, 20261128T190800Z.000001: names are sorted by age. The oldest are dropped if they are
 * too many.
 *
 * What has more behind its name is a rest: a window that was set aside as it cannot be sent,
 * TIME-EVENT-NUMBER.rec.zst.damaged or .refused, or what a recorder that was killed had begun to
 * write. Rests take space, and are dropped, as windows. A window that was set aside gets the ending
 * .counted, too, when the next one has its events in the account.
 *
 * A spool has one recorder, which holds a lock of DIR/.lock.
 */
#ifndef FLEET_SPOOL_H
#define FLEET_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording;
struct strbuf;

enum { SPOOL_BEGINS = 4096 };

struct spool {
	const char *folder;
	uint64_t bytes_max;  /* of all windows */
	double age_max;      /* in seconds */
	uint64_t nr_dropped; /* events that were dropped, and are not in the account of a window */
	uint32_t begins[SPOOL_BEGINS]; /* of the last windows, seconds since 1970 */
	size_t nr_begins;              /* of all windows */
	int lock;                      /* a file of the recorder that uses the spool */
};

/*
 * Makes the folder, mode 0700, if it is missing, and locks it until spool_close() or the end of the
 * process. Returns -1 with a message if it cannot be used: it must belong to the user, no other
 * user may write to it, and no other recorder may use it.
 */
int spool_open(struct spool *spool, struct strbuf *err);
void spool_close(struct spool *spool);

/*
 * Adds REC, whose account gets the events that were dropped or set aside before, and drops windows
 * beyond the limits, but none that is being sent. If a window before it began in the same second,
 * as the clock was set back, its begin becomes the next free second: servers tell the windows of a
 * host apart by it. Returns -1 with a message, equal for all windows, if REC cannot be written, and
 * counts its events as dropped.
 */
int spool_add(struct spool *spool, struct recording *rec, struct strbuf *err);

struct spool_list {
	struct spool_file {
		char *path;
		uint64_t bytes;
		uint64_t nr_events; /* that are in no account */
		int64_t written_s;  /* since 1970 */
		bool is_rest;
	} * list; /* oldest first */
	size_t nr, alloc;
};

/* Returns -1 with a message if the folder cannot be read. */
int spool_read(const char *folder, struct spool_list *files, struct strbuf *err);
void spool_list_release(struct spool_list *files);

/*
 * Opens a window to send it. Until the file is closed, it is not dropped. Returns -1 with errno,
 * which is EWOULDBLOCK if another program sends it.
 */
int spool_take(const char *path);

/*
 * Keeps a window, which cannot be sent, under the name with the ending WHY, "damaged" or "refused".
 * Returns its path, which the caller frees, or NULL with a message.
 */
char *spool_set_aside(const struct spool_file *file, const char *why, struct strbuf *err);

#endif
