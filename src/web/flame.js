/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws the call tree of tree.js and lets the reader zoom and search. Names come from the profiled
 * program: they are only ever set as textContent.
 */
'use strict';
(() => {
	const SVG = 'http://www.w3.org/2000/svg';
	const HTML = 'http://www.w3.org/1999/xhtml';
	const ROW = 17, PAD = 10; /* px */
	const NARROWEST = 0.5; /* px; narrower frames are not drawn until zoom makes them wider */
	const NARROW = 3; /* px; narrower frames of a row share one element for each colour */
	const KINDS = {
		u: '', k: 'kernel', i: 'inlined', j: 'jit', w: 'waker',
		p: 'perl', l: 'lua', t: 'task', n: 'note', r: '',
	};

	const svg = document.currentScript.ownerSVGElement;
	const tree = flametapTree;
	const { unit, scale, inverted, frames, totalOf, nameOf, styleOf } = tree;

	function percent(part, whole) {
		return (whole ? Math.round(part * 10000 / whole) / 100 : 0).toFixed(2) + ' %';
	}

	function amount(weight) {
		return (scale > 1 ? '\u2248 ' : '') + (weight * scale).toLocaleString('en-US');
	}

	function titleOf(i) {
		return `${nameOf(i)} (${amount(totalOf(i))} ${unit}, ${percent(totalOf(i), totalOf(0))})`;
	}

	/* ---- what is shown */

	const view = { zoom: 0, search: '', ignoreCase: false };
	const hit = new Uint8Array(frames.name.length); /* frames that the search found */
	let searchError = '';
	let linkLost = false; /* the link's frame is not in this profile */
	let focus = -1; /* node the keyboard is at */

	function search() {
		let pattern = null;

		hit.fill(0);
		searchError = '';
		try {
			if (view.search)
				pattern = new RegExp(view.search, view.ignoreCase ? 'i' : '');
		} catch (e) {
			searchError = e.message;
		}
		for (let f = 0; pattern && f < hit.length - 1; f++)
			hit[f] = pattern.test(frames.name[f]) ? 1 : 0;
	}

	/* ---- the address: #zoom=HASH&search=REGEX&ignorecase=1 */

	function viewToAddress() {
		const params = new URLSearchParams();

		if (view.zoom)
			params.set('zoom', tree.linkOf(view.zoom));
		if (view.search)
			params.set('search', view.search);
		if (view.search && view.ignoreCase)
			params.set('ignorecase', '1');
		return params.toString();
	}

	let address = ''; /* what the view is, as far as the address bar knows */

	function addressToView() {
		address = location.hash.slice(1);
		const params = new URLSearchParams(address);
		const zoom = params.get('zoom') ? tree.nodeOfLink(params.get('zoom')) : 0;

		linkLost = zoom < 0;
		view.zoom = Math.max(zoom, 0);
		view.search = params.get('search') || '';
		view.ignoreCase = params.get('ignorecase') === '1';
	}

	/* Changes the view; the way back leads to the one before unless REPLACE. */
	function go(change, replace) {
		Object.assign(view, change);
		linkLost = false;
		address = viewToAddress();
		if (replace && location.protocol !== 'about:')
			history.replaceState(null, '', '#' + address);
		else if (address !== location.hash.slice(1))
			location.hash = address;
		show();
	}

	/* ---- elements */

	function svgElement(name, attributes) {
		const e = document.createElementNS(SVG, name);

		for (const key of Object.keys(attributes))
			e.setAttribute(key, attributes[key]);
		return e;
	}

	function htmlElement(name, attributes, ...children) {
		const e = document.createElementNS(HTML, name);

		for (const key of Object.keys(attributes))
			e.setAttribute(key, attributes[key]);
		e.append(...children);
		return e;
	}

	const layer = svg.getElementById('frames');
	const ring = svgElement('rect', { class: 'ring', height: ROW - 1 }); /* keyboard */
	const halo = svgElement('rect', { class: 'halo', height: ROW - 1 }); /* pointer */
	const tip = svgElement('title', {});
	const bar = makeBar();
	const sheet = svgElement('foreignObject', { x: 0, y: 0, width: '100%', height: 100 });

	/* Takes a line of the static head into the bar. */
	function takeLine(id) {
		const line = svg.getElementById(id);

		if (!line)
			return [];
		line.remove();
		return [htmlElement('span', { class: id }, id === 'title'
			? svg.getElementsByTagNameNS(SVG, 'title')[0].textContent : line.textContent)];
	}

	function makeBar() {
		const b = {
			input: htmlElement('input', { type: 'search', placeholder: 'Search (regex)',
				'aria-label': 'Search frames by regular expression',
				autocomplete: 'off', spellcheck: 'false' }),
			ignoreCase: htmlElement('input', { type: 'checkbox' }),
			reset: htmlElement('button', { type: 'button', title: 'Esc' }, 'Reset zoom'),
			found: htmlElement('span', { class: 'found', role: 'status' }),
			name: htmlElement('span', { class: 'name' }),
			origin: htmlElement('span', { class: 'origin' }),
			numbers: htmlElement('span', { class: 'numbers' }),
		};

		b.box = htmlElement('div', { class: 'bar' },
			htmlElement('div', { class: 'line' }, ...takeLine('title'),
				...takeLine('subtitle'), ...takeLine('account')),
			htmlElement('div', { class: 'line tools' }, b.input,
				htmlElement('label', {}, b.ignoreCase, 'Ignore case'), b.reset, b.found),
			htmlElement('div', { class: 'line info', 'aria-live': 'polite' },
				b.name, b.origin, b.numbers));
		return b;
	}

	/* ---- labels */

	const charWidth = (() => {
		const pen = document.createElementNS(HTML, 'canvas').getContext('2d');
		const known = new Map();

		pen.font = labelFont();
		return (c) => {
			if (!known.has(c))
				known.set(c, pen.measureText(c).width);
			return known.get(c);
		};
	})();

	function labelFont() {
		const probe = svgElement('text', {});

		layer.append(probe);
		const style = getComputedStyle(probe), font = `${style.fontSize} ${style.fontFamily}`;
		probe.remove();
		return font;
	}

	/* As much of NAME as fits into PX; nothing if that would be less than three characters of it. */
	function fit(name, px) {
		const dots = charWidth('\u2026');
		let used = 0, cut = 0, at = 0;

		for (const c of name) {
			used += charWidth(c);
			if (used > px)
				return cut > 2 ? name.slice(0, cut) + '\u2026' : '';
			at += c.length;
			if (used + dots <= px)
				cut = at;
		}
		return name;
	}

	/* ---- drawing */

	let width = 0; /* px of the zoomed frame */
	let levels = [[0]]; /* by depth: the nodes that are drawn, from left to right */
	let height = 1; /* levels that there is room for */
	let top = 0; /* y of the frames' area */
	let drawn = [0, 0]; /* depths whose elements exist */
	let pointed = -1; /* node that the pointer is at */
	let printing = false;

	/* Collects the frames of the zoomed one's path and below, as far as they are wide enough. */
	function layout() {
		const least = Math.max(totalOf(view.zoom) * NARROWEST / width, Number.MIN_VALUE);
		const last = tree.end[view.zoom];

		levels = [];
		for (let i = view.zoom; i; i = tree.parent[i])
			levels[tree.depth[i]] = [i];
		levels[0] = [0];
		for (let i = view.zoom + 1; i < last;) {
			if (totalOf(i) < least) {
				i = tree.end[i];
				continue;
			}
			(levels[tree.depth[i]] = levels[tree.depth[i]] || []).push(i++);
		}
		height = view.zoom ? Math.max(height, levels.length) : levels.length;
	}

	function widthOf(i) {
		return tree.depth[i] <= tree.depth[view.zoom] ? width
			: totalOf(i) / totalOf(view.zoom) * width;
	}

	function leftOf(i) {
		return PAD + (tree.depth[i] <= tree.depth[view.zoom] ? 0
			: (tree.start[i] - tree.start[view.zoom]) / totalOf(view.zoom) * width);
	}

	const yOf = (depth) => top + (inverted ? depth : height - 1 - depth) * ROW;

	/* The depths that lie between two y, as [first, behind the last]. */
	function depthsBetween(y0, y1) {
		let first = Math.floor((y0 - top) / ROW), end = Math.ceil((y1 - top) / ROW);

		if (!inverted)
			[first, end] = [height - end, height - first];
		return [Math.max(first, 0), Math.min(end, levels.length)];
	}

	/* What the window shows of the file, as y from and to. */
	function windowRange() {
		const from = -svg.getBoundingClientRect().top;

		return [from, from + window.innerHeight];
	}

	const markOf = (i) => (hit[tree.frame[i]] ? ' m' : '') + (i < view.zoom ? ' up' : '');

	function drawFrame(i, into) {
		const x = leftOf(i), px = widthOf(i), y = yOf(tree.depth[i]), mark = markOf(i);
		const label = px > 15 ? fit(nameOf(i), px - 7) : '';

		into.append(svgElement('rect', {
			class: styleOf(i) + mark,
			x: x.toFixed(1),
			y,
			width: (px - 0.8).toFixed(1),
			height: ROW - 1,
		}));
		if (!label)
			return;
		const text = svgElement('text', { class: mark, x: (x + 3).toFixed(1), y: y + 12 });
		text.textContent = label;
		into.append(text);
	}

	function drawRow(row, into) {
		const narrow = new Map(); /* class to path */

		for (const i of row) {
			const px = widthOf(i);

			if (px >= NARROW) {
				drawFrame(i, into);
				continue;
			}
			const style = styleOf(i) + markOf(i);
			const path = `M${leftOf(i).toFixed(1)} ${yOf(tree.depth[i])}` +
				`h${px.toFixed(1)}v${ROW - 1}h-${px.toFixed(1)}z`;
			narrow.set(style, (narrow.get(style) || '') + path);
		}
		for (const [style, path] of narrow)
			into.append(svgElement('path', { class: style, d: path }));
	}

	/* Makes the elements of what the window shows, and as much again above and below together. */
	function draw() {
		const [from, to] = windowRange(), more = (to - from) / 2;
		const [first, end] = printing ? [0, levels.length] : depthsBetween(from - more, to + more);
		const into = document.createDocumentFragment();

		for (const row of levels.slice(first, end))
			drawRow(row, into);
		layer.textContent = '';
		layer.append(tip, into);
		drawn = [first, end];
		drawRing(ring, focus);
		drawRing(halo, -1);
		pointed = -1;
	}

	const isShown = (i) => i >= 0 && (levels[tree.depth[i]] || []).includes(i);

	function drawRing(rect, i) {
		const there = isShown(i);

		rect.setAttribute('visibility', there ? 'visible' : 'hidden');
		if (!there)
			return;
		rect.setAttribute('x', leftOf(i).toFixed(1));
		rect.setAttribute('y', yOf(tree.depth[i]));
		rect.setAttribute('width', Math.max(widthOf(i) - 0.8, 1).toFixed(1));
	}

	/* The frame that is drawn where the pointer is, -1: none. */
	function nodeAt(event) {
		const box = svg.getBoundingClientRect();
		const x = event.clientX - box.left, line = Math.floor((event.clientY - box.top - top) / ROW);
		const row = levels[inverted ? line : height - 1 - line] || [];
		let first = 0, end = row.length; /* the last that begins at x or left of it */

		while (end - first > 1) {
			const middle = first + end >>> 1;

			if (leftOf(row[middle]) <= x)
				first = middle;
			else
				end = middle;
		}
		return end && x < leftOf(row[first]) + Math.max(widthOf(row[first]), 1) ? row[first] : -1;
	}

	/* Keeps the bar in sight and has elements for what came into sight. */
	function scrolled() {
		const [from, to] = windowRange();
		const [first, end] = depthsBetween(from, to);

		sheet.setAttribute('y', Math.max(from, 0));
		if (first < drawn[0] || end > drawn[1])
			draw();
	}

	/* Scrolls the document so that frame I is in sight. */
	function reveal(i) {
		const y = yOf(tree.depth[i]), [from, to] = windowRange();

		if (y < from + top)
			window.scrollBy(0, y - from - top);
		else if (y + ROW > to)
			window.scrollBy(0, y + ROW + PAD - to);
	}

	function describe(i) {
		const total = totalOf(i);
		const origin = [frames.module[tree.frame[i]], KINDS[styleOf(i)[0]]];
		let numbers = `${amount(total)} ${unit} (${percent(total, totalOf(0))})`;

		numbers += `, self ${amount(tree.selfOf(i))} (${percent(tree.selfOf(i), totalOf(0))})`;
		if (view.zoom && i > view.zoom)
			numbers += `, ${percent(total, totalOf(view.zoom))} of zoom`;
		bar.name.textContent = nameOf(i);
		bar.origin.textContent = origin.filter((s) => s && s !== '[kernel]').join(', ');
		bar.numbers.textContent = numbers;
	}

	function describeFound() {
		let text = linkLost ? 'The frame of this link is not in this profile' : '';

		if (searchError)
			text = searchError;
		else if (view.search)
			text = `Matched ${percent(tree.matchedIn(0, hit), totalOf(0))}`;
		if (view.search && view.zoom && !searchError)
			text += ` (of zoom: ${percent(tree.matchedIn(view.zoom, hit), totalOf(view.zoom))})`;
		bar.found.textContent = text;
		bar.found.classList.toggle('wrong', searchError !== '' || linkLost);
		bar.input.setAttribute('aria-invalid', searchError !== '');
	}

	/* Sizes depend on each other: the bar's height on the width, the width on the scroll bar. */
	function resize() {
		for (let turn = 0; turn < 2; turn++) {
			const all = Math.max(svg.clientWidth || window.innerWidth, 10 * PAD);

			width = all - 2 * PAD;
			bar.box.classList.toggle('narrow', all < 700);
			top = Math.ceil(bar.box.getBoundingClientRect().height);
			layout();
			sheet.setAttribute('height', top);
			svg.setAttribute('height', top + height * ROW + PAD);
			if (svg.clientWidth === all)
				break;
		}
	}

	/* Draws the view anew. The root's row stays where it is in the window. */
	function show() {
		const before = yOf(0);

		search();
		if (bar.input.value !== view.search)
			bar.input.value = view.search;
		bar.ignoreCase.checked = view.ignoreCase;
		bar.reset.disabled = !view.zoom;
		describeFound();
		describe(focus < 0 ? view.zoom : focus);
		resize();
		if (yOf(0) !== before)
			window.scrollBy(0, yOf(0) - before);
		if (view.zoom)
			reveal(view.zoom);
		draw();
		scrolled();
	}

	/* ---- events */

	function zoomTo(i) {
		if (i !== view.zoom)
			go({ zoom: i });
	}

	function focusOn(i) {
		focus = i;
		describe(i < 0 ? view.zoom : i);
		if (i >= 0)
			reveal(i);
		scrolled();
		drawRing(ring, focus);
	}

	function neighbour(step) {
		const row = levels[tree.depth[focus]];

		return row[row.indexOf(focus) + step];
	}

	function widestChild() {
		let widest = -1;

		for (const i of levels[tree.depth[focus] + 1] || [])
			if (tree.parent[i] === focus && (widest < 0 || totalOf(i) > totalOf(widest)))
				widest = i;
		return widest;
	}

	function moveFocus(key) {
		const there = isShown(focus);
		let to = view.zoom;

		if (there && key === 'ArrowLeft')
			to = neighbour(-1);
		else if (there && key === 'ArrowRight')
			to = neighbour(1);
		else if (there && (key === 'ArrowUp') !== inverted)
			to = widestChild();
		else if (there)
			to = focus ? tree.parent[focus] : -1;
		if (to >= 0)
			focusOn(to);
	}

	function escape() {
		if (document.activeElement === bar.input) {
			go({ search: '' });
			bar.input.blur();
		} else if (view.zoom) {
			zoomTo(0);
		} else if (view.search) {
			go({ search: '' });
		} else {
			focusOn(-1);
		}
	}

	function key(event) {
		const typing = document.activeElement === bar.input;
		const find = event.key === 'f' && (event.ctrlKey || event.metaKey);

		if (!typing && (find || event.key === '/')) {
			bar.input.focus();
			bar.input.select();
		} else if (event.key === 'Escape') {
			escape();
		} else if (typing || event.ctrlKey || event.metaKey || event.altKey) {
			return;
		} else if (/^Arrow(Up|Down|Left|Right)$/.test(event.key)) {
			moveFocus(event.key);
		} else if (event.key === 'Enter' && focus >= 0 && document.activeElement !== bar.reset) {
			zoomTo(focus);
		} else {
			return;
		}
		event.preventDefault();
	}

	function point(i) {
		const told = i >= 0 ? i : focus >= 0 ? focus : view.zoom;

		if (i === pointed)
			return;
		pointed = i;
		describe(told);
		tip.textContent = i >= 0 ? titleOf(i) : '';
		drawRing(halo, i);
	}

	function onSearch() {
		let typing = false; /* one step of the history for one word typed */

		bar.input.addEventListener('input', () => {
			go({ search: bar.input.value }, typing);
			typing = true;
		});
		for (const type of ['change', 'blur'])
			bar.input.addEventListener(type, () => {
				typing = false;
			});
		bar.ignoreCase.addEventListener('change',
			() => go({ ignoreCase: bar.ignoreCase.checked }));
	}

	/* At most once a picture. */
	function calmly(action) {
		let waiting = false;

		return () => {
			if (!waiting)
				requestAnimationFrame(() => {
					waiting = false;
					action();
				});
			waiting = true;
		};
	}

	function listen() {
		layer.addEventListener('click', (event) => {
			const i = nodeAt(event);

			focus = -1;
			if (i >= 0)
				zoomTo(i);
		});
		layer.addEventListener('pointermove', (event) => point(nodeAt(event)));
		layer.addEventListener('pointerleave', () => point(-1));
		bar.reset.addEventListener('click', () => zoomTo(0));
		onSearch();
		window.addEventListener('keydown', key);
		window.addEventListener('scroll', calmly(scrolled), { passive: true });
		window.addEventListener('resize', calmly(show));
		window.addEventListener('hashchange', () => {
			if (location.hash.slice(1) !== address) {
				addressToView();
				show();
			}
		});
		for (const type of ['beforeprint', 'afterprint'])
			window.addEventListener(type, () => {
				printing = type === 'beforeprint';
				draw();
			});
	}

	function begin() {
		const alone = document.documentElement === svg;

		svg.removeAttribute('viewBox');
		svg.setAttribute('width', '100%');
		if (alone)
			svg.prepend(htmlElement('meta',
				{ name: 'viewport', content: 'width=device-width, initial-scale=1' }));
		sheet.append(bar.box);
		svg.append(ring, halo, sheet);
		layer.setAttribute('tabindex', '0');
		layer.setAttribute('role', 'group');
		layer.setAttribute('aria-label', 'Flame graph: arrow keys move, Enter zooms, ' +
			'Escape resets, slash searches');
		listen();
		addressToView();
		layer.textContent = '';
		history.scrollRestoration = 'manual';
		show();
		if (alone && !inverted && !view.zoom) {
			window.scrollTo(0, svg.getBoundingClientRect().height);
			scrolled();
		}
	}

	begin();
})();
