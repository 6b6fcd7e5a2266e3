/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All user actions. The bar, the menu, the key bindings and the list of keys are made from these tables. */
'use strict';
flametap.actions = (() => {
	const { data, views, graph, dom, text, sides } = flametap;
	const { state, byWeight, otherOrder } = flametap.state;
	const { functions } = data;
	/* what is shown; updated by main.js */
	const now = { view: null, tree: null, zoom: 0, focus: -1, marks: null, missing: false };

	const go = (change, how) => flametap.go(change, how);
	const functionOf = (i) => functions.of[now.tree.frame[i]];
	const functionText = (i) => views.textOf(functionOf(i));
	const change = (how, what) => go({ changes: [...state.changes, { how, what }] }, { moved: true });

	function zoomTo(i) {
		if (i !== now.zoom)
			go({ zoom: now.tree.link(i) });
	}

	/* ---- stepping through highlighted frames */

	/* Returns the frame to zoom to so that frame I is visible: the current one, or the widest one that shows it. */
	function stageFor(i) {
		const { tree, zoom } = now, px = graph.width(), wanted = Math.min(40, px);
		let stage = i;

		if ((i >= zoom && i < tree.end[zoom] && tree.total(i) / tree.total(zoom) * px >= 3) || i < zoom &&
			tree.end[i] >= tree.end[zoom])
			return zoom;
		while (stage && tree.total(i) / tree.total(tree.parent[stage]) * px >= wanted)
			stage = tree.parent[stage];
		return stage;
	}

	/* In a bottom-up tree, expands callers until the next highlighted frame exists. */
	function lookUp(by) {
		const { tree, marks: { mark, inherited }, view: { callers } } = now;
		const from = now.focus >= 0 ? now.focus : now.zoom;

		for (let i = by > 0 ? from : from - 1; i >= 0 && i < tree.n; i += by) {
			if (by > 0 && i > from && mark[i])
				return;
			if (callers.hides(tree.origin[i], inherited)) {
				const link = tree.link(from);

				callers.lookUp(tree.origin[i], inherited);
				flametap.show();
				now.focus = flametap.tree.follow(now.tree, link).node;
				lookUp(by);
				return;
			}
			if (mark[i])
				return;
		}
	}

	let stepped = ''; /* the URL after the last step; a series of steps is one history entry */

	function step(by) {
		if (now.view.callers && now.marks.inherited)
			lookUp(by);
		const { nodes } = now.marks, from = now.focus >= 0 ? now.focus : now.zoom;

		if (!nodes.length)
			return;
		let at = nodes.findIndex((i) => (by > 0 ? i > from : i >= from));
		if (at < 0)
			at = nodes.length;
		const i = nodes[(by > 0 ? at : at - 1 + nodes.length) % nodes.length];
		const stage = stageFor(i);
		if (stage !== now.zoom) {
			const link = now.tree.link(stage), focus = now.tree.link(i);

			go({ zoom: link }, { replace: stepped === location.hash, focus });
			stepped = location.hash;
			return;
		}
		flametap.focusOn(i);
	}

	function search(name) {
		go({ search: '^' + name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') + '$', ignorecase: false,
			kind: '', category: '', module: '', group: '' });
	}

	/* Highlights the frames of a kind, category, module or group. */
	function select(which, value) {
		go({ search: '', kind: '', category: '', module: '', group: '', [which]: value });
	}

	function flagClass(name, on) {
		flametap.root.classList.toggle(name, on);
		dom.remember(name, on ? '1' : '0');
		flametap.show();
	}

	const hasThreads = data.frames.name.some((name, f) =>
		data.frames.style[f][0] === 't' && /\/\d+$/.test(name));
	
	/* Returns the command that shows the source lines of frame I's function. The name is a pattern, quoted for the shell. */
	function annotateCommand(i) {
		const name = now.tree.name(i).replace(/ [^ ]+:\d+$/, '').replace(/[\\*?[]/g, '\\$&');

		return `bt-annotate -f '${name.replace(/'/g, "'\\''")}' a.rec`;
	}

	const isFunction = (i) => i > 0 && now.tree.frame[i] !== data.smallCallers;
	const hasCode = (i) => isFunction(i) && ('uki'.includes(data.frames.style[now.tree.frame[i]][0]) || data.where[now.tree.frame[i]]);

	/* actions on a frame: key, label, run(i), when(i) */
	const ofFrame = [
		{ key: 'Enter', label: 'Zoom here', run: zoomTo, when: (i) => i > 0 },
		{ key: 'f', label: 'Focus: its callees, all places', run: (i) => change('focus', functionText(i)) },
		{ key: 'r', label: 'Its callers, all places',
			run: (i) => go({ callers: functionText(i), zoom: '' }, { turned: true }) },
		{ key: 'o', label: 'Keep only stacks with it', run: (i) => change('only', functionText(i)) },
		{ key: 'x', label: 'Remove stacks with it', run: (i) => change('remove', functionText(i)) },
		{ key: 'h', label: 'Hide its frames', run: (i) => change('hide', functionText(i)) },
		{ key: 'k', label: 'Collapse its recursion', run: (i) => change('collapse', functionText(i)) },
		{ key: 's', label: 'Highlight all places', run: (i) => search(now.tree.name(i)) },
		{ key: 'a', label: 'Copy the bt-annotate command', when: hasCode,
			run: (i) => flametap.panels.copy(annotateCommand(i)) },
		{ key: 'c', label: 'Copy name', run: (i) => flametap.panels.copy(now.tree.name(i)) },
		{ key: 'C', label: 'Copy stack', run: (i) => flametap.panels.copy(text.foldedStack(now.view, i)) },
	].map((action) => ({ when: isFunction, ...action }));

	/* actions on the whole view: key, label, title, run(), pressed(), when; grouped in the bar */
	const ofView = [
		{ key: 'i', label: 'Icicle', title: 'Root on top', group: 'view',
			pressed: () => state.icicle, run: () => go({ icicle: !state.icicle }, { turned: true }) },
		{ key: 'b', label: 'Callers', title: 'Bottom-up: functions by their own weight, and who calls them',
			group: 'view', pressed: () => state.callers !== null,
			run: () => go({ callers: state.callers === null ? '' : null, zoom: '' }, { turned: true }) },
		{ key: 'g', label: 'Smallest callers', title: 'Those with 2, 5, 10 or 0 % of a function in one frame',
			run: () => go({ small: { 2: '5', 5: '10', 10: '0' }[state.small] || '2' }, { moved: true }) },
		{ key: 'w', label: 'By weight', title: 'The heaviest first, instead of by name; usual for callers', group: 'view',
			pressed: byWeight, run: () => go({ order: otherOrder() }) },
		{ key: 'K', label: 'Fold recursion', title: 'Collapse the recursion of every function', group: 'view',
			pressed: () => state.changes.some((c) => c.how === 'collapseall'),
			run: () => toggleChange('collapseall') },
		{ key: 'u', label: 'Merge threads', title: 'Threads of one name are one frame', group: 'view',
			when: hasThreads, pressed: () => state.changes.some((c) => c.how === 'threads'),
			run: () => toggleChange('threads') },
		...['both', 'before', 'after'].map((side, at) => ({ key: String(at + 1), label: side[0].toUpperCase() +
			side.slice(1), title: 'Widths show ' + (at ? 'what was ' + side : 'before and after together'),
		group: 'sides', when: data.isDiff || Boolean(data.times), pressed: () => state.width === side,
		run: () => sides.areTwo() && go({ width: side }) })),
		{ key: 'v', label: 'Compare times', title: 'Select a part of the time, and then the part to compare with',
			when: Boolean(data.times), run: () => flametap.strip.choose(true) },
		{ key: 't', label: 'Table', title: 'Functions as a table', group: 'panels',
			pressed: () => state.table, run: () => go({ table: !state.table }) },
		{ key: 'l', label: 'Legend', title: 'What the colours mean', group: 'panels',
			pressed: () => !flametap.root.classList.contains('brief'),
			run: () => flagClass('brief', !flametap.root.classList.contains('brief')) },
		{ key: 'd', label: 'Theme', title: 'Light or dark', group: 'panels', run: flametap.page.theme },
		{ key: '?', label: 'Keys', title: 'Show the keys', group: 'panels',
			run: () => flametap.panels.help() },
	].filter((action) => action.when !== false);

	function toggleChange(how) {
		const others = state.changes.filter((c) => c.how !== how);

		go({ changes: others.length < state.changes.length ? others : [...others, { how }] },
			{ moved: true });
	}

	/* other keys, which main.js handles */
	const others = [
		['Arrow keys', 'Move to caller, callee and neighbours'],
		['Home', 'Move to the root'],
		['m', 'Menu of the frame'],
		['/', 'Search'],
		['n, N', 'Next, previous highlighted frame'],
		['0', 'Reset zoom'],
		['Esc', 'Leave: search, zoom, highlight'],
	];

	return { now, ofFrame, ofView, others, zoomTo, step, search, select, functionOf };
})();
