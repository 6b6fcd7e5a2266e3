/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A time axis on which a part of the time is selected, and another part to compare with it: by dragging, touch and keys. */
'use strict';
flametap.axis = (() => {
	const { html, svg, set, button } = flametap.dom;

	/* Returns conversions for TIMES, which has columns of length seconds each, the first one from begin on; or null without. */
	function scaleOf(times) {
		/* Returns the columns of a range FROM-TO in seconds as [first, end], or null if it is not a range with columns. */
		function columnsOf(range) {
			const [from, to] = range.split('-').map(Number);
			const column = (time) => Math.round((time - times.begin) / times.length);

			if (!times || !(from < to))
				return null;
			const first = Math.max(column(from), 0), end = Math.min(column(to), times.columns);

			return first < end ? [first, end] : null;
		}

		const secondsAt = (column) => times.begin + column * times.length;

		/* Returns columns [first, end] as a range in seconds. */
		const rangeOf = ([first, end]) => [first, end].map((at) => String(Number(secondsAt(at).toFixed(6)))).join('-');

		return { columnsOf, rangeOf, secondsAt };
	}

	/*
	 * Returns an axis of TIMES with an empty picture of HEIGHT px, in which a column is 1 wide. select() is called with the
	 * change of the state, time and, if the axis is COMPARABLE, compare. sumAt(column, y) returns what to say of a position.
	 * CAPTIONS are elements to the left of the picture, and captionAt(element) returns what to say of one of them. BUTTONS are
	 * beside what the axis says of its selection.
	 */
	function make({ times, height, comparable, select: go, sumAt, captions = [], captionAt, buttons = [] }) {
		const { columnsOf, rangeOf, secondsAt } = scaleOf(times);
		const picture = svg('svg', { width: '100%', height, viewBox: `0 0 ${times.columns} ${height}`,
			preserveAspectRatio: 'none', 'aria-hidden': 'true' });
		const cover = svg('path', { class: 'cover' });
		const range = html('span', { class: 'range' }), told = html('span', { class: 'told' });
		const clear = button('\u00d7', 'Show all of the time (Esc)', () => go({ time: '', compare: '' }),
			{ 'aria-label': 'Show all of the time' });
		const comparing = button('Compare', 'Select the part of the time to compare with (v, or drag with Shift)', () => choose());
		const slider = html('div', { class: 'axis', tabindex: '0', role: 'slider', 'aria-valuemin': 0, 'aria-valuemax': times.columns,
			'aria-label': 'Time: arrow keys move the selection, with Shift its end' + (comparable ? '; v compares it with another' : '') });
		/* below the picture, where the two parts are that are compared */
		const tags = ['before', 'after'].map((name) => html('span', { class: `tag ${name}` }, name));
		const ruler = html('div', { class: 'ruler', 'aria-hidden': 'true' }, ...tags);
		const names = html('div', { class: 'names' }, ...captions);
		const box = html('div', { class: 'strip' }, html('div', { class: 'line' }, html('span', { class: 'head' }, 'Time'),
			range, clear, comparing, ...buttons, told), html('div', { class: 'sides' }, names, slider));
		let shown = { time: null, compare: null }; /* the columns of the parts, as [first, end] */
		let second = false, compared = ''; /* whether the second part is selected, and what it was when it was shown last */

		names.hidden = !captions.length;
		slider.append(picture, ruler);

		/* ---- the selection */

		const seconds = (time) => time.toLocaleString('en-US', { maximumFractionDigits: times.length < 0.1 ? 3 : 2 });
		const last = times.columns, whole = [0, last];
		const words = ([first, end]) => `${seconds(secondsAt(first))} \u2013 ${seconds(secondsAt(end))} s`;
		const chosen = () => (second ? 'compare' : 'time');

		/* Selects COLUMNS, or nothing if they are null, as part WHICH: time, or what is compared with it. */
		function select(which, columns) {
			const isAll = !columns || (which === 'time' && columns[1] - columns[0] === last);

			second = which === 'compare' && !isAll;
			go({ [which]: isAll ? '' : rangeOf(columns) });
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
			else if (compared)
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
			comparing.hidden = !comparable;
			comparing.setAttribute('aria-pressed', second);
			set(slider, { 'aria-valuenow': own ? own[0] : 0,
				'aria-valuetext': parts.time || parts.compare ? range.textContent : 'all of the time' });
		}

		/* Shows the parts that STATE selects. */
		function show(state) {
			if (state.compare !== compared)
				second = state.compare !== '';
			compared = state.compare;
			shown = { time: columnsOf(state.time), compare: columnsOf(state.compare) };
			mark(shown);
		}

		/* ---- pointer */

		let from = -1, to = -1, which = 'time'; /* columns of the selection that is being dragged, and the part that it is */

		function columnAt(event) {
			const { left, width } = picture.getBoundingClientRect();

			return Math.min(Math.max(Math.floor((event.clientX - left) / width * last), 0), last - 1);
		}

		const dragged = () => [Math.min(from, to), Math.max(from, to) + 1];

		function tell(event) {
			const column = columnAt(event), y = event.clientY - picture.getBoundingClientRect().top;

			told.textContent = `${seconds(secondsAt(column))} s: ${sumAt(column, y)}`;
		}

		slider.addEventListener('pointerdown', (event) => {
			from = to = columnAt(event);
			which = event.shiftKey && comparable ? 'compare' : chosen();
			slider.setPointerCapture(event.pointerId);
		});
		/* Browsers select text or, in an SVG file with Shift, move the whole picture. */
		slider.addEventListener('mousedown', (event) => {
			event.preventDefault();
			slider.focus({ preventScroll: true });
		});
		slider.addEventListener('pointermove', (event) => {
			if (from < 0) {
				tell(event);
				return;
			}
			told.textContent = '';
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
		/* A finger leaves when it is lifted; what it has touched is told until something else is. */
		for (const caption of captions) {
			caption.addEventListener('pointerenter', () => {
				told.textContent = captionAt(caption);
			});
			caption.addEventListener('pointerleave', (event) => {
				if (event.pointerType !== 'touch')
					told.textContent = '';
			});
		}

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

		/* Adds ELEMENTS to the picture, below what covers the parts that are not selected. */
		const paint = (...elements) => picture.append(...elements, cover);

		return { box, paint, show, choose };
	}

	/* Returns the bars of SUMS, of which MOST is as high as HEIGHT px, as a path. */
	function bars(sums, most, height) {
		let path = '';

		sums.forEach((sum, at) => {
			const high = sum / most * (height - 2);

			if (sum)
				path += `M${at} ${height}v${(-high).toFixed(2)}h1V${height}z`;
		});
		return path;
	}

	return { scaleOf, make, bars };
})();
