/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Weights as text: "1,302 samples"; times in s, ms, us or ns, depending on their size: "1.302 s".
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
 * Appends "1.302 s", with four digits, or all digits of WEIGHT. UNIT is its unit, a unit of time.
 */
void amount_add_time(struct strbuf *out, double weight, const char *unit);

/* Appends "1,302" or "1.302 s". */
void amount_add(struct strbuf *out, uint64_t weight, const char *unit);

/* Works like amount_add(), but always with the unit: "1,302 samples", "1.302 s". */
void amount_add_unit(struct strbuf *out, uint64_t weight, const char *unit);

/* Appends "1,302". */
void amount_add_grouped(struct strbuf *out, uint64_t n);

#endif
