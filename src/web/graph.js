/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws the visible part of a tree. Other parts have no elements. */
'use strict';
flametap.graph = (() => {
	const { dom, text } = flametap;
	const { state } = flametap.state;
	const coarse = matchMedia('(pointer: coarse)').matches;
	const ROW_MIN = coarse ? 25 : 18, ROW_MORE = 8, PAD = 10; /* px */
	const NARROWEST = 0.5; /* px; narrower frames are not drawn */
	const NARROW = 3; /* px; narrower frames of a row share one element for each colour */

	const layer = flametap.root.getElementById('frames');
	const ring = dom.svg('rect', { class: 'ring' }); /* around the frame with the keyboard focus */
	const halo = dom.svg('rect', { class: 'halo' }); /* around the frame under the pointer */
	const picture = dom.svg('svg', { class: 'graph', width: '100%' });
	const scroller = dom.html('div', { class: 'scroller' }, picture);

	let tree, zoom = 0, mark, dimmed; /* what is drawn; whether frames without mark fade */
	let width = 0; /* width of the zoomed frame in px */
	let levels = [[0]]; /* by depth: the drawn nodes, from left to right */
	let rests = []; /* by depth: { from, to } of adjacent nodes too narrow to be drawn */
	let height = 1; /* in levels */
	let ROW = ROW_MIN; /* px; more if the window has room */
	let drawn = [0, 0]; /* depths whose elements exist */
	let fromRoot = 0; /* px scrolled away from the root */
	let printing = false;

	picture.append(layer, ring, halo);

	/* ---- labels */

	const charWidth = (() => {
		const pen = document.createElementNS('http://www.w3.org/1999/xhtml', 'canvas').getContext('2d');
		const known = new Map();

		return (c) => {
			if (!known.size) {
				const style = getComputedStyle(layer);

				pen.font = `${style.fontSize} ${style.fontFamily}`;
			}
			if (!known.has(c))
				known.set(c, pen.measureText(c).width);
			return known.get(c);
		};
	})();

	/* Whether NAME is a path, perhaps with a line, whose end says more than its beginning. */
	const isPath = (name) => /^\.{0,2}\/[^ ()<]*$/.test(name);

	/* Works like fit(), for paths: the beginning is left out. */
	function fitEnd(name, px) {
		const letters = [...name];
		let used = charWidth('\u2026'), at = letters.length;

		while (at && used + charWidth(letters[at - 1]) <= px)
			used += charWidth(letters[--at]);
		return letters.length - at > 2 ? '\u2026' + letters.slice(at).join('') : '';
	}

	/* Returns NAME truncated to PX, or an empty string if fewer than three characters fit. */
	function fit(name, px) {
		const dots = charWidth('\u2026');
		let used = 0, cut = 0, at = 0;

		for (const c of name) {
			used += charWidth(c);
			if (used > px && isPath(name))
				return fitEnd(name, px);
			if (used > px)
				return cut > 2 ? name.slice(0, cut) + '\u2026' : '';
			at += c.length;
			if (used + dots <= px)
				cut = at;
		}
		return name;
	}

	/* ---- positions */

	/* Returns the smallest share of the zoomed frame that is drawn. */
	const leastShare = () => NARROWEST / Math.max(width, 1);

	/* Collects the frames on the path of the zoomed frame, and the frames below it that are wide enough. */
	function layout() {
		const least = Math.max(tree.total(zoom) * leastShare(), Number.MIN_VALUE);
		const last = tree.end[zoom];

		levels = [];
		rests = [];
		for (let i = zoom; i; i = tree.parent[i])
			levels[tree.depth[i]] = [i];
		levels[0] = [0];
		for (let i = zoom + 1; i < last;) {
			if (tree.isColour(i)) {
				i++;
				continue;
			}
			if (tree.total(i) < least) {
				addRest(i);
				i = tree.end[i];
				continue;
			}
			(levels[tree.depth[i]] = levels[tree.depth[i]] || []).push(i++);
		}
		height = zoom ? Math.max(height, levels.length) : levels.length;
	}

	function addRest(i) {
		const list = rests[tree.depth[i]] = rests[tree.depth[i]] || [];
		const last = list[list.length - 1], from = tree.start[i], to = from + tree.total(i);

		if (last && from - last.to < tree.total(zoom) * leastShare() / 100)
			last.to = to;
		else
			list.push({ from, to });
	}

	function widthOf(i) {
		return tree.depth[i] <= tree.depth[zoom] ? width : tree.total(i) / tree.total(zoom) * width;
	}

	const placeOf = (weight) => PAD + (weight - tree.start[zoom]) / tree.total(zoom) * width;
	const leftOf = (i) => (tree.depth[i] <= tree.depth[zoom] ? PAD : placeOf(tree.start[i]));
	const yOf = (depth) => (state.icicle ? depth : height - 1 - depth) * ROW;

	/* Returns the depths between two values of y, as [first, last + 1]. */
	function depthsBetween(y0, y1) {
		let first = Math.floor(y0 / ROW), end = Math.ceil(y1 / ROW);

		if (!state.icicle)
			[first, end] = [height - end, height - first];
		return [Math.max(first, 0), Math.min(end, levels.length)];
	}

	/* Returns the visible range of y. */
	const windowRange = () => [scroller.scrollTop, scroller.scrollTop + scroller.clientHeight];

	/* ---- drawing */

	const box = (style, x, y, px) => dom.svg('rect', {
		class: style,
		x: x.toFixed(1),
		y,
		width: px.toFixed(1),
		height: ROW - 1,
		rx: px > 8 ? 1.5 : 0,
	});

	/* Draws the part of a frame that no callee covers, if its weight changed in another way. */
	function drawOwn(i, y, marked, into) {
		const style = tree.depth[i] > tree.depth[zoom] || i === zoom ? text.ownStyleOf(tree, i) : '';
		const px = tree.self(i) / tree.total(zoom) * width;

		if (style && px >= NARROWEST)
			into.append(box(style + marked, leftOf(i), y, px));
	}

	/* Colours the parts of a frame that have waited in one state each. Returns whether most of it is marked by its state. */
	function drawStates(i, y, into) {
		let isMarked = false;

		for (const c of tree.coloursOf(i)) {
			const px = tree.total(c) / tree.total(zoom) * width;

			isMarked = isMarked || (mark[c] && 2 * tree.total(c) > tree.total(i));
			if (px >= NARROWEST && (mark[c] || text.hasStateColours()))
				into.append(box(text.stateStyle(tree.frame[c]) + markOf(c), placeOf(tree.start[c]), y, Math.max(px - 0.8, NARROWEST)));
		}
		return isMarked;
	}

	const markOf = (i) => (mark[i] ? ' m' : '') + (i < zoom ? ' up' : '');

	function drawFrame(i, into) {
		const x = leftOf(i), px = widthOf(i), y = yOf(tree.depth[i]), marked = markOf(i);
		const label = px > 15 ? fit(tree.name(i), px - 7) : '';

		into.append(box(text.styleOf(tree, i) + marked, x, y, px - 0.8));
		drawOwn(i, y, marked, into);
		const isZoomed = tree.depth[i] > tree.depth[zoom] || i === zoom;
		const isMarked = isZoomed && drawStates(i, y, into);

		if (!label)
			return;
		const words = dom.svg('text', { class: isMarked ? ' m' : marked, x: (x + 3).toFixed(1), y: y + (ROW + 7) / 2 });
		words.textContent = label;
		into.append(words);
	}

	const boxPath = (x, y, px) =>
		`M${x.toFixed(1)} ${y}h${px.toFixed(1)}v${ROW - 1}h-${px.toFixed(1)}z`;

	function drawLevel(depth, into) {
		const narrow = new Map(); /* maps class to path */
		const add = (style, path) => narrow.set(style, (narrow.get(style) || '') + path);
		const y = yOf(depth);

		for (const { from, to } of rests[depth] || []) {
			const x = placeOf(from), px = placeOf(to) - x;

			if (px >= NARROWEST)
				add('rest', boxPath(x, y, px));
		}
		for (const i of levels[depth] || []) {
			const px = widthOf(i);

			if (px >= NARROW)
				drawFrame(i, into);
			else
				add((text.mainStateStyle(tree, i) || text.styleOf(tree, i)) + markOf(i), boxPath(leftOf(i), y, px));
		}
		for (const [style, path] of narrow)
			into.append(dom.svg('path', { class: style, d: path }));
	}

	/* Makes the elements of the visible part, and of half its height above and below it. */
	function draw() {
		const [from, to] = windowRange(), more = (to - from) / 2;
		const [first, end] = printing ? [0, levels.length] : depthsBetween(from - more, to + more);
		const into = document.createDocumentFragment();

		for (let depth = first; depth < end; depth++)
			drawLevel(depth, into);
		layer.textContent = '';
		layer.classList.toggle('dimmed', dimmed);
		layer.append(into);
		drawn = [first, end];
	}

	const isShown = (i) => i >= 0 && (levels[tree.depth[i]] || []).includes(i);

	function drawRing(rect, i) {
		const there = isShown(i);

		rect.setAttribute('visibility', there ? 'visible' : 'hidden');
		if (there)
			dom.set(rect, { x: leftOf(i).toFixed(1), y: yOf(tree.depth[i]),
				width: Math.max(widthOf(i) - 0.8, 1).toFixed(1), height: ROW - 1 });
	}

	/* Returns the frame at a position in the window, or -1 if there is none. */
	function nodeAt(clientX, clientY) {
		const box = picture.getBoundingClientRect();
		const x = clientX - box.left, line = Math.floor((clientY - box.top) / ROW);
		const row = levels[state.icicle ? line : height - 1 - line] || [];
		let first = 0, end = row.length; /* search for the last frame that begins at or left of x */

		while (end - first > 1) {
			const middle = first + end >>> 1;

			if (leftOf(row[middle]) <= x)
				first = middle;
			else
				end = middle;
		}
		return end && x >= leftOf(row[first]) - 1 &&
			x < leftOf(row[first]) + Math.max(widthOf(row[first]), 1) ? row[first] : -1;
	}

	/* Returns the position of a frame in the window. */
	function boxOf(i) {
		const box = picture.getBoundingClientRect();

		return { x: box.left + leftOf(i), y: box.top + yOf(tree.depth[i]), width: widthOf(i), height: ROW };
	}

	/* Scrolls frame I into view. */
	function reveal(i) {
		const y = yOf(tree.depth[i]), [from, to] = windowRange();

		if (y < from)
			scroller.scrollTop = y - ROW;
		else if (y + 2 * ROW > to)
			scroller.scrollTop = y + 2 * ROW - (to - from);
		scrolled();
	}

	const behind = () => picture.clientHeight - scroller.scrollTop - scroller.clientHeight;

	function scrolled() {
		fromRoot = state.icicle ? scroller.scrollTop : behind();
		const [first, end] = depthsBetween(...windowRange());

		if (first < drawn[0] || end > drawn[1])
			draw();
	}

	/* Whether a part of the graph is outside of the window. */
	const isCut = () => picture.clientHeight > scroller.clientHeight;

	/* Measures the width available for frames. */
	function measure() {
		width = Math.max(scroller.clientWidth, 10 * PAD) - 2 * PAD;
	}

	/* Makes rows higher where the graph would leave a part of the window empty. */
	function fitRows() {
		const room = Math.floor((scroller.clientHeight - PAD) / height);

		ROW = Math.min(Math.max(room, ROW_MIN), ROW_MIN + ROW_MORE);
	}

	/* Draws TREE. The root's row keeps its position in the window. */
	function show(what) {
		const kept = fromRoot, other = tree !== what.tree;

		({ tree, zoom, mark, dimmed } = what);
		if (other)
			height = 1;
		for (let turn = 0; turn < 2; turn++) { /* a scroll bar may appear and reduce the width */
			layout();
			fitRows();
			picture.setAttribute('height', height * ROW + PAD);
			const had = width;
			measure();
			if (width === had)
				break;
		}
		scroller.scrollTop += state.icicle ? kept - scroller.scrollTop : behind() - kept;
		draw();
		if (zoom)
			reveal(zoom);
		scrolled();
	}

	/* Scrolls to the root. */
	function toRoot() {
		scroller.scrollTop = state.icicle ? 0 : picture.clientHeight;
		scrolled();
	}

	function print(on) {
		printing = on;
		draw();
	}

	/* Return a drawn neighbour, and the widest drawn callee, or -1 if there is none. */
	function neighbour(i, step) {
		const row = levels[tree.depth[i]], to = row[row.indexOf(i) + step];

		return to === undefined ? -1 : to;
	}

	function widestChild(i) {
		const children = (levels[tree.depth[i] + 1] || []).filter((c) => tree.parent[c] === i);

		return children.reduce((a, b) => (a >= 0 && tree.total(a) >= tree.total(b) ? a : b), -1);
	}

	return { scroller, layer, ring, halo, coarse, fit, measure, leastShare, show, draw, print, scrolled,
		toRoot, isCut, reveal, drawRing, isShown, nodeAt, boxOf, widthOf, neighbour, widestChild,
		width: () => width, rows: () => height };
})();
