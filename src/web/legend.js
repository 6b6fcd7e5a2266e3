/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The meaning of the colours, and the weight of each kind and category. In brief, it has only what explains the colours, in one line. */
'use strict';
flametap.legend = (() => {
	const { root, dom, data, text, actions, colours: { ways, styleOf }, sides: { areTwo, combiner } } = flametap;
	const { state } = flametap.state;
	const { html, button } = dom;
	const { now } = actions;
	const kinds = Object.keys(data.kinds).filter((kind) => kind !== 'r');
	const steps = ['gone', 'less', '', '', 'same', '', '', 'more', 'new'];
	const MANY = 10; /* categories that are shown at first */

	const row = (head) => html('div', { class: 'entries', role: 'group', 'aria-label': head });
	const kindRow = row('Kinds'), categoryRow = row('Categories'), stepRow = row('Change');
	const stateRow = row('States');
	const states = [...new Set(data.frames.name.filter((_, f) => data.stateOf[f] >= 0))];
	const lines = [['Change', stepRow], ...(states.length ? [['State', stateRow]] : []), ['Kind', kindRow], ['Category', categoryRow]];
	/* Kind and category have their entries always; the groups of another way follow when it is chosen. */
	const others = data.isDiff ? [] : Object.keys(ways).filter((name) => name !== 'category');
	const chooser = (colour, title) => [colour, button(title, `Colour frames by ${title.toLowerCase()}`,
		() => flametap.go({ colour, group: '' }))];
	const colours = new Map(data.isDiff ? [] : [chooser('', 'Kind'), ...['category', ...others].map((name) =>
		chooser(name, ways[name].title))]);
	const heads = ['', 'category'].map((name) => colours.get(name)).filter((colour) => colour);
	const groupRow = row('Groups');

	if (others.length)
		lines.push(['Colour by', html('div', { class: 'entries' },
			html('div', { class: 'entries ways', role: 'group', 'aria-label': 'Colour by' }, ...others.map((name) => colours.get(name))),
			groupRow)]);
	const box = html('div', { class: 'legend', role: 'group', 'aria-label': 'Legend' },
		...lines.flatMap(([head, entries]) => [html('span', { class: 'head' },
			heads.find((colour) => colour.textContent === head) || head), entries]));
	let shown = null; /* the tree and the selection that are shown */
	let all = false;

	function sumsOf(tree) {
		const kind = (i) => kinds.indexOf(data.frames.style[tree.frame[i]][0]);
		const without = (key) => (i) => (tree.isState(i) ? -1 : key(i));

		tree.kindSums = tree.kindSums || tree.addUp(without(kind), kinds.length);
		tree.categorySums = tree.categorySums ||
			tree.addUp(without((i) => tree.category[i]), data.categories.length);
		tree.stateSums = tree.stateSums || tree.addUp((i) =>
			(tree.isState(i) ? states.indexOf(data.frames.name[tree.frame[i]]) : -1), states.length);
		return tree;
	}

	function swatch(style) {
		const picture = dom.svg('svg', { class: 'swatch', width: 12, height: 12, 'aria-hidden': 'true' });

		picture.append(dom.svg('rect', { class: style, width: 12, height: 12, rx: 2 }));
		return picture;
	}

	const share = (sums, k, totals) =>
		sums.map((side, s) => text.percent(side[k], totals[s])).join(' \u2192 ');

	/*
	 * Returns an entry with its share of the self weight and, if it is another one, of the inclusive weight. A click highlights
	 * its frames.
	 */
	function entry(which, value, label, sums, k, ...before) {
		const on = state[which] === value, totals = now.view.stacks.totals(0);
		const self = share(sums.self, k, totals), total = share(sums.total, k, totals);
		const item = button('', `${label}: ${self} itself, ${total} with all that it calls`,
			() => actions.select(which, on ? '' : value),
			{ 'aria-pressed': on });

		item.append(...before, html('span', { class: 'label' }, label),
			html('span', { class: 'share' }, areTwo() || self === total ? self : `${self} (incl. ${total})`));
		return item;
	}

	/* Returns the numbers of the entries with weight, heaviest first. */
	function present({ self, total }) {
		const list = [...self[0].keys()].filter((k) => total.some((side) => side[k]));
		const combine = combiner(now.view.stacks.totals(0)), sum = (sides, k) => combine(sides.map((side) => side[k]));

		return list.sort((a, b) => sum(self, b) - sum(self, a) || sum(total, b) - sum(total, a));
	}

	function kindEntries({ kindSums: sums }) {
		return present(sums).map((k) => entry('kind', kinds[k], data.kinds[kinds[k]], sums, k,
			...(areTwo() || state.colour ? [] : [swatch(kinds[k] + '2')])));
	}

	/* Returns the entries of the heaviest groups of a way, which WHICH of the state selects. */
	function groupEntries(which, way, sums, isColour) {
		const list = present(sums);
		const entries = list.slice(0, all ? list.length : MANY).map((g) =>
			entry(which, way.names[g], way.shown(way.names[g]), sums, g, ...(isColour ? [swatch(styleOf(way, g))] : [])));

		if (list.length > MANY)
			entries.push(button(all ? 'fewer' : `${list.length - MANY} more`, way.title, () => {
				all = !all;
				flametap.show();
			}, { class: 'more' }));
		return entries;
	}

	/* Returns the entries of the chosen way, unless that is the kind or the category. */
	function chosenEntries(tree) {
		const way = ways[state.colour];

		if (!way || state.colour === 'category' || areTwo())
			return [];
		const of = way.of(tree);
		for (let i = 1; i < tree.n; i++)
			of(i); /* so that all groups have numbers */
		return groupEntries('group', way, tree.addUp((i) => (tree.isState(i) ? -1 : of(i)), way.names.length), true);
	}

	/* Returns an entry for each state. A click highlights the stacks that ended in this state. */
	function stateEntries({ stateSums: { total } }) {
		const totals = now.view.stacks.totals(0), order = [...states.keys()].filter((k) => total.some((side) => side[k]));

		return order.sort((a, b) => total[0][b] - total[0][a]).map((k) => {
			const value = `^${states[k].replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`, on = state.search === value;
			const part = share(total, k, totals);
			const item = button('', `${states[k]}: ${part}`,
				() => flametap.go({ search: on ? '' : value, ignorecase: false, kind: '', category: '', module: '', group: '' }), { 'aria-pressed': on });

			if (text.hasStateColours())
				item.append(swatch(text.stateStyle(data.frames.name.indexOf(states[k]))));
			item.append(html('span', { class: 'label' }, states[k]), html('span', { class: 'share' }, part));
			return item;
		});
	}

	const scaleOfChange = () => steps.map((label, step) =>
		html('span', { class: 'step' }, swatch('d' + step), label));

	/* Whether the colours that frames have now are in the line with this head. */
	function explains(head) {
		if (areTwo())
			return head === 'Change';
		if (head === 'State')
			return text.hasStateColours();
		return head === ({ '': 'Kind', category: 'Category' }[ways[state.colour] ? state.colour : ''] || 'Colour by');
	}

	function show() {
		const tree = sumsOf(now.view.stacks), two = areTwo();

		lines.forEach(([head, entries]) => {
			const hidden = two ? head === 'Colour by' : head === 'Change';

			for (const part of [entries.previousSibling, entries]) {
				part.hidden = hidden;
				part.classList.toggle('used', explains(head));
			}
		});
		heads.forEach((head) => head.disabled = two);
		stepRow.replaceChildren(...(two ? scaleOfChange() : []));
		const key = [state.kind, state.category, state.search, state.module, state.group, state.colour, all].join('\n');
		if (shown && shown.tree === tree && shown.key === key)
			return;
		shown = { tree, key };
		colours.forEach((choice, name) => choice.setAttribute('aria-pressed', !two && name === (ways[state.colour] ? state.colour : '')));
		kindRow.replaceChildren(...kindEntries(tree));
		categoryRow.replaceChildren(...groupEntries('category', ways.category, tree.categorySums, state.colour === 'category' && !two));
		groupRow.replaceChildren(...chosenEntries(tree));
		stateRow.replaceChildren(...stateEntries(tree));
	}

	const still = root.getElementById('legend');
	if (still)
		still.remove();
	return { box, show };
})();
