/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Weights as text: "1,302 samples". Times and bytes are scaled to a unit that fits them: "1.302 s",
 * "34.09 MiB".
 */
#ifndef MODEL_AMOUNT_H
#define MODEL_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct strbuf;

/* Returns true if UNIT is a unit of time: us, nanoseconds … */
bool amount_is_time(const char *unit);

/* Returns the nanoseconds in UNIT, or 0 if it is not a unit of time. */
double amount_ns(const char *unit);

/*
 * Returns the columns of most amounts in UNIT, a unit of time or bytes; or 0 if amounts in UNIT are
 * not scaled.
 */
int amount_width(const char *unit);

/*
 * Returns whether amount_add_scaled() shows WEIGHT, which is a size in UNIT, in a larger unit, so
 * that people may miss the exact number. False if UNIT is not a unit of size.
 */
bool amount_hides_digits(double weight, const char *unit);

/*
 * Appends "1.302 s" or "34.09 MiB", with four digits, or all digits of WEIGHT. UNIT is its unit, a
 * unit of time or bytes.
 */
void amount_add_scaled(struct strbuf *out, double weight, const char *unit);

/* Appends "1,302", "1.302 s" or "34.09 MiB". */
void amount_add(struct strbuf *out, uint64_t weight, const char *unit);

/* Works like amount_add(), but always with the unit: "1,302 samples". */
void amount_add_unit(struct strbuf *out, uint64_t weight, const char *unit);

/* Works like amount_add(), but without commas: "1302". */
void amount_add_plain(struct strbuf *out, uint64_t weight, const char *unit);

/* Appends "1,302". */
void amount_add_grouped(struct strbuf *out, uint64_t n);

#endif
