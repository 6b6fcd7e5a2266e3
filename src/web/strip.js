/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The strip above the graph: activity over time, in total and by task, each of which has its name beside it. The part of the time that is selected on its axis is
 * shown, or the difference from one part to another.
 */
'use strict';
flametap.strip = (() => {
	const { dom, data, text, marks, graph, layers, actions, sides: { areTwo } } = flametap;
	const { file, times, activity } = flametap.times;
	const { follow } = flametap.tree;
	const { state } = flametap.state;
	const { html, svg } = dom;
	const HEIGHT = 40, ROW = 12, ROWS = 8, SHADES = 5; /* px, tasks with a row, steps of intensity */
	const MARK = 2; /* px that bars leave free above them, for what is unusual */
	const NAMES = 180, NAMES_SHARE = 0.25; /* px, and share of the window, that names have at most */
	const LEAST = 0.01; /* share of a task with a row */

	if (!times)
		return { box: html('div', { class: 'strip', hidden: '' }), show() {}, choose() {} };

	const scale = flametap.axis.scaleOf(times);
	const all = activity(), most = Math.max(...all, 1);
	const tasks = tasksOf();
	const height = HEIGHT + tasks.length * ROW;
	const bars = (sums) => flametap.axis.bars(sums, most, HEIGHT);
	const part = svg('path', { class: 'part' });
	const odd = svg('path', { class: 'odd', d: data.outliers.map(({ columns: [first, end] }) => `M${first} 0H${end}V${MARK}H${first}z`).join('') });
	const nextOdd = dom.button(`Unusual (${data.outliers.length})`, 'Select the next time that differs from the rest, as bt-report --outliers lists them',
		() => selectOdd());
	const captions = tasks.map((node) => html('div', { title: file.name(node) }));
	const axis = flametap.axis.make({ times, height, comparable: true, sumAt, select: (change) => flametap.go(change, { moved: true }),
		buttons: data.outliers.length ? [nextOdd] : [], captions, captionAt: (caption) => tell(tasks[captions.indexOf(caption)]) });
	const picture = svg('g', { class: 'layers' }), rows = svg('g'); /* what has colours */
	let partOf = '', coloursOf = null; /* what the highlighted part, and the colours, were computed for */
	let whole = []; /* the layers of everything */

	axis.paint(picture, part, rows, odd);

	/* ---- pictures */

	/* Returns the heaviest tasks at the root, if there are several. */
	function tasksOf() {
		const list = [], least = file.total(0) * LEAST;

		for (let i = 1; i < file.n; i = file.end[i])
			if (data.frames.style[file.frame[i]][0] === 't' && file.total(i) >= least)
				list.push(i);
		list.sort((a, b) => file.total(b) - file.total(a) || a - b);
		return list.length > 1 ? list.slice(0, ROWS) : [];
	}

	/* Returns which nodes of the file are NODE or below it. */
	function within(node) {
		return new Uint8Array(file.n).fill(1, node, file.end[node]);
	}

	/* Returns the activity of a task in steps of intensity. */
	function heatOf(sums, top) {
		const paths = Array(SHADES).fill('');

		sums.forEach((sum, column) => {
			if (sum)
				paths[Math.ceil(sum / top * SHADES) - 1] += `M${column} 0h1v${ROW - 2}h-1z`;
		});
		return paths.map((d, shade) => svg('path', { class: 'heat', d, 'fill-opacity': (shade + 1) / SHADES }));
	}

	/* Returns the row of a task: its states or, without states, its activity. */
	function rowOf(node, at) {
		const sums = activity(within(node)), top = Math.max(...sums, 1);
		const row = svg('g', { class: 'row', transform: `translate(0 ${HEIGHT + at * ROW + 1})` });

		row.append(svg('rect', { class: 'none', width: times.columns, height: ROW - 2 }),
			...(layers.hasStates() ? layers.draw(layers.of(node, file.end[node]), top, ROW - 2) : heatOf(sums, top)));
		return row;
	}

	/* Shows the colours of the graph. */
	function showColours() {
		const key = [state.colour, areTwo()].join('\n');

		if (key === coloursOf)
			return;
		coloursOf = key;
		whole = layers.of(0, file.n);
		picture.replaceChildren(...layers.draw(whole, most, HEIGHT));
		rows.replaceChildren(...tasks.map(rowOf));
	}

	/* Fits the names of the tasks to the width of the window. */
	function showNames() {
		const px = Math.min(axis.box.clientWidth * NAMES_SHARE, NAMES);

		captions.forEach((caption, at) => {
			caption.textContent = graph.fit(file.name(tasks[at]), px);
		});
	}

	/* ---- the highlighted part */

	/* Returns which nodes of the file are highlighted or, without highlight, zoomed to; or null if that is everything. */
	function highlighted() {
		const { active, error } = actions.now.marks;

		if (active && !error)
			return marks.inherit(file, marks.markTree(file, state));
		const zoom = state.callers === null && !state.changes.length && follow(file, state.zoom, true).node;

		return zoom ? within(zoom) : null;
	}

	function showPart() {
		const key = JSON.stringify([state.search, state.ignorecase, state.kind, state.category, state.module, state.zoom,
			state.callers, state.changes.length]);

		if (key === partOf)
			return;
		partOf = key;
		const counts = highlighted();

		part.setAttribute('d', counts ? bars(activity(counts)) : '');
		picture.classList.toggle('behind', Boolean(counts));
	}

	/* Tells the name of a task, and its activity at all times. */
	const tell = (task) => `${file.name(task)} ${text.amountWithUnit(file.total(task))} (${text.percent(file.total(task), file.total(0))})`;

	/* ---- times that differ from the rest */

	/* Selects the one behind the selection, or the first one. */
	function selectOdd() {
		const at = data.outliers.findIndex(({ columns }) => scale.rangeOf(columns) === state.time);

		flametap.go({ time: scale.rangeOf(data.outliers[(at + 1) % data.outliers.length].columns), compare: '' }, { moved: true });
	}

	/* Returns what is unusual in a column, in a list. */
	const oddAt = (column) => data.outliers.filter(({ columns: [first, end] }) => column >= first && column < end)
		.map(({ name, weight, usual }) => `unusual: ${name} ${text.amountWithUnit(weight)}, usually ${text.amountWithUnit(usual)}`);

	/* Tells the activity of a column or, in the row of a task, of the task. */
	function sumAt(column, y) {
		const task = tasks[Math.floor((y - HEIGHT) / ROW)];

		return task === undefined ? [text.amountWithUnit(all[column]), layers.tell(whole, column), ...oddAt(column)].filter((words) => words).join(', ')
			: `${file.name(task)} ${text.amountWithUnit(activity(within(task))[column])}`;
	}

	function show() {
		axis.show(state);
		showNames();
		showColours();
		showPart();
	}

	return { box: axis.box, show, choose: axis.choose };
})();
