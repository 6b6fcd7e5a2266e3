/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Weights for readers: "1,302 samples"; times in s, ms, us or ns, by their size: "1.302 s". */
#ifndef MODEL_AMOUNT_H
#define MODEL_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct strbuf;

/* Whether UNIT is one of time: us, nanoseconds … */
bool amount_is_time(const char *unit);

/* The ns of UNIT; 0: it is no unit of time. */
double amount_ns(const char *unit);

/* Appends "1.302 s", with four digits or those that WEIGHT, in UNIT, a unit of time, has. */
void amount_add_time(struct strbuf *out, double weight, const char *unit);

/* Appends "1,302" or "1.302 s". */
void amount_add(struct strbuf *out, uint64_t weight, const char *unit);

/* The same with the unit, once: "1,302 samples", "1.302 s". */
void amount_add_unit(struct strbuf *out, uint64_t weight, const char *unit);

/* Appends "1,302". */
void amount_add_grouped(struct strbuf *out, uint64_t n);

#endif
