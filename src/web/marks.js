/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Highlighted frames: frames that match the search, an entry of the legend or a module. */
'use strict';
flametap.marks = (() => {
	const { frames, categories, moduleOf } = flametap.data;
	const { colours } = flametap;

	/* Returns a predicate for nodes: whether the frame's name matches. The root never matches. */
	function bySearch(tree, pattern) {
		const found = frames.name.map((name, f) => frames.style[f] !== 'r0' && pattern.test(name));

		return (i) => found[tree.frame[i]];
	}

	/* Returns a predicate for nodes by STATE, or null if nothing is highlighted. Throws if the regex is invalid. */
	function tester(tree, state) {
		if (state.search)
			return bySearch(tree, new RegExp(state.search, state.ignorecase ? 'i' : ''));
		if (state.kind)
			return (i) => frames.style[tree.frame[i]][0] === state.kind;
		if (state.category) {
			const category = categories.indexOf(state.category);

			return (i) => tree.category[i] === category;
		}
		if (state.module)
			return (i) => moduleOf(tree.frame[i]) === state.module;
		if (state.group) {
			const way = colours.ways[state.colour], of = way ? way.of(tree) : () => -1;

			return (i) => way && way.names[of(i)] === state.group;
		}
		return null;
	}

	function markTree(tree, state) {
		const mark = new Uint8Array(tree.n), test = tester(tree, state);

		for (let i = 1; test && i < tree.n; i++)
			mark[i] = test(i) ? 1 : 0;
		return mark;
	}

	/* Returns for each node whether it or one of its callers is marked. */
	function inherit(tree, mark) {
		const all = mark.slice();

		for (let i = 1; i < tree.n; i++)
			all[i] |= all[tree.parent[i]];
		return all;
	}

	/*
	 * Returns the marks. mark says for each node of the drawn tree whether it is marked, and nodes has the numbers of marked
	 * nodes. all and ofZoom are the weights on each side of the stacks with a marked node. If callers are drawn, inherited
	 * says for each node of the stacks whether it or one of its callers is marked.
	 */
	function of(view, zoom, state) {
		const marks = { active: Boolean(state.search || state.kind || state.category || state.module || state.group), error: '' };
		const { tree, stacks, callers } = view;

		try {
			marks.mark = markTree(tree, state);
		} catch (e) {
			marks.error = e.message;
			marks.mark = new Uint8Array(tree.n);
		}
		marks.nodes = [];
		marks.mark.forEach((marked, i) => marked && marks.nodes.push(tree.isColour(i) ? tree.parent[i] : i));
		if (!marks.active || marks.error)
			return marks;
		const mark = callers ? markTree(stacks, state) : marks.mark;
		if (callers) {
			const inherited = marks.inherited = inherit(stacks, mark);

			marks.ofZoom = tree.sides.map((_, s) => callers.marked(tree.origin[zoom], inherited, s));
			marks.all = tree.sides.map((_, s) => callers.marked(0, inherited, s));
		} else {
			marks.all = tree.sides.map((side) => tree.marked(0, mark, side));
			marks.ofZoom = tree.sides.map((side) => tree.marked(zoom, mark, side));
		}
		return marks;
	}

	return { of, markTree, inherit };
})();
