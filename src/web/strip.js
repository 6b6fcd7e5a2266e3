/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The strip above the graph: activity over time, in total and by task. Dragging selects the time that is shown. */
'use strict';
flametap.strip = (() => {
	const { dom, data, text, marks, actions } = flametap;
	const { file, times, columnsOf, rangeOf, secondsAt, activity } = flametap.times;
	const { follow } = flametap.tree;
	const { state } = flametap.state;
	const { html, svg, set } = dom;
	const HEIGHT = 40, ROW = 9, ROWS = 8, SHADES = 5; /* px, tasks with a row, steps of intensity */
	const LEAST = 0.01; /* share of a task with a row */

	if (!times)
		return { box: html('div', { class: 'strip', hidden: '' }), show() {} };

	const all = activity(), most = Math.max(...all, 1);
	const tasks = tasksOf();
	const height = HEIGHT + tasks.length * ROW;
	const picture = svg('svg', { width: '100%', height, viewBox: `0 0 ${times.columns} ${height}`,
		preserveAspectRatio: 'none', 'aria-hidden': 'true' });
	const part = svg('path', { class: 'part' }), before = svg('rect', { class: 'cover', y: 0, height });
	const after = svg('rect', { class: 'cover', y: 0, height });
	const range = html('span', { class: 'range' }), told = html('span', { class: 'told' });
	const clear = dom.button('\u00d7', 'Show all of the time (Esc)', () => select(null), { 'aria-label': 'Show all of the time' });
	const slider = html('div', { class: 'axis', tabindex: '0', role: 'slider', 'aria-valuemin': 0,
		'aria-valuemax': times.columns, 'aria-label': 'Time: arrow keys move the selection, with Shift its end' });
	const box = html('div', { class: 'strip' }, html('div', { class: 'line' }, html('span', { class: 'head' }, 'Time'),
		range, clear, told), slider);
	let shown = null, partOf = ''; /* the selection, and what the part was computed for */

	slider.append(picture);
	picture.append(svg('path', { class: 'all', d: bars(all) }), part, ...tasks.map(heatOf), before, after);

	/* ---- pictures */

	/* Returns the bars of SUMS as a path. */
	function bars(sums) {
		let path = '';

		sums.forEach((sum, at) => {
			const high = sum / most * (HEIGHT - 2);

			if (sum)
				path += `M${at} ${HEIGHT}v${(-high).toFixed(2)}h1V${HEIGHT}z`;
		});
		return path;
	}

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

	/* Returns the row of a task: its activity in steps of intensity. */
	function heatOf(node, at) {
		const sums = activity(within(node)), top = Math.max(...sums, 1), y = HEIGHT + at * ROW + 1;
		const paths = Array(SHADES).fill('');

		sums.forEach((sum, column) => {
			if (sum)
				paths[Math.ceil(sum / top * SHADES) - 1] += `M${column} ${y}h1v${ROW - 2}h-1z`;
		});
		const row = svg('g', { class: 'heat' });

		row.append(svg('rect', { class: 'none', x: 0, y, width: times.columns, height: ROW - 2 }),
			...paths.map((d, shade) => svg('path', { d, 'fill-opacity': (shade + 1) / SHADES })));
		return row;
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
	}

	/* ---- the selection */

	const seconds = (time) => time.toLocaleString('en-US', { maximumFractionDigits: times.length < 0.1 ? 3 : 2 });
	const last = times.columns;

	function select(columns) {
		flametap.go({ time: columns && columns[1] - columns[0] < last ? rangeOf(columns) : '' }, { moved: true });
	}

	/* Shows the selection [first, end], or null. */
	function cover(columns) {
		const [first, end] = columns || [0, last];

		set(before, { x: 0, width: first });
		set(after, { x: end, width: last - end });
		range.textContent = columns
			? `${seconds(secondsAt(first))} \u2013 ${seconds(secondsAt(end))} s of ${seconds(last * times.length)} s`
			: `${seconds(last * times.length)} s; drag to select`;
		clear.hidden = !columns;
		set(slider, { 'aria-valuenow': first, 'aria-valuetext': columns
			? `${seconds(secondsAt(first))} to ${seconds(secondsAt(end))} seconds` : 'all of the time' });
	}

	function show() {
		shown = state.time ? columnsOf(state.time) : null;
		cover(shown);
		showPart();
	}

	/* ---- pointer */

	let from = -1, to = -1; /* columns of the selection that is being dragged */

	function columnAt(event) {
		const { left, width } = picture.getBoundingClientRect();

		return Math.min(Math.max(Math.floor((event.clientX - left) / width * last), 0), last - 1);
	}

	const dragged = () => [Math.min(from, to), Math.max(from, to) + 1];

	/* Tells what is at a position: the activity of the column, and the task of the row. */
	function tell(event) {
		const column = columnAt(event), y = event.clientY - picture.getBoundingClientRect().top;
		const task = tasks[Math.floor((y - HEIGHT) / ROW)];
		const sum = task === undefined ? all[column] : activity(within(task))[column];

		told.textContent = `${seconds(secondsAt(column))} s: ${task === undefined ? '' : file.name(task) + ' '}` +
			text.amountWithUnit(sum);
	}

	slider.addEventListener('pointerdown', (event) => {
		from = to = columnAt(event);
		slider.setPointerCapture(event.pointerId);
	});
	slider.addEventListener('pointermove', (event) => {
		tell(event);
		if (from < 0)
			return;
		to = columnAt(event);
		cover(dragged());
	});
	slider.addEventListener('pointerup', () => {
		if (from < 0)
			return;
		const again = from === to && shown && from >= shown[0] && from < shown[1];
		const columns = again ? null : dragged();

		from = -1;
		select(columns);
	});
	slider.addEventListener('pointercancel', () => {
		from = -1;
		cover(shown);
	});
	slider.addEventListener('pointerleave', () => {
		told.textContent = '';
	});

	/* ---- keyboard */

	function moved(by, extend) {
		const [first, end] = shown || (by > 0 ? [-1, 0] : [last, last + 1]), step = by * (extend ? 1 : Math.max(end - first, 1));

		if (extend)
			return [Math.min(first, last - 1), Math.min(Math.max(end + by, first + 1), last)];
		const start = Math.min(Math.max(first + step, 0), last - (end - first));

		return [start, start + (end - first)];
	}

	slider.addEventListener('keydown', (event) => {
		const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];

		if (!by && !(event.key === 'Escape' && shown))
			return;
		event.preventDefault();
		event.stopPropagation();
		select(by ? moved(by, event.shiftKey) : null);
	});

	return { box, show };
})();
