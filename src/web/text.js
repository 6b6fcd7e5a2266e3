/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and frames as text. */
'use strict';
flametap.text = (() => {
	const {unit, shown, scale, factor, kinds, frames, categories, isNormalized, reversed, stateOf, smallCallers} =
		flametap.data;
	const {fileOf} = flametap.views;
	const {colours, sides} = flametap;
	const suffixes = {k : '_[k]', i : '_[i]', j : '_[j]', w : '_[w]'};

	function percent(part, whole)
	{
		return (whole ? Math.round(part * 10000 / whole) / 100 : 0).toFixed(2) + ' %';
	}

	/* Returns the change of weights in per cent or percentage points, as sides.measure() says. */
	function change(weights, totals)
	{
		const value = Math.round(sides.changeOf(weights, totals) * 10000) / 100;

		return (value < 0 ? '\u2212' : '+') + Math.abs(value).toFixed(2);
	}

	/* As in src/model/amount.c, a time or a size is in the largest unit that fits it. */
	const times = [ [ 's', 'seconds', 1e9 ], [ 'ms', 'milliseconds', 1e6 ],
		[ 'us', 'microseconds', 1e3 ], [ 'ns', 'nanoseconds', 1 ] ];
	const sizes = [ [ 'TiB', 'tebibytes', 2 ** 40 ], [ 'GiB', 'gibibytes', 2 ** 30 ],
		[ 'MiB', 'mebibytes', 2 ** 20 ], [ 'KiB', 'kibibytes', 2 ** 10 ], [ 'B', 'bytes', 1 ] ];
	const word = shown === '\u00b5s' ? 'us' : shown;
	const units = [ times, sizes ].find((list) => list.some((names) => names.includes(word)));
	const own = units ? units.findIndex((names) => names.includes(word)) : -1;

	const grouped = (number) => number.toLocaleString('en-US', {maximumFractionDigits : 0});

	/* Returns a value in units of the profile as a time or a size. */
	function scaled(value)
	{
		const least = value * units[own][2];
		const fits = units.findIndex((names, at) => at === own || least >= names[2]);
		const number = least / units[fits][2];
		const digits = fits === own || number >= 999.95 ? 0
			: number < 10 ? 3 : number < 100 ? 2 : 1;

		return (digits ? number.toFixed(digits) : grouped(number)) + ' ' + units[fits][0];
	}

	const rounded = scale > 1 ? '\u2248 ' : '';

	/* Returns an amount, with its unit if it is a time or a size. */
	function amount(weight)
	{
		const value = weight * scale * factor;

		return rounded + (units ? scaled(value)
					: value.toLocaleString('en-US', {maximumFractionDigits : digitsOf(value)}));
	}

	/* Returns all digits of a size, or an empty string for other amounts, which amount() does not shorten. */
	const exact = (weight) => (units === sizes ? rounded + grouped(weight * scale * factor) : '');

	/* What a column of amounts, and one of their exact sizes, are called. */
	const heads = units === sizes ? [ 'size', shown ] : [ units ? 'time' : shown ];

	/* Returns how many decimals a number has: the few samples of a second are not whole. */
	const digitsOf = (value) => (!sides.lengths() || value >= 100 ? 0 : value >= 10 ? 1 : 2);

	const amountWithUnit = (weight) => amount(weight) + (units ? '' : ' ' + shown);

	/* Returns "1,302 samples", or "34.09 MiB = 35,746,612 bytes". */
	const exactWithUnit = (weight) => amountWithUnit(weight) + (exact(weight) && ` = ${exact(weight)} ${shown}`);

	function signed(weight)
	{
		return (weight < 0 ? '\u2212' : '+') + amount(Math.abs(weight));
	}

	/* Returns the amounts of both sides and their change, per second if parts of the time are compared. */
	function amountsOf(weights)
	{
		const lengths = sides.lengths(), rest = lengths ? '/s' : '';
		const [x, y] = lengths ? weights.map((weight, s) => weight / lengths[s]) : weights;

		return [amount(x), amount(y), signed(y - x)].map((words) => words + rest);
	}

	/*
	 * Returns the class of a change, from gone (0) over unchanged (4) to new (8), computed exactly as in
	 * src/view/diff/diff.h.
	 */
	function stepOf([ before, after ], totals)
	{
		const [a, b] = sides.divisors(totals), x = before / a, y = after / b;
		const variance = isNormalized ? x * (1 - x) / a + y * (1 - y) / b : x / a + y / b;
		const d = y - x, s = x + y;

		if (d === 0 || (unit === 'samples' && d * d < 4 * variance))
			return 4;
		if (!after || !before)
			return after ? 8 : 0;
		return 4 + Math.sign(d) * (9 * Math.abs(d) <= s ? 1 : 3 * Math.abs(d) <= s ? 2 : 3);
	}

	/* Whether the states of waits are shown as colours: they take the place of the kind, not of the category. */
	const hasStateColours = () => !sides.areTwo() && !reversed && !flametap.state.state.colour;

	/* Returns the class for the colour of a frame that is a state. */
	const stateStyle = (f) => 'st' + stateOf[f];

	/* Returns the class of a state that most of node I's weight has, or an empty string if there is none. */
	function mainStateStyle(tree, i)
	{
		const most = hasStateColours() ? tree.coloursOf(i).find((c) => 2 * tree.total(c) > tree.total(i)) : 0;

		return most ? stateStyle(tree.frame[most]) : '';
	}

	/* Returns the class for the colour of node I. */
	function styleOf(tree, i)
	{
		if (sides.areTwo())
			return 'd' + stepOf(tree.totals(i), tree.totals(0));
		const way = colours.ways[flametap.state.state.colour];

		return way && i ? colours.styleOf(way, way.of(tree)(i)) : frames.style[tree.frame[i]];
	}

	/*
	 * Returns the class for the colour of a node's own part, where no callees are, or an empty string if it has
	 * the colour of the node.
	 */
	function ownStyleOf(tree, i)
	{
		const has = sides.areTwo() && tree.end[i] > i + 1 && tree.self(i) > 0;
		const own = has ? 'd' + stepOf(tree.owns(i), tree.totals(0)) : '';

		return own === styleOf(tree, i) ? '' : own;
	}

	const kindOf = (tree, i) => kinds[frames.style[tree.frame[i]][0]];

	/* Returns file, kind and category, as far as they are informative. */
	function originOf(tree, i)
	{
		const module = frames.module[tree.frame[i]];
		const words = [
			module === '[kernel]' ? '' : fileOf(module), kindOf(tree, i),
			i && tree.frame[i] !== smallCallers ? categories[tree.category[i]] : ''
		];

		return words.filter((word, at) => word && words.indexOf(word) === at)
			.join(' \u00b7 ');
	}

	/* Returns "1,234 samples (1.23 %)", or "before …, after …, change" for a difference. */
	function weightText(weights, all)
	{
		if (!sides.areTwo())
			return `${exactWithUnit(weights[0])} (${percent(weights[0], all[0])})`;
		const [before, after, more] = amountsOf(weights);

		return `before ${before} (${percent(weights[0], all[0])}), ` +
		       `after ${after} (${percent(weights[1], all[1])}), ` +
		       `${more} (${change(weights, all)} ${sides.measure()})`;
	}

	/* Returns the numbers of the frame in one line, without its name and origin. */
	function describe(view, zoom, i)
	{
		const {tree} = view, all = tree.totals(0);
		let text = weightText(tree.totals(i), all);

		if (!view.callers)
			text += sides.areTwo() ? `; self ${amountsOf(tree.selfs(i)).slice(0, 2).join(' \u2192 ')}`
				       : `, self ${amount(tree.selfs(i)[0])} (${
						 percent(tree.selfs(i)[0], all[0])})`;
		if (zoom && i > zoom)
			text += `, ${percent(tree.total(i), tree.total(zoom))} of zoom`;
		return text;
	}

	/* Returns a name as in folded text (src/lib/word.h). Names in the SVG file already have control characters as \xHH. */
	function foldedName(f)
	{
		return frames.name[f].replace(/;/g, '\\x3b') + (suffixes[frames.style[f][0]] || '');
	}

	/* Returns the stack of node I as a folded line, root first. */
	function foldedStack(view, i)
	{
		const {tree} = view, names = [];

		for (let at = i; at; at = tree.parent[at])
			names.push(foldedName(tree.frame[at]));
		if (!view.callers)
			names.reverse();
		return `${names.join(';')} ${
			tree.totals(i).map((total) => total * scale).join(' ')}`;
	}

	return {
		percent,
		change,
		amount,
		exact,
		heads,
		amountWithUnit,
		amountsOf,
		weightText,
		styleOf,
		hasStateColours,
		stateStyle,
		mainStateStyle,
		ownStyleOf,
		stepOf,
		kindOf,
		originOf,
		describe,
		foldedStack
	};
})();
