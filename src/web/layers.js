/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Activity over time in the colours of the graph: of the states of waits or, without states, of the kinds of the leaves or of the
 * groups that have been chosen. What a program waits for is seen where its time is always 100 %.
 */
'use strict';
flametap.layers = (() => {
	const { dom, data, text, axis: { bars }, colours: { ways, styleOf }, sides: { areTwo } } = flametap;
	const { file, times, addTo } = flametap.times;
	const { state } = flametap.state;
	const { frames, kinds, reversed } = data;
	const LOWEST = 'st8', HIGHEST = ['st0', 'st6', 'st7']; /* on CPU; sleeping, idle, parked */

	const hasStates = () => text.hasStateColours() && data.stateOf.some((is) => is >= 0);

	/* Returns the leaf of the stacks that end at node I of the file. */
	function leafOf(i) {
		let leaf = file.isState(i) && !reversed ? file.parent[i] : i;

		while (reversed && file.parent[leaf] && !file.isState(file.parent[leaf]))
			leaf = file.parent[leaf];
		return leaf;
	}

	/* Returns the class and the name of the colour of the stacks that end at node I. */
	function colourOf(i) {
		const way = ways[state.colour], leaf = leafOf(i);

		if (areTwo())
			return ['all', ''];
		if (hasStates() && file.isState(i))
			return [text.stateStyle(file.frame[i]), file.name(i)];
		if (!way) {
			const kind = frames.style[file.frame[leaf]][0];

			return [kind + '2', kinds[kind]];
		}
		const group = way.of(file)(leaf);

		return [styleOf(way, group), way.shown(way.names[group])];
	}

	const rank = ({ style }) => (style === LOWEST ? -1 : HIGHEST.includes(style) ? 1 : 0);

	/* Returns the layers of the stacks that end at nodes from FIRST to before END, the lowest one first. */
	function of(first, end) {
		const found = new Map();

		for (let i = first; i < end; i++) {
			if (times.first[i] === times.first[i + 1])
				continue;
			const [style, name] = colourOf(i);
			if (!found.has(style))
				found.set(style, { style, name, total: 0, sums: new Float64Array(times.columns) });
			const layer = found.get(style);

			layer.name = layer.name === name ? name : 'others';
			layer.total += file.self(i);
			addTo(layer.sums, i);
		}
		return [...found.values()].sort((a, b) => rank(a) - rank(b) || b.total - a.total);
	}

	/* Returns LAYERS on top of each other, of which MOST is as high as HEIGHT px. Each is drawn behind the ones below it. */
	function draw(layers, most, height) {
		const sums = new Float64Array(times.columns);

		return layers.map(({ style, sums: own }) => {
			own.forEach((sum, at) => sums[at] += sum);
			return dom.svg('path', { class: style, d: bars(sums, most, height) });
		}).reverse();
	}

	/* Tells which layers a column consists of, the largest first. */
	function tell(layers, column) {
		const all = layers.reduce((sum, { sums }) => sum + sums[column], 0);
		const parts = layers.filter(({ sums }) => sums[column]).sort((a, b) => b.sums[column] - a.sums[column]);

		return layers.length > 1 && all ? parts.map(({ name, sums }) => `${name} ${text.percent(sums[column], all)}`).join(', ') : '';
	}

	return { hasStates, of, draw, tell };
})();
