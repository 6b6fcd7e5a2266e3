/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sortable table of the functions, which a search, module, category or kind filters. */
'use strict';
flametap.table = (() => {
	const { dom, data, text, views, actions, sides: { areTwo, changeOf, compareShares, measure } } = flametap;
	const { html } = dom;
	const { state } = flametap.state;
	const { now } = actions;
	const MOST = 200; /* maximum number of rows */
	const ofStacks = (name) => (fn) => name(fn, now.view.stacks);
	/* A difference has two of each number: it leaves out what can be seen elsewhere. sides is set in columns of one of both only. */
	const everyColumn = [
		{ label: 'Function', value: (fn) => views.nameOf(fn), isText: true },
		{ label: 'Change', sides: 2, value: (fn, { self }) => Math.abs(changeOf(of(self, fn), now.view.stacks.totals(0))) },
		{ label: 'Self', value: (fn, sums) => last(sums.self)[fn], span: 2 },
		{ label: 'Inclusive', value: (fn, sums) => last(sums.total)[fn], span: 2 },
		{ label: 'Places', sides: 1, value: (fn, sums) => sums.places[fn] },
		{ label: 'Module', value: (fn) => views.fileOf(views.moduleOf(fn)), isText: true },
		{ label: 'Category', sides: 1, value: ofStacks(categoryOf), isText: true },
	];

	const body = html('tbody'), heads = html('tr'), sums = html('tr');
	const note = html('p', { class: 'note' }), filter = html('p', { class: 'filter' });
	const box = html('aside', { class: 'table', 'aria-label': 'Functions', tabindex: '-1' }, filter,
		html('table', {}, html('thead', {}, heads), body, html('tfoot', {}, sums)), note);
	let columns = [], by = null; /* the columns that are shown, and the one that sorts */

	const last = (sides) => sides[sides.length - 1];

	/* Returns the weights of a function on all sides. */
	const of = (sides, fn) => sides.map((side) => side[fn]);

	for (const column of everyColumn) {
		column.sort = dom.button(column.label, 'Sort', () => {
			by = column;
			show();
		});
		column.head = html('th', { scope: 'col', colspan: column.span || 1,
			class: column.label.toLowerCase() }, column.sort);
	}

	/* Shows the columns of a difference or of a profile. */
	function chooseColumns() {
		columns = everyColumn.filter(({ sides }) => !sides || sides === (areTwo() ? 2 : 1));
		if (!columns.includes(by))
			by = columns[1];
		heads.replaceChildren(...columns.map(({ head }) => head));
		if (areTwo())
			columns[1].sort.textContent = `Change, ${measure()}`;
	}

	/* Returns the category of a function's heaviest frame. */
	function categoryOf(fn, tree) {
		if (!tree.functionCategories) {
			const of = tree.functionCategories = new Uint32Array(data.functions.first.length);
			const most = new Float64Array(of.length).fill(-1);

			for (let i = 1; i < tree.n; i++) {
				const f = data.functions.of[tree.frame[i]], total = tree.total(i);

				if (total > most[f]) {
					most[f] = total;
					of[f] = tree.category[i];
				}
			}
		}
		return data.categories[tree.functionCategories[fn]];
	}

	/* Returns the cells of a weight, or of both weights of a difference, which shows what is compared. */
	function numbers(weights) {
		const totals = now.view.stacks.totals(0);
		const shares = weights.map((weight, s) => text.percent(weight, totals[s]));

		if (!areTwo())
			return [html('td', { title: text.exact(weights[0]) }, text.amount(weights[0])), html('td', {}, shares[0])];
		const amounts = text.amountsOf(weights).slice(0, 2);
		const [shown, other] = compareShares() ? [[shares[0].replace(' %', ''), shares[1]], amounts] : [amounts, shares];

		return shown.map((words, s) => html('td', { class: s ? 'after' : '', title: other[s] }, s ? words : words + ' \u2192'));
	}

	/* Returns a cell that selects the functions with the same VALUE of WHICH. */
	function selector(which, value, label) {
		const on = state[which] === value;

		return html('td', { class: which, title: value }, ...(value ? [dom.button(label,
			on ? 'Show all' : `Only this ${which}: ${value}`, () => actions.select(which, on ? '' : value),
			{ 'aria-pressed': on })] : []));
	}

	function rowOf(fn, sum) {
		const self = of(sum.self, fn);
		const module = views.moduleOf(fn), category = categoryOf(fn, now.view.stacks);

		return html('tr', {}, html('th', { scope: 'row', title: views.textOf(fn).replace('\t', ' in ') },
			dom.button(views.nameOf(fn), 'Highlight', () => actions.search(views.nameOf(fn)))),
		...(areTwo() ? [html('td', {}, text.change(self, now.view.stacks.totals(0)))] : []),
		...numbers(self), ...numbers(of(sum.total, fn)),
		...(areTwo() ? [] : [html('td', {}, sum.places[fn].toLocaleString('en-US'))]),
		selector('module', module, views.fileOf(module)),
		...(areTwo() ? [] : [selector('category', category, category)]));
	}

	/*
	 * Returns the sum of the self weights, which is at most the self weight of all stacks. There is no sum of inclusive
	 * weights, because a stack has several of them.
	 */
	function sumOf(list, sum) {
		const self = sum.self.map((side) => list.reduce((all, fn) => all + side[fn], 0));

		return [html('th', { scope: 'row' }, `Sum of ${list.length.toLocaleString('en-US')}`),
			...(areTwo() ? [html('td')] : []), ...numbers(self), html('td', { colspan: areTwo() ? 3 : 5 })];
	}

	/* Shows the selected module, category or kind, and a button to show all functions again. */
	function showFilter() {
		const which = ['module', 'category', 'kind'].find((name) => state[name]);

		filter.hidden = !which;
		if (!which)
			return;
		const value = which === 'kind' ? data.kinds[state.kind] : views.fileOf(state[which]);

		filter.replaceChildren(dom.button(`${which}: ${value} \u00d7`, 'Show all functions',
			() => actions.select(which, '')));
	}

	/* Returns a predicate for functions: whether a function is highlighted. */
	function tester() {
		const tree = now.view.stacks;

		if (state.module)
			return (fn) => views.moduleOf(fn) === state.module;
		if (state.category)
			return (fn) => categoryOf(fn, tree) === state.category;
		if (state.kind)
			return (fn) => data.frames.style[data.functions.first[fn]][0] === state.kind;
		try {
			const pattern = new RegExp(state.search, state.ignorecase ? 'i' : '');

			return (fn) => pattern.test(views.nameOf(fn));
		} catch (e) {
			return () => true; /* the bar shows the error */
		}
	}

	/* Returns the functions that match, or all functions if there is nothing to match. */
	function functionsNow(sum) {
		const test = tester();

		return [...sum.places.keys()].filter((fn) => sum.places[fn] && test(fn));
	}

	/*
	 * Returns the functions of LIST whose change does not round to 0, unless what is listed was chosen. If nothing changed, all
	 * are returned.
	 */
	function changedOf(list, sum) {
		const totals = now.view.stacks.totals(0);
		const changed = areTwo() && !now.marks.active ? list.filter((fn) => Number(text.change(of(sum.self, fn), totals)) !== 0) : [];

		return changed.length ? changed : list;
	}

	/* Returns what the table leaves out. SHOWN are the functions that have changed, of LIST. */
	function noteOf(shown, list) {
		const count = (number) => number.toLocaleString('en-US'), same = list.length - shown.length;
		const words = shown.length > MOST ? [`${MOST} of ${count(shown.length)} functions`] : [];

		if (same)
			words.push(`${count(same)} more function${same > 1 ? 's' : ''} with a change of 0.00`);
		return words.join('; ');
	}

	function show() {
		box.hidden = !state.table;
		if (!state.table)
			return;
		chooseColumns();
		const all = now.view.stacks.byFunction(), { value, isText } = by;
		const values = new Map(functionsNow(all).map((fn) => [fn, value(fn, all)]));
		const less = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
		const order = isText ? (a, b) => less(values.get(a), values.get(b)) || last(all.self)[b] - last(all.self)[a]
			: (a, b) => values.get(b) - values.get(a);
		const list = [...values.keys()].sort(order), shown = changedOf(list, all);

		columns.forEach((column) =>
			column.head.setAttribute('aria-sort', column !== by ? 'none' : isText ? 'ascending' : 'descending'));
		body.replaceChildren(...shown.slice(0, MOST).map((fn) => rowOf(fn, all)));
		sums.replaceChildren(...sumOf(list, all));
		showFilter();
		note.textContent = noteOf(shown, list);
	}

	return { box, show };
})();
