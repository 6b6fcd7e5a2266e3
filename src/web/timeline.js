/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A timeline: things that took time, each a row, and above them how many there were at each time. Selecting a part of the time
 * shows the rows of that part. All is read from the static picture.
 */
'use strict';
(() => {
	const { root, dom, page, axis } = flametap;
	const { html, svg, set, button } = dom;
	const COLUMNS = 200, HEIGHT = 40, TICK = 110; /* of the axis; px of its picture; px between marks above the rows, at least */
	const WIDE = 1000, BAR = 11, THIN = 5; /* units and px of the picture of a row */

	const timeOf = (element) => element.getAttribute('data-time').split(' ').map(Number); /* [from, to] in ms */
	const still = root.getElementById('static'), things = still.getAttribute('data-things');
	const kinds = [...root.querySelectorAll('#legend .kind')].map((kind) => {
		const [shade, thin] = kind.firstChild.getAttribute('class').split(' ');

		return { shade, thin: Boolean(thin), name: kind.textContent };
	});
	const rows = [...root.querySelectorAll('.row')].map((row) => ({
		name: row.getAttribute('data-name'),
		detail: row.firstChild.textContent,
		time: timeOf(row),
		bars: [...row.querySelectorAll('[data-time]')].map((bar) => ({
			time: timeOf(bar), shade: bar.getAttribute('class'), thin: Number(bar.getAttribute('height')) === THIN,
		})),
	}));

	if (!rows.length)
		return;

	const end = Math.max(...rows.map(({ time }) => time[1]), 1);
	const times = { begin: 0, length: end / 1000 / COLUMNS, columns: COLUMNS };
	const { columnsOf, rangeOf, secondsAt } = axis.scaleOf(times);
	const sums = running();
	const strip = axis.make({ times, height: HEIGHT, comparable: false, select: go,
		sumAt: (column) => `${sums[column].toLocaleString('en-US', { maximumFractionDigits: 1 })} ${things}` });
	const state = { time: '', order: '', compare: '' };

	/* Returns how many rows there were in each column, as a mean over its time. */
	function running() {
		const found = new Float64Array(COLUMNS), length = end / COLUMNS;

		for (const { time: [from, to] } of rows)
			for (let at = Math.floor(from / length); at < COLUMNS && at * length < to; at++)
				found[at] += (Math.min(to, (at + 1) * length) - Math.max(from, at * length)) / length;
		return found;
	}

	/* ---- rows */

	const ms = (time) => `${time.toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: time < 10 ? 3 : 1 })} ms`;
	const lengthOf = ([from, to]) => to - from;
	const kindOf = (bar) => kinds.find(({ shade, thin }) => shade === bar.shade && thin === bar.thin).name;

	/* Selects the columns of a time. */
	function zoomTo([from, to]) {
		const first = Math.min(Math.floor(from / end * COLUMNS), COLUMNS - 1);

		go({ time: rangeOf([first, Math.max(Math.ceil(to / end * COLUMNS), first + 1)]) });
	}

	/* Adds the elements of ROW. */
	function build(row) {
		const lines = [...row.detail.split('\n'), ...row.bars.map((bar) => `${kindOf(bar)}: ${ms(lengthOf(bar.time))}, at ${ms(bar.time[0])}`)];
		const detail = html('div', { class: 'detail', hidden: '' }, ...lines.map((line) => html('div', {}, line)),
			button('Select its time', 'Show only this part of the time', () => zoomTo(row.time)));
		const name = html('button', { type: 'button', class: 'name', 'aria-expanded': false }, row.name);

		name.addEventListener('click', () => {
			detail.hidden = !detail.hidden;
			name.setAttribute('aria-expanded', !detail.hidden);
		});
		row.picture = svg('svg', { width: '100%', height: BAR + THIN, viewBox: `0 0 ${WIDE} ${BAR + THIN}`,
			preserveAspectRatio: 'none', 'aria-hidden': 'true' });
		row.box = html('li', { title: lines.join('\n') }, name, html('div', { class: 'bars' }, row.picture),
			html('span', { class: 'length' }, ms(lengthOf(row.time))), detail);
	}

	/* Draws the bars of ROW between the times FROM and TO. */
	function draw(row, from, to) {
		const xOf = (time) => Math.min(Math.max((time - from) / (to - from), 0), 1) * WIDE;

		row.picture.replaceChildren(...row.bars.filter(({ time }) => time[0] < to && time[1] > from).map((bar) => {
			const x = xOf(bar.time[0]);

			return svg('rect', { class: bar.shade, x, y: bar.thin ? BAR : 0, width: Math.max(xOf(bar.time[1]) - x, 0.5),
				height: bar.thin ? THIN : BAR });
		}));
	}

	/* Returns 1, 2 or 5 times a power of ten that is at least TIME. */
	function niceStep(time) {
		const power = 10 ** Math.floor(Math.log10(time));

		return [1, 2, 5].map((factor) => factor * power).find((step) => step >= time) || 10 * power;
	}

	/* Returns the marks of the time axis between FROM and TO. */
	function ticksOf(from, to) {
		const step = niceStep((to - from) * TICK / Math.max(ticks.clientWidth, TICK)), unit = step >= 1000 ? 1000 : 1, found = [];

		for (let at = Math.ceil(from / step); at * step <= to; at++) {
			const share = (at * step - from) / (to - from);
			const tick = html('span', { class: share > 0.95 ? 'tick late' : 'tick' },
				`${Number((at * step / unit).toFixed(6))} ${unit > 1 ? 's' : 'ms'}`);

			tick.style.left = `${share * 100}%`;
			found.push(tick);
		}
		return found;
	}

	/* ---- page */

	const title = html('h1', { class: 'title' }, root.getElementById('title').textContent);
	const found = html('span', { class: 'account', role: 'status' });
	const order = button('Slowest first', 'The slowest first, instead of by their begin (w)', () => turn());
	const theme = button('Theme', 'Light or dark (d)', page.theme);
	const ticks = html('div', { class: 'ticks', 'aria-hidden': 'true' });
	const list = html('ol', { 'aria-label': things });

	function legend() {
		const entries = kinds.map(({ shade, thin, name }) => {
			const swatch = svg('svg', { class: 'swatch', width: 12, height: BAR, 'aria-hidden': 'true' });

			swatch.append(svg('rect', { class: shade, width: 12, y: thin ? BAR - THIN : 0, height: thin ? THIN : BAR }));
			return html('span', { class: 'step' }, swatch, name);
		});

		return html('div', { class: 'legend' }, html('span', { class: 'head' }, 'Parts'), html('div', { class: 'entries' }, ...entries));
	}

	function turn() {
		go({ order: state.order ? '' : 'length' });
	}

	function show() {
		const [first, last] = columnsOf(state.time) || [0, COLUMNS], from = secondsAt(first) * 1000, to = secondsAt(last) * 1000;
		const shown = rows.filter(({ time }) => time[0] < to && time[1] > from);
		const byLength = (a, b) => lengthOf(b.time) - lengthOf(a.time);

		strip.show(state);
		for (const row of shown)
			draw(row, from, to);
		ticks.replaceChildren(...ticksOf(from, to));
		list.replaceChildren(...(state.order ? [...shown].sort(byLength) : shown).map(({ box }) => box));
		order.setAttribute('aria-pressed', state.order !== '');
		found.textContent = shown.length < rows.length ? `${shown.length} of ${rows.length} ${things}` : `${rows.length} ${things}`;
	}

	function go(change) {
		const params = new URLSearchParams();

		Object.assign(state, change);
		for (const name of ['time', 'order'])
			if (state[name])
				params.set(name, state[name]);
		location.hash = params.toString();
		show();
	}

	function load() {
		const params = new URLSearchParams(location.hash.slice(1));

		state.time = params.get('time') || '';
		state.order = params.get('order') === 'length' ? 'length' : '';
		show();
	}

	/* Moves the keyboard focus to the row BY rows further down. */
	function move(by) {
		const names = [...list.querySelectorAll('.name')], at = names.indexOf(document.activeElement);
		const to = names[at < 0 ? (by > 0 ? 0 : names.length - 1) : at + by];

		if (to)
			to.focus();
	}

	const keys = { w: turn, d: page.theme, Escape: () => state.time && go({ time: '' }), ArrowDown: () => move(1), ArrowUp: () => move(-1) };

	function onKey(event) {
		if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key))
			return;
		keys[event.key]();
		event.preventDefault();
	}

	/* On paper, there is the static picture. */
	function print(on) {
		root.classList.toggle('printing', on);
		if (on)
			set(root, { viewBox: box, preserveAspectRatio: 'xMidYMin' });
		else
			root.removeAttribute('viewBox');
	}

	const box = root.getAttribute('viewBox');

	rows.forEach(build);
	strip.paint(svg('path', { class: 'all', d: axis.bars(sums, Math.max(...sums, 1), HEIGHT) }));
	page.begin(html('div', { class: 'app' },
		html('div', { class: 'bar' }, html('div', { class: 'line heading' }, title, found, html('div', { class: 'group panels' }, order, theme))),
		strip.box, legend(), html('div', { class: 'rows' }, ticks, list)));
	window.addEventListener('keydown', onKey);
	window.addEventListener('hashchange', load);
	window.addEventListener('resize', dom.calmly(show));
	for (const type of ['beforeprint', 'afterprint'])
		window.addEventListener(type, () => print(type === 'beforeprint'));
	load();
})();
