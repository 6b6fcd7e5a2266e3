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
