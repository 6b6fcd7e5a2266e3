/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the colours mean, and how much of the weight each kind and each category has. */
'use strict';
flametap.legend = (() => {
	const { root, dom, data, text, actions } = flametap;
	const { state } = flametap.state;
	const { html, button } = dom;
	const { now } = actions;
	const kinds = Object.keys(text.kinds).filter((kind) => kind !== 'r');
	const steps = ['gone', 'less', '', '', 'same', '', '', 'more', 'new'];
	const MANY = 12; /* categories that are shown at first */

	const kindRow = html('div', { class: 'row' }), categoryRow = html('div', { class: 'row' });
	const box = html('div', { class: 'legend', role: 'group', 'aria-label': 'Legend' }, kindRow, categoryRow);
	let shown = null; /* the tree whose sums these are */
	let all = false;

	function sumsOf(tree) {
		const kind = (i) => kinds.indexOf(data.frames.style[tree.frame[i]][0]);

		tree.kindSums = tree.kindSums || tree.addUp(kind, kinds.length);
		tree.categorySums = tree.categorySums ||
			tree.addUp((i) => tree.category[i], data.categories.length);
		return tree;
	}

	function swatch(style) {
		const picture = dom.svg('svg', { class: 'swatch', width: 12, height: 12, 'aria-hidden': 'true' });

		picture.append(dom.svg('rect', { class: style, width: 12, height: 12, rx: 2 }));
		return picture;
	}

	const share = (sums, k, totals) =>
		sums.map((side, s) => text.percent(side[k], totals[s])).join(' \u2192 ');

	/* A line: a click highlights all its frames. */
	function entry(which, value, label, numbers, title, ...before) {
		const on = state[which] === value;
		const item = button('', title, () => flametap.go({ search: '', kind: '', category: '',
			[which]: on ? '' : value }), { 'aria-pressed': on });

		item.append(...before, html('span', { class: 'label' }, label),
			html('span', { class: 'share' }, numbers));
		return item;
	}

	function kindEntries(tree) {
		const { self, total } = tree.kindSums, totals = tree.totals(0);
		const present = kinds.map((_, k) => k).filter((k) => total.some((side) => side[k]));

		present.sort((a, b) => self[0][b] - self[0][a]);
		return present.map((k) => entry('kind', kinds[k], text.kinds[kinds[k]], share(self, k, totals),
			`${text.kinds[kinds[k]]}: self ${share(self, k, totals)}, with callees ` +
			share(total, k, totals), ...(data.isDiff ? [] : [swatch(kinds[k] + '2')])));
	}

	function categoryEntries(tree) {
		const { self, total } = tree.categorySums, totals = tree.totals(0);
		const present = data.categories.map((_, c) => c).filter((c) => total.some((side) => side[c]));

		present.sort((a, b) => self[0][b] - self[0][a] || total[0][b] - total[0][a]);
		const list = present.slice(0, all ? present.length : MANY).map((c) =>
			entry('category', data.categories[c], data.categories[c], share(self, c, totals),
				`${data.categories[c]}: self ${share(self, c, totals)}, with callees ` +
				share(total, c, totals)));
		if (present.length > MANY)
			list.push(button(all ? 'fewer' : `${present.length - MANY} more`, 'Categories', () => {
				all = !all;
				flametap.show();
			}, { class: 'more' }));
		return list;
	}

	const scaleOfChange = () => steps.map((label, step) =>
		html('span', { class: 'step' }, swatch('d' + step), label));

	function show() {
		const tree = sumsOf(now.view.stacks);

		if (root.classList.contains('nolegend'))
			return;
		const key = [state.kind, state.category, all].join('\n');
		if (shown && shown.tree === tree && shown.key === key)
			return;
		shown = { tree, key };
		kindRow.replaceChildren(...(data.isDiff ? scaleOfChange() : []),
			html('span', { class: 'head' }, 'Kind, self'), ...kindEntries(tree));
		categoryRow.replaceChildren(html('span', { class: 'head' }, 'Category, self'),
			...categoryEntries(tree));
	}

	const still = root.getElementById('legend');
	if (still)
		still.remove();
	return { box, show };
})();
