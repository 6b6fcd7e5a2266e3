/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time axis: weights by column of time, and the tree of a part of the time. */
'use strict';
flametap.times = (() => {
	const { data: { times, tree }, sides } = flametap;
	const { Tree, reweighted } = flametap.tree;

	const { columnsOf } = flametap.axis.scaleOf(times);
	const file = new Tree(tree); /* all of the time */

	/* Returns for each node of the file's tree the weight to its left in columns [first, end]. */
	function sideOf([first, end]) {
		const side = new Float64Array(tree.n + 1);

		for (let i = 0; i < tree.n; i++) {
			let sum = 0;

			for (let part = times.first[i]; part < times.first[i + 1]; part++)
				if (times.column[part] > first && times.column[part] <= end)
					sum += times.weight[part];
			side[i + 1] = side[i] + sum;
		}
		return side;
	}

	/*
	 * Returns the tree of the file, or of the part of it in RANGE, or the difference from RANGE, or all of the time, to the
	 * part in AFTER.
	 */
	function treeOf(range, after) {
		const before = columnsOf(range), compared = columnsOf(after);
		const parts = compared ? [before || [0, times.columns], compared] : before ? [before] : [];

		sides.setLengths(compared && parts.map(([first, end]) => (end - first) * times.length));
		return parts.length ? reweighted(tree, parts.map(sideOf)) : file;
	}

	/* Adds the weight of node I of the file's tree to the SUMS of the columns. */
	function addTo(sums, i) {
		for (let part = times.first[i]; part < times.first[i + 1]; part++)
			if (times.column[part])
				sums[times.column[part] - 1] += times.weight[part];
	}

	/* Returns the weight in each column of the nodes of the file's tree for which COUNTS, or of all without it. */
	function activity(counts) {
		const sums = new Float64Array(times.columns);

		for (let i = 0; i < tree.n; i++)
			if (!counts || counts[i])
				addTo(sums, i);
		return sums;
	}

	return { file, times, treeOf, addTo, activity };
})();
