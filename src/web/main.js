/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows the state and handles events. */
'use strict';
(() => {
	const { root, dom, page, views, marks, graph, actions, bar, strip, legend, panels, table } = flametap;
	const { frame } = page;
	const { state, save, load } = flametap.state;
	const { now } = actions;

	const app = dom.html('div', { class: 'app' }, bar.box, strip.box, legend.box,
		dom.html('div', { class: 'middle' }, graph.scroller, table.box), bar.foot, ...panels.panels);
	/* the frame with the keyboard focus, for screen readers */
	const described = dom.svg('g', { id: 'described', role: 'treeitem' });

	/* ---- showing */

	/* With LENIENT, the zoom may come from another view, and the closest existing frame is used. */
	function show(lenient) {
		const before = now.tree;

		table.box.hidden = !state.table;
		graph.measure();
		now.view = views.of(state);
		const { node, missing } = now.view.openTo(state.zoom, graph.leastShare(), lenient);
		now.tree = now.view.tree;
		now.zoom = node;
		now.missing = missing && !lenient;
		if (now.tree !== before)
			now.focus = -1;
		now.marks = marks.of(now.view, node, state);
		bar.show();
		strip.show();
		legend.show();
		table.show();
		graph.show({ tree: now.tree, zoom: node, mark: now.marks.mark,
			dimmed: now.marks.active && now.marks.nodes.length > 0 });
		showFocus();
		graph.drawRing(graph.halo, -1);
		panels.hideTip();
	}

	/*
	 * Changes the state. With replace, there is no new history entry. With moved, the path of the zoomed frame may change.
	 * With turned, the root is on the other side. focus is the link of the frame to move to.
	 */
	flametap.go = (change, { replace, moved, turned, focus } = {}) => {
		Object.assign(state, change);
		if (moved) {
			show(true);
			state.zoom = now.tree.link(now.zoom);
			now.missing = false;
		}
		save(replace);
		if (!moved)
			show(false);
		if (turned)
			graph.toRoot();
		if (focus)
			flametap.focusOn(flametap.tree.follow(now.tree, focus, true).node);
	};
	flametap.show = () => show(true);

	/* Moves the keyboard focus to frame I, or to no frame if I is -1. */
	flametap.focusOn = (i) => {
		now.focus = i;
		bar.tell(i < 0 ? now.zoom : i);
		bar.showCount();
		if (i >= 0)
			graph.reveal(i);
		showFocus();
	};

	function showFocus() {
		const i = now.focus < 0 ? now.zoom : now.focus;

		graph.drawRing(graph.ring, now.focus);
		dom.set(described, { 'aria-level': now.tree.depth[i] + 1, 'aria-expanded': graph.widestChild(i) >= 0,
			'aria-label': bar.description() });
	}

	/* ---- keyboard */

	function moveFocus(key) {
		const i = now.focus, up = (key === 'ArrowUp') !== state.icicle;
		let to = now.zoom;

		if (graph.isShown(i) && key === 'ArrowLeft')
			to = graph.neighbour(i, -1);
		else if (graph.isShown(i) && key === 'ArrowRight')
			to = graph.neighbour(i, 1);
		else if (graph.isShown(i) && up)
			to = graph.widestChild(i);
		else if (graph.isShown(i))
			to = i ? now.tree.parent[i] : -1;
		if (to >= 0)
			flametap.focusOn(to);
	}

	function escape() {
		if (panels.close())
			return;
		if (bar.searching()) {
			flametap.go({ search: '' });
			graph.layer.focus({ preventScroll: true });
		} else if (now.zoom) {
			flametap.go({ zoom: '' });
		} else if (now.marks.active) {
			flametap.go({ search: '', kind: '', category: '', module: '', group: '' });
		} else if (state.compare) {
			flametap.go({ compare: '' }, { moved: true });
		} else if (state.time) {
			flametap.go({ time: '' }, { moved: true });
		} else {
			flametap.focusOn(-1);
			panels.hideTip();
		}
	}

	/*
	 * Returns the frame that a key applies to: the frame with the keyboard focus, or else the frame under the pointer, or -1.
	 */
	const meant = () => (now.focus >= 0 ? now.focus
		: pointer ? graph.nodeAt(pointer.clientX, pointer.clientY) : -1);

	const plainKeys = {
		'/': () => bar.focusSearch(),
		'n': () => actions.step(1),
		'N': () => actions.step(-1),
		'0': () => now.zoom && flametap.go({ zoom: '' }),
		'm': () => panels.menuOf(meant()),
		'ContextMenu': () => panels.menuOf(meant()),
		'Home': () => flametap.focusOn(0),
		'ArrowUp': () => moveFocus('ArrowUp'),
		'ArrowDown': () => moveFocus('ArrowDown'),
		'ArrowLeft': () => moveFocus('ArrowLeft'),
		'ArrowRight': () => moveFocus('ArrowRight'),
	};
	for (const { key, run } of actions.ofView)
		plainKeys[key] = run;
	for (const { key, run, when } of actions.ofFrame)
		plainKeys[key] = () => {
			const i = meant();

			if (i >= 0 && (when(i) || key === 'Enter'))
				run(i);
		};

	function onKey(event) {
		const find = event.key === 'f' && (event.ctrlKey || event.metaKey);
		const { activeElement: active } = document;
		const onButton = active && /^(button|textarea)$/i.test(active.localName) && event.key === 'Enter';

		if (event.key === 'Escape')
			escape();
		else if (find && !bar.searching())
			bar.focusSearch();
		else if (bar.searching() && event.key === 'Enter')
			actions.step(event.shiftKey ? -1 : 1);
		else if (bar.searching() || event.ctrlKey || event.metaKey || event.altKey || panels.isOpen() ||
			onButton || !Object.hasOwn(plainKeys, event.key))
			return;
		else
			plainKeys[event.key]();
		event.preventDefault();
	}

	/* ---- pointer */

	let pointer = null, pointed = -1; /* last position and frame of the pointer */
	let touch = false, tapped = { i: -1, time: 0 }, held = 0, heldAt = null;

	function point(event) {
		pointer = event;
		const i = graph.nodeAt(event.clientX, event.clientY);

		if (i !== pointed) {
			pointed = i;
			bar.tell(i >= 0 ? i : now.focus >= 0 ? now.focus : now.zoom);
			graph.drawRing(graph.halo, i);
		}
		if (i >= 0)
			panels.showTip(i, event.clientX, event.clientY);
		else
			panels.hideTip();
	}

	function leave() {
		if (touch)
			return;
		pointer = null;
		pointed = -1;
		graph.drawRing(graph.halo, -1);
		bar.tell(now.focus >= 0 ? now.focus : now.zoom);
		panels.hideTip();
	}

	/* A tap shows the tooltip, and a second tap zooms. A mouse click zooms at once. */
	function onClick(event) {
		const i = graph.nodeAt(event.clientX, event.clientY);

		if (i < 0 || panels.isOpen())
			return;
		if (!touch) {
			now.focus = -1;
			actions.zoomTo(i);
			return;
		}
		const again = tapped.i === i && event.timeStamp - tapped.time < 500;
		tapped = { i, time: event.timeStamp };
		if (again) {
			actions.zoomTo(i);
			return;
		}
		flametap.focusOn(i);
		panels.showTip(i, event.clientX, event.clientY);
	}

	function onMenu(event) {
		const i = graph.nodeAt(event.clientX, event.clientY);

		clearTimeout(held);
		if (i < 0)
			return;
		event.preventDefault();
		panels.openMenu(i, event.clientX, event.clientY);
	}

	function onDown(event) {
		touch = event.pointerType === 'touch';
		heldAt = event;
		clearTimeout(held);
		if (touch)
			held = setTimeout(() => onMenu(event), 550);
	}

	function onMove(event) {
		if (event.pointerType !== 'touch')
			point(event);
		else if (heldAt && Math.hypot(event.clientX - heldAt.clientX, event.clientY - heldAt.clientY) > 10)
			clearTimeout(held);
	}

	function listen() {
		const { layer, scroller } = graph;

		layer.addEventListener('click', onClick);
		layer.addEventListener('pointerdown', onDown);
		layer.addEventListener('pointermove', onMove);
		for (const type of ['pointerup', 'pointercancel'])
			layer.addEventListener(type, () => clearTimeout(held));
		layer.addEventListener('pointerleave', leave);
		layer.addEventListener('contextmenu', onMenu);
		app.addEventListener('pointerdown', (event) => {
			if (!event.target.closest('.menu, .sheet') && panels.close())
				event.stopPropagation();
		}, true);
		window.addEventListener('keydown', onKey);
		scroller.addEventListener('scroll', dom.calmly(() => {
			panels.hideTip();
			graph.scrolled();
		}), { passive: true });
		window.addEventListener('resize', dom.calmly(flametap.show));
		window.addEventListener('hashchange', () => {
			if (load())
				show(false);
		});
		for (const type of ['beforeprint', 'afterprint'])
			window.addEventListener(type, () => print(type === 'beforeprint'));
	}

	/* For printing, the whole graph is scaled to the page, which cannot be scrolled. */
	function print(on) {
		const width = app.clientWidth;

		root.classList.toggle('printing', on);
		app.style.width = on ? width + 'px' : '';
		if (on) {
			graph.print(true);
			const height = Math.ceil(app.getBoundingClientRect().height);

			dom.set(frame, { width, height });
			dom.set(root, { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'xMidYMin' });
		} else {
			dom.set(frame, { width: '100%', height: '100%' });
			root.removeAttribute('viewBox');
			graph.print(false);
		}
	}

	function begin() {
		page.begin(app);
		root.classList.toggle('brief', dom.recall('brief') === '1');
		dom.set(graph.layer, { tabindex: '0', role: 'tree', 'aria-activedescendant': 'described', 'aria-owns': 'described',
			'aria-label': 'Flame graph: arrow keys move, Enter zooms, question mark lists all keys' });
		graph.layer.textContent = '';
		graph.ring.after(described);
		listen();
		load();
		show(false);
		if (dom.recall('brief') === null && (window.innerWidth < 700 || graph.isCut())) {
			root.classList.add('brief');
			show(false);
		}
		graph.toRoot();
	}

	begin();
})();
