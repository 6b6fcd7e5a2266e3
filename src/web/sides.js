/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two sides of a difference: two profiles, or two parts of the time of one profile, whose weights per second are compared. */
'use strict';
flametap.sides = (() => {
	const { isDiff, isNormalized } = flametap.data;
	let lengths = null; /* s, of the two parts of the time */

	const divisors = (totals) => lengths || totals.map((total) => (isNormalized && total) || 1);

	return {
		/* Compares two parts of the time, which have these lengths, or none if LIST is null. */
		setLengths(list) {
			lengths = list;
		},

		lengths: () => lengths,

		/* Whether a difference is shown. */
		areTwo: () => isDiff || lengths !== null,

		/* Returns the divisors of both sides, whose weights are divided before they are compared. TOTALS are the sums of all stacks. */
		divisors,

		/* What the change of a weight is measured in, for headings; the same as what the colours compare. */
		measure: () => (lengths ? '% of before, per s' : isNormalized ? 'points' : '% of before'),

		/* Whether shares of the totals are compared. */
		compareShares: () => isNormalized && !lengths,

		/*
		 * Returns the change of WEIGHTS in that measure, as a fraction: of the share or, of the sum of all stacks before,
		 * for each second if parts of the time are compared.
		 */
		changeOf(weights, totals) {
			const [a, b] = divisors(totals), all = isNormalized && !lengths ? 1 : totals[0] / a;

			return all ? (weights[1] / b - weights[0] / a) / all : 0;
		},

		/*
		 * Returns a function that makes one weight of the weights on each side, as it is the width of a frame. TOTALS are the
		 * sums of all stacks.
		 */
		combiner(totals) {
			const list = divisors(totals);

			return (weights) => weights.reduce((sum, weight, s) => sum + weight / list[s], 0);
		},
	};
})();
