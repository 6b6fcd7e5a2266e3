/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The strip above the graph: activity over time, in total and by task. Dragging selects the time that is shown, or the time that
 * is compared with it.
 */
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
		return { box: html('div', { class: 'strip', hidden: '' }), show() {}, choose() {} };

	const all = activity(), most = Math.max(...all, 1);
	const tasks = tasksOf();
	const height = HEIGHT + tasks.length * ROW;
	const picture = svg('svg', { width: '100%', height, viewBox: `0 0 ${times.columns} ${height}`,
		preserveAspectRatio: 'none', 'aria-hidden': 'true' });
	const part = svg('path', { class: 'part' }), cover = svg('path', { class: 'cover' });
	const range = html('span', { class: 'range' }), told = html('span', { class: 'told' });
	const clear = dom.button('\u00d7', 'Show all of the time (Esc)', () => flametap.go({ time: '', compare: '' }, { moved: true }),
		{ 'aria-label': 'Show all of the time' });
	const comparing = dom.button('Compare', 'Select the part of the time to compare with (v, or drag with Shift)', () => choose());
	const slider = html('div', { class: 'axis', tabindex: '0', role: 'slider', 'aria-valuemin': 0, 'aria-valuemax': times.columns,
		'aria-label': 'Time: arrow keys move the selection, with Shift its end; v compares it with another' });
	/* below the picture, where the two parts are that are compared */
	const tags = ['before', 'after'].map((name) => html('span', { class: `tag ${name}` }, name));
	const ruler = html('div', { class: 'ruler', 'aria-hidden': 'true' }, ...tags);
	const box = html('div', { class: 'strip' }, html('div', { class: 'line' }, html('span', { class: 'head' }, 'Time'),
		range, clear, comparing, told), slider);
	let shown = { time: null, compare: null }; /* the columns of the parts, as [first, end] */
	let second = false, compared = ''; /* whether the second part is selected, and what it was when it was shown last */
	let partOf = ''; /* what the highlighted part was computed for */

	slider.append(picture, ruler);
	picture.append(svg('path', { class: 'all', d: bars(all) }), part, ...tasks.map(heatOf), cover);

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
	const last = times.columns, whole = [0, last];
	const words = ([first, end]) => `${seconds(secondsAt(first))} \u2013 ${seconds(secondsAt(end))} s`;
	const chosen = () => (second ? 'compare' : 'time');

	/* Selects COLUMNS, or nothing if they are null, as part WHICH: time, or what is compared with it. */
	function select(which, columns) {
		const isAll = !columns || (which === 'time' && columns[1] - columns[0] === last);

		second = which === 'compare' && !isAll;
		flametap.go({ [which]: isAll ? '' : rangeOf(columns) }, { moved: true });
	}

	/* Returns the part behind the columns that is as long or, if there is none, the part before them. */
	function nextTo([first, end]) {
		return end < last ? [end, Math.min(2 * end - first, last)] : [Math.max(2 * first - end, 0), first];
	}

	/*
	 * Begins to select the part to compare with, which at first is next to the selection; or ends the comparison. With BYKEY,
	 * the strip gets the keyboard focus.
	 */
	function choose(byKey) {
		second = !second;
		if (byKey)
			slider.focus({ preventScroll: true });
		if (second && shown.time)
			select('compare', nextTo(shown.time));
		else if (state.compare)
			select('compare', null);
		else
			mark(shown);
	}

	/* Covers what is in none of the parts. */
	function coverOthers({ time, compare }) {
		const parts = compare && !time ? [whole] : [time || whole, ...(compare ? [compare] : [])];
		let path = '', at = 0;

		for (const [first, end] of [...parts.sort((a, b) => a[0] - b[0]), [last, last]]) {
			if (first > at)
				path += `M${at} 0H${first}V${height}H${at}z`;
			at = Math.max(at, end);
		}
		cover.setAttribute('d', path);
	}

	/* Shows where the parts that are compared are. */
	function showTags({ time, compare }) {
		ruler.hidden = !compare;
		[time || whole, compare || whole].forEach(([first, end], at) => {
			tags[at].style.left = `${first / last * 100}%`;
			tags[at].style.width = `${(end - first) / last * 100}%`;
			tags[at].classList.toggle('late', first > last * 0.9);
		});
	}

	function describe({ time, compare }) {
		const all = `${seconds(last * times.length)} s`, hint = 'drag to select';

		if (compare)
			return `before: ${words(time || whole)}, after: ${words(compare)}, per second`;
		if (second)
			return `${all}; ${hint} the part to compare with all`;
		return time ? `${words(time)} of ${all}` : `${all}; ${hint}`;
	}

	/* Shows the parts that are or would be selected. */
	function mark(parts) {
		const own = parts[chosen()];

		coverOthers(parts);
		showTags(parts);
		range.textContent = describe(parts);
		clear.hidden = !parts.time && !parts.compare;
		comparing.setAttribute('aria-pressed', second);
		set(slider, { 'aria-valuenow': own ? own[0] : 0,
			'aria-valuetext': parts.time || parts.compare ? range.textContent : 'all of the time' });
	}

	function show() {
		if (state.compare !== compared)
			second = state.compare !== '';
		compared = state.compare;
		shown = { time: columnsOf(state.time), compare: columnsOf(state.compare) };
		mark(shown);
		showPart();
	}

	/* ---- pointer */

	let from = -1, to = -1, which = 'time'; /* columns of the selection that is being dragged, and the part that it is */

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
		which = event.shiftKey ? 'compare' : chosen();
		slider.setPointerCapture(event.pointerId);
	});
	/* Browsers select text or, in an SVG file with Shift, move the whole picture. */
	slider.addEventListener('mousedown', (event) => {
		event.preventDefault();
		slider.focus({ preventScroll: true });
	});
	slider.addEventListener('pointermove', (event) => {
		tell(event);
		if (from < 0)
			return;
		to = columnAt(event);
		mark({ ...shown, [which]: dragged() });
	});
	slider.addEventListener('pointerup', () => {
		if (from < 0)
			return;
		const own = shown[which], again = from === to && own && from >= own[0] && from < own[1];
		const columns = again ? null : dragged();

		from = -1;
		select(which, columns);
	});
	slider.addEventListener('pointercancel', () => {
		from = -1;
		mark(shown);
	});
	slider.addEventListener('pointerleave', () => {
		told.textContent = '';
	});

	/* ---- keyboard */

	function moved(by, extend) {
		const [first, end] = shown[chosen()] || (by > 0 ? [-1, 0] : [last, last + 1]), step = by * (extend ? 1 : Math.max(end - first, 1));

		if (extend)
			return [Math.min(first, last - 1), Math.min(Math.max(end + by, first + 1), last)];
		const start = Math.min(Math.max(first + step, 0), last - (end - first));

		return [start, start + (end - first)];
	}

	slider.addEventListener('keydown', (event) => {
		const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];

		if (!by && !(event.key === 'Escape' && (shown.time || second)))
			return;
		event.preventDefault();
		event.stopPropagation();
		select(chosen(), by ? moved(by, event.shiftKey) : null);
	});

	return { box, show, choose };
})();
