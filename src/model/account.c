/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "account.h"
#include "amount.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"
#include "timing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const words[LOST_REASONS] = {
	[LOST_SKIPPED] = "skipped",
	[LOST_TABLE_FULL] = "table-full",
	[LOST_NO_BODY] = "no-body",
	[LOST_TRANSPORT] = "transport",
	[LOST_SPOOL] = "spool",
	[LOST_UNREADABLE] = "unreadable",
};

const char *lost_reason_word(enum lost_reason reason)
{
	return words[reason];
}

int lost_reason_parse(const char *word)
{
	for (int i = 0; i < LOST_REASONS; i++)
		if (!strcmp(word, words[i]))
			return i;
	return -1;
}

uint64_t account_lost(const struct account *account)
{
	uint64_t sum = 0;

	for (int i = 0; i < LOST_REASONS; i++)
		sum += account->lost[i];
	return sum;
}

/* Returns the share in per cent. Shares below 100 are not rounded up to 100. */
static double share(uint64_t part, uint64_t all)
{
	double percent = all ? 100.0 * (double)part / (double)all : 0;

	return part < all && percent > 99.9 ? 99.9 : percent;
}

void account_add_share(uint64_t part, uint64_t all, struct strbuf *out)
{
	strbuf_addf(out, "%.1f %%", share(part, all));
}

static void add_share(struct strbuf *out, uint64_t part, uint64_t all, const char *what)
{
	account_add_share(part, all, out);
	strbuf_addf(out, " %s", what);
}

double account_named(const struct account *account)
{
	return share(account->named, account->named + account->unnamed);
}

bool account_names_suffice(const struct account *account, double least)
{
	return account_named(account) >= (least >= 0 ? least : ACCOUNT_NAMED) ||
	       !(account->named + account->unnamed);
}

bool account_is_named(
	const struct account *account, double least, struct account_gap gap, struct strbuf *out)
{
	const char *remedy = gap.remedy ? gap.remedy : "bt-resolve --missing shows how to fix it";
	bool given = least >= 0;

	if (account_names_suffice(account, least))
		return true;
	strbuf_addf(out, "only %.1f %% of the frames have names", account_named(account));
	if (given)
		strbuf_addf(out, " (--min-quality %g)", least);
	if (gap.module) {
		strbuf_adds(out, ", ");
		message_add_path(out, gap.module);
		strbuf_adds(out, " lacks most");
	}
	strbuf_addf(out, "%s%s\n", *remedy ? ": " : "", remedy);
	return !given;
}

static void add_amount(struct strbuf *out, uint64_t amount, const char *unit)
{
	amount_add_plain(out, amount, unit);
	if (!amount_width(unit))
		strbuf_addf(out, " %s", unit);
}

bool account_is_much(uint64_t part, uint64_t all)
{
	return part && part >= all / 100 + (all % 100 != 0);
}

/* Appends "; stacks 98.0 % whole, 2.0 % cut; frames 100.0 % named". */
static void add_quality(const struct account *account, struct strbuf *out)
{
	strbuf_adds(out, "; stacks ");
	add_share(out, account->whole, account->kept, "whole");
	if (account->cut) {
		strbuf_adds(out, ", ");
		add_share(out, account->cut, account->kept, "cut");
	}
	if (account->broken) {
		strbuf_adds(out, ", ");
		add_share(out, account->broken, account->kept, "broken");
	}
	strbuf_addf(out, "; frames %.1f %% named", account_named(account));
}

void account_line(const struct account *account, const struct timing *timing, const char *unit,
	struct strbuf *out)
{
	uint64_t lost = account_lost(account);
	const char *before = " (";

	add_amount(out, account->kept, unit);
	strbuf_adds(out, " kept, ");
	if (account->left_out) {
		add_amount(out, account->left_out, unit);
		strbuf_adds(out, " left out, ");
	}
	strbuf_addf(out, "%" PRIu64 " lost", lost);
	for (int i = 0; lost && i < LOST_REASONS; i++) {
		if (!account->lost[i])
			continue;
		strbuf_addf(out, "%s%s %" PRIu64, before, words[i], account->lost[i]);
		before = ", ";
	}
	if (lost)
		strbuf_addch(out, ')');
	timing_add_cpus(timing, account->kept + account->left_out, out);
	if (account->kept)
		add_quality(account, out);
	if (!account->nr_asleep)
		return;
	strbuf_addf(out, "; left out: %" PRIu64 " thread%s that never ran (", account->nr_asleep,
		account->nr_asleep == 1 ? "" : "s");
	add_amount(out, account->asleep, unit);
	strbuf_adds(out, ", --asleep)");
}

void account_lost_lines(const struct account *account, const char *unit, struct strbuf *out)
{
	static const char *const texts[LOST_REASONS] = {
		[LOST_SKIPPED] = "skipped, as their ticks did not come when they were due (a busy "
				 "virtual machine?): shares stay right, totals are too small",
		[LOST_TABLE_FULL] = "lost as the table of stacks is full: give more room "
				    "(--stacks), or record for a shorter time",
		[LOST_NO_BODY] = "lost as their stacks were not received",
		[LOST_TRANSPORT] = "lost on their way to the recorder, which got too little "
				   "processor time: record at a lower rate (-F)",
		[LOST_SPOOL] = "in windows that were dropped, as the spool had no room for them, "
			       "or that the server refused: see whether they can be pushed, or "
			       "give it more (--spool-max)",
	};
	uint64_t all = account->kept;

	add_capped(&all, account->left_out);
	add_capped(&all, account_lost(account));
	for (int i = 0; !strcmp(unit, "samples") && i < LOST_REASONS; i++) {
		if (!texts[i] || !account_is_much(account->lost[i], all))
			continue;
		account_add_share(account->lost[i], all, out);
		strbuf_addf(out, " of the samples were %s\n", texts[i]);
	}
}

static void add_json_number(struct strbuf *out, const char *key, uint64_t value)
{
	strbuf_addf(out, "\"%s\": %" PRIu64 ", ", key, value);
}

static void add_json_timing(
	struct strbuf *out, const struct account *account, const struct timing *timing)
{
	double used = timing_cpus_used(timing, account->kept + account->left_out);

	if (timing->duration)
		strbuf_addf(out, "\"seconds\": %.3f, ", (double)timing->duration / 1e9);
	if (timing->cpus)
		add_json_number(out, "cpus", timing->cpus);
	if (used >= 0)
		strbuf_addf(out, "\"cpus_used\": %.3f, ", used);
}

void account_json(const struct account *account, const struct timing *timing, struct strbuf *out)
{
	strbuf_addf(out, "{\"known\": %s, ", account->known ? "true" : "false");
	add_json_number(out, "kept", account->kept);
	if (account->left_out)
		add_json_number(out, "left_out", account->left_out);
	if (account->nr_asleep) {
		add_json_number(out, "asleep", account->asleep);
		add_json_number(out, "threads_asleep", account->nr_asleep);
	}
	add_json_number(out, "whole", account->whole);
	add_json_number(out, "cut", account->cut);
	add_json_number(out, "broken", account->broken);
	add_json_number(out, "named", account->named);
	add_json_number(out, "unnamed", account->unnamed);
	add_json_timing(out, account, timing);
	strbuf_adds(out, "\"lost\": {");
	for (int i = 0; i < LOST_REASONS; i++)
		strbuf_addf(out, "%s\"%s\": %" PRIu64, i ? ", " : "", words[i], account->lost[i]);
	strbuf_adds(out, "}}");
}
