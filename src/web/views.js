/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trees to be shown: the tree of the file, and the tree after each change made by the user. */
'use strict';
flametap.views = (() => {
	const { data, times, tree: { Builder, partsOf, arrange }, Callers } = flametap;
	const { frames, functions } = data;
	let base = times.treeOf('', ''), range = ' '; /* the tree of a range of time, or of two */

	/* ---- functions as text: NAME, or NAME, tab, MODULE */

	const nameOf = (fn) => frames.name[functions.first[fn]];
	const moduleOf = (fn) => data.moduleOf(functions.first[fn]);
	const fileOf = (path) => path.replace(/^.*\//, '');
	const textOf = (fn) => nameOf(fn) + (moduleOf(fn) ? '\t' + moduleOf(fn) : '');

	/*
	 * Returns for each function number whether TEXT refers to it. If the module does not exist, a module with the same file
	 * name is used or, for a text without a module, the kernel of folded text.
	 */
	function functionsBy(text) {
		const [name, module] = (text + '\t').split('\t'), all = [...functions.first.keys()];
		const named = all.filter((fn) => nameOf(fn) === name);
		const ways = [(fn) => moduleOf(fn) === module, (fn) => fileOf(moduleOf(fn)) === fileOf(module),
			(fn) => frames.module[functions.first[fn]] === module];
		const meant = ways.map((way) => named.filter(way)).find((list) => list.length) || [];
		const is = new Uint8Array(all.length);

		for (const fn of meant)
			is[fn] = 1;
		return { is, isThere: meant.length > 0 };
	}

	/* ---- changes; each returns how to map the nodes of tree T */

	/*
	 * start is the new node of the root, or -1 if stacks are removed. place(i) returns the new node of I, or -1. to[parent]
	 * is the new node of its caller. counts(i), if present, says whether the self weight of I is kept.
	 */
	const changes = {
		hide: (t, is, b, to) => ({
			start: 0,
			place: (i) => (is(i) ? to[t.parent[i]] : below(t, b, to, i)),
		}),
		remove: (t, is, b, to) => ({
			start: 0,
			place: (i) => (is(i) ? -1 : below(t, b, to, i)),
		}),
		only: (t, is, b, to) => {
			let end = 0; /* end of the outermost node */

			return {
				start: 0,
				place: (i) => {
					if (i >= end && is(i))
						end = t.end[i];
					return below(t, b, to, i);
				},
				counts: (i) => i < end,
			};
		},
		focus: (t, is, b, to) => ({
			start: -1,
			place: (i) => (to[t.parent[i]] < 0 && is(i)
				? b.child(0, functions.first[functions.of[t.frame[i]]])
				: below(t, b, to, i)),
		}),
		collapse: (t, is, b, to) => {
			let end = 0, outermost = 0;

			return {
				start: 0,
				place: (i) => {
					if (!is(i))
						return below(t, b, to, i);
					if (i >= end) {
						end = t.end[i];
						outermost = below(t, b, to, i);
					}
					return outermost;
				},
			};
		},
		collapseall: (t, is, b, to) => {
			const of = Uint32Array.from(functions.of);
			const ends = new Uint32Array(functions.first.length); /* ends of the outermost nodes, by function */

			return {
				start: 0,
				place: (i) => {
					const fn = of[t.frame[i]];

					if (i >= ends[fn]) { /* outermost: skip the search, which is slow in deep stacks */
						ends[fn] = t.end[i];
						return below(t, b, to, i);
					}
					for (let up = to[t.parent[i]]; up; up = b.parent[up])
						if (of[b.frame[up]] === fn)
							return up;
					return below(t, b, to, i);
				},
			};
		},
		threads: (t, is, b, to) => {
			const merged = [];
			const frameOf = (f) => merged[f] = merged[f] || (frames.style[f][0] === 't'
				? data.renamed(f, frames.name[f].replace(/\/\d+$/, '')) : f);

			return {
				start: 0,
				place: (i) => b.child(to[t.parent[i]], frameOf(t.frame[i])),
			};
		},
	};

	function below(t, b, to, i) {
		const parent = to[t.parent[i]];

		return parent < 0 ? -1 : b.child(parent, t.frame[i]);
	}

	/* Categories belong to the stacks as they are shown: removed callers pass none on. */
	function changed(t, { how, what }) {
		const meant = what === undefined ? null : functionsBy(what);

		if (meant && !meant.isThere)
			return t;
		const b = new Builder(t.n, t.sides.length), to = new Int32Array(t.n);
		const change = changes[how](t, (i) => meant.is[functions.of[t.frame[i]]], b, to);
		const counts = change.counts || (() => true);

		b.frame[0] = t.frame[0];
		to[0] = change.start;
		for (let i = 0; i < t.n; i++) {
			if (i)
				to[i] = to[t.parent[i]] < 0 && how !== 'focus' ? -1 : change.place(i);
			if (to[i] >= 0 && counts(i))
				for (let s = 0; s < b.selfs.length; s++)
					b.selfs[s][to[i]] += t.sides[s][i + 1] - t.sides[s][i];
		}
		const tree = arrange(b, false);

		tree.category = data.categoriesOf(tree);
		return tree;
	}

	/* ---- cached results */

	let steps = []; /* { change, tree } */

	/* Takes the tree of a range of time as the base, or the difference from it to the range AFTER. */
	function setRange(time, after) {
		if (`${time} ${after}` === range)
			return;
		range = `${time} ${after}`;
		base = times.treeOf(time, after);
		steps = [];
	}

	function changedBy(list) {
		let t = base, same = true;

		steps = list.map((change, at) => {
			const key = change.how + '\n' + change.what;

			same = same && steps[at] !== undefined && steps[at].key === key;
			t = same ? steps[at].tree : changed(t, change);
			return { key, tree: t };
		});
		return t;
	}

	/* Returns a function that caches the last value for a tree and KEY. */
	function keeper() {
		let last = {};

		return (tree, key, make) => {
			if (last.tree !== tree || last.key !== key)
				last = { tree, key, value: make() };
			return last.value;
		};
	}

	const keepOrder = keeper(), keepCallers = keeper(), keepSide = keeper();

	/* Returns the nodes at which stacks end. */
	function leavesOf({ n, sides }) {
		const [first, second = first] = sides, leaves = [];

		for (let i = 1; i < n; i++)
			if (first[i + 1] !== first[i] || second[i + 1] !== second[i])
				leaves.push(i);
		return leaves;
	}

	/* Returns the bottom-up tree of everything or, if WHAT is not empty, of one function. SMALL is as in Callers. */
	function callersOf(t, what, small) {
		if (!what)
			return new Callers(t, leavesOf(t), false, small);
		const { is } = functionsBy(what), places = [];
		for (let i = 1; i < t.n;) {
			const found = is[functions.of[t.frame[i]]];

			if (found)
				places.push(i);
			i = found ? t.end[i] : i + 1;
		}
		return new Callers(t, places, true, small);
	}

	const sides = { before: 0, after: 1 };

	function sided(t, width) {
		return width in sides && t.sides[1] ? keepSide(t, width, () => t.ofSide(sides[width])) : t;
	}

	/*
	 * Returns the view of STATE. stacks is the tree of all stacks, tree is the drawn tree, and callers is the bottom-up tree
	 * that the drawn tree is a part of, or null. openTo(link, share, lenient) returns the node of a link, after expanding the
	 * nodes with at least SHARE of its weight.
	 */
	function of(state) {
		setRange(state.time, state.compare);
		const stacks = changedBy(state.changes), byWeight = flametap.state.byWeight();
		const callers = state.callers === null ? null
			: keepCallers(stacks, state.callers + '\n' + state.small,
				() => callersOf(stacks, state.callers, Number(state.small) / 100 || 0));
		const ordered = callers || (!byWeight && !data.reversed) ? stacks
			: keepOrder(stacks, byWeight, () => arrange(partsOf(stacks), byWeight));
		const view = { stacks: sided(stacks, state.width), callers };

		view.openTo = (link, share, lenient) => {
			const found = flametap.tree.follow(callers || ordered, link, lenient);

			view.tree = sided(ordered, state.width);
			if (callers) {
				callers.expandBelow(found.node, share);
				view.tree = sided(callers.arrange(byWeight), state.width);
				found.node = view.tree.origin.indexOf(found.node);
			}
			if (found.node > 0 && view.tree.isColour(found.node))
				found.node = view.tree.parent[found.node];
			return { ...found, node: Math.max(found.node, 0) };
		};
		return view;
	}

	return { of, changes, functionsBy, textOf, nameOf, moduleOf, fileOf };
})();
