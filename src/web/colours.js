/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups of frames that have a colour each, the heaviest ones: categories, modules, packages, labels, source files. */
'use strict';
flametap.colours = (() => {
	const { data, views: { fileOf }, times: { file: base } } = flametap;
	const { frames, categories, kinds } = data;
	const COLOURS = 9; /* of groups; the groups after them share one more */

	/* ---- the group of a frame, as text */

	const moduleOf = (f) => data.moduleOf(f) || kinds[frames.style[f][0]];

	/* Returns NAME without what is in brackets, such as the arguments of templates and functions. */
	function bare(name) {
		let text = name, had;

		do {
			had = text;
			text = text.replace(/<[^<>]*>|\([^()]*\)/g, '');
		} while (text !== had);
		return text;
	}

	/*
	 * Returns the package of a frame: of Perl, Java and Go, the name space of C++ and Rust, the file of Lua. Other functions
	 * have none, and are grouped by module.
	 */
	function packageOf(f) {
		const kind = frames.style[f][0], name = bare(frames.name[f]);

		if (kind === 'l' && name.includes(':'))
			return name.slice(0, name.indexOf(':'));
		if (kind === 'p' && name.includes('::'))
			return name.slice(0, name.lastIndexOf('::'));
		const scope = name.match(/^(?:.* )?([A-Za-z_][\w.]*)::/), java = name.match(/^(?:.* )?([a-z]\w*(?:\.[a-z]\w*)+)\.[A-Z]/);
		const go = name.match(/^((?:[\w.-]+\/)+[\w-]+)\./);

		return scope && kind !== 'k' ? scope[1] : java ? java[1] : go ? go[1] : fileOf(moduleOf(f));
	}

	const sourceOf = (f) => (frames.source[f] || '[no source]').replace(/:\d+$/, '');

	/* ---- groups */

	/*
	 * A way has the names of its groups and, for a tree, a function that returns the number of the group of a node. SHOWN
	 * makes the text of a name.
	 */
	function way(title, textOf, shown = (name) => name) {
		const names = [], numbers = new Map(), ofFrame = [];

		function number(name) {
			if (!numbers.has(name))
				numbers.set(name, names.push(name) - 1);
			return numbers.get(name);
		}

		function groupOf(f) {
			if (ofFrame[f] === undefined)
				ofFrame[f] = number(textOf(f));
			return ofFrame[f];
		}

		return { title, names, shown, number, of: (tree) => (i) => groupOf(tree.frame[i]) };
	}

	/* The label of a node is the root frame of its stack, which is a task or the value of a label. */
	function labels() {
		const all = way('Label', (f) => frames.name[f]), isTask = (f) => frames.style[f][0] === 't';

		all.of = (tree) => {
			if (!tree.labels) {
				const none = all.number('[none]');

				tree.labels = new Uint32Array(tree.n).fill(none);
				for (let i = 1; i < tree.n; i++)
					tree.labels[i] = isTask(tree.frame[i]) ? all.number(frames.name[tree.frame[i]])
						: tree.labels[tree.parent[i]];
			}
			return (i) => tree.labels[i];
		};
		return all;
	}

	const category = { title: 'Category', names: categories, shown: (name) => name, of: (tree) => (i) => tree.category[i] };
	const ways = { category, module: way('Module', moduleOf, fileOf), package: way('Package', packageOf) };

	if (frames.style.some((style) => style[0] === 't'))
		ways.label = labels();
	if (frames.source.some((source) => source))
		ways.source = way('Source', sourceOf, fileOf);

	/* Returns the class for the colour of a group of WAY. */
	function styleOf(way, group) {
		if (!way.ranks) {
			const of = way.of(base);

			for (let i = 1; i < base.n; i++)
				of(i); /* so that all groups have numbers */
			const { self } = base.addUp((i) => of(i), way.names.length);
			const order = [...way.names.keys()].sort((a, b) => self[0][b] - self[0][a]);

			way.ranks = new Map(order.map((g, rank) => [g, Math.min(rank, COLOURS)]));
		}
		return 'q' + (way.ranks.has(group) ? way.ranks.get(group) : COLOURS);
	}

	return { ways, styleOf };
})();
