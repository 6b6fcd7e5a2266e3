/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sortable table of the functions: an accessible alternative to the graph. */
'use strict';
flametap.table = (() => {
	const { dom, data, text, views, actions } = flametap;
	const { html } = dom;
	const { state } = flametap.state;
	const { now } = actions;
	const MOST = 200; /* rows */
	const columns = [
		{ label: 'Function', value: (fn) => views.nameOf(fn) },
		{ label: 'Self', value: (fn, sums) => last(sums.self)[fn] },
		{ label: 'Inclusive', value: (fn, sums) => last(sums.total)[fn] },
		...(data.isDiff ? [{ label: 'Change', value: (fn, { self }) => Math.abs(changeOf(self, fn)) }] : []),
		{ label: 'Places', value: (fn, sums) => sums.places[fn] },
	];

	const body = html('tbody'), heads = html('tr');
	const note = html('p', { class: 'note' });
	const box = html('aside', { class: 'table', 'aria-label': 'Functions', tabindex: '-1' },
		html('table', {}, html('thead', {}, heads), body), note);
	let by = 1;

	const last = (sides) => sides[sides.length - 1];

	/* The change of a function's share of the self weight. */
	function changeOf(self, fn) {
		const totals = now.view.stacks.totals(0);

		return self[1][fn] / (totals[1] || 1) - self[0][fn] / (totals[0] || 1);
	}

	for (const [at, column] of columns.entries()) {
		const sort = dom.button(column.label, 'Sort', () => {
			by = at;
			show();
		});

		column.head = html('th', { scope: 'col' }, sort);
		heads.append(column.head);
	}

	function numbers(sides, fn) {
		const totals = now.view.stacks.totals(0);

		return html('td', { title: sides.map((side) => text.amount(side[fn])).join(' \u2192 ') },
			sides.map((side, s) => text.percent(side[fn], totals[s])).join(' \u2192 '));
	}

	function rowOf(fn, sums) {
		const change = changeOf(data.isDiff ? sums.self : [sums.self[0], sums.self[0]], fn);

		return html('tr', {}, html('th', { scope: 'row', title: views.textOf(fn).replace('\t', ' in ') },
			dom.button(views.nameOf(fn), 'Highlight', () => actions.search(views.nameOf(fn)))),
		numbers(sums.self, fn), numbers(sums.total, fn),
		...(data.isDiff ? [html('td', {}, text.points(0, change))] : []),
		html('td', {}, sums.places[fn].toLocaleString('en-US')));
	}

	/* The functions that match the search; all if there is none. */
	function functionsNow(sums) {
		let pattern = /(?:)/;

		try {
			pattern = new RegExp(state.search, state.ignorecase ? 'i' : '');
		} catch (e) {
			/* the bar shows the error */
		}
		return [...sums.places.keys()].filter((fn) =>
			sums.places[fn] && pattern.test(views.nameOf(fn)));
	}

	function show() {
		box.hidden = !state.table;
		if (!state.table)
			return;
		const sums = now.view.stacks.byFunction(), { value } = columns[by];
		const values = new Map(functionsNow(sums).map((fn) => [fn, value(fn, sums)]));
		const list = [...values.keys()].sort((a, b) => (by
			? values.get(b) - values.get(a) : values.get(a) < values.get(b) ? -1 : 1));

		columns.forEach(({ head }, at) =>
			head.setAttribute('aria-sort', at !== by ? 'none' : by ? 'descending' : 'ascending'));
		body.replaceChildren(...list.slice(0, MOST).map((fn) => rowOf(fn, sums)));
		note.textContent = list.length > MOST ? `${MOST} of ${list.length.toLocaleString('en-US')} functions`
			: '';
	}

	return { box, show };
})();
