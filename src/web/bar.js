/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bar above the graph: heading, search, switches, changes, and a description of the frame. */
'use strict';
flametap.bar = (() => {
	const { root, dom, data, text, views, actions, sides } = flametap;
	const { state } = flametap.state;
	const { now } = actions;
	const { html, button } = dom;
	const go = (change, how) => flametap.go(change, how);

	/* Moves a line of the static heading into the bar. */
	function takeLine(id) {
		const line = root.getElementById(id);

		if (!line)
			return [];
		line.remove();
		return [html('span', { class: id }, id === 'title'
			? root.getElementsByTagNameNS(root.namespaceURI, 'title')[0].textContent
			: line.textContent)];
	}

	const foot = html('div', { class: 'foot' }, ...takeLine('foot'));
	foot.hidden = !foot.textContent;

	const input = html('input', { type: 'search', placeholder: 'Search (regex)  /',
		'aria-label': 'Search frames by regular expression', autocomplete: 'off',
		autocapitalize: 'off', spellcheck: 'false', enterkeyhint: 'search' });
	const ignoreCase = button('Aa', 'Ignore case', () => go({ ignorecase: !state.ignorecase }),
		{ class: 'case' });
	const previous = button('\u2191', 'Previous (N, Shift-Enter)', () => actions.step(-1));
	const next = button('\u2193', 'Next (n, Enter)', () => actions.step(1));
	const reset = button('Reset zoom', 'Esc', () => go({ zoom: '' }), { class: 'reset' });
	const found = html('span', { class: 'found', role: 'status' });
	const count = html('span', { class: 'count' });
	const chips = html('div', { class: 'line chips', role: 'list', 'aria-label': 'Changes' });
	const name = html('span', { class: 'name' });
	const origin = html('span', { class: 'origin' });
	const numbers = html('span', { class: 'numbers' });
	const zoomIn = button('Zoom', 'Zoom to this frame', () => actions.zoomTo(Math.max(now.focus, 0)));
	const more = button('\u22ef', 'Menu of this frame', () => flametap.panels.menuOf(now.focus),
		{ 'aria-label': 'Menu of this frame' });
	const switches = actions.ofView.map((action) => ({ action, button: button(action.label,
		`${action.title} (${action.key})`, action.run) }));

	const groupOf = (group) => html('div', { class: 'group ' + group, role: 'group' },
		...switches.filter((s) => s.action.group === group).map((s) => s.button));

	const widths = groupOf('sides'); /* of a difference */

	const box = html('div', { class: 'bar' },
		html('div', { class: 'line heading' }, ...takeLine('title'), ...takeLine('subtitle'),
			...takeLine('account')),
		html('div', { class: 'line tools' },
			html('div', { class: 'group search' }, input, ignoreCase, previous, next),
			html('div', { class: 'switches' }, reset, groupOf('view'), widths, groupOf('panels'))),
		chips,
		html('div', { class: 'line info' },
			html('div', { class: 'frame', 'aria-live': 'polite' }, name, origin, numbers),
			html('div', { class: 'group touch' }, zoomIn, more),
			html('div', { class: 'result' }, found, count)));

	/* ---- changes, in order */

	const words = {
		hide: 'without frames', remove: 'without stacks of', only: 'only stacks with', focus: 'focus on',
		collapse: 'recursion folded', collapseall: 'all recursion folded', threads: 'threads merged',
	};

	function chip(label, what, remove) {
		const lost = what && !views.functionsBy(what).isThere;
		const full = what ? `${label}: ${what.replace('\t', ' in ')}` : label;
		const item = html('span', { class: 'chip', role: 'listitem', title: full },
			html('span', { class: 'how' }, label),
			...(what ? [html('span', { class: lost ? 'what lost' : 'what' }, what.split('\t')[0])] : []),
			button('\u00d7', 'Undo: ' + full, remove, { 'aria-label': 'Undo: ' + full }));

		return item;
	}

	function showChips() {
		const list = state.changes.map(({ how, what }, at) => chip(words[how], what,
			() => go({ changes: state.changes.filter((_, other) => other !== at) }, { moved: true })));

		if (state.callers !== null)
			list.push(chip(state.callers ? 'callers of' : 'callers of everything', state.callers,
				() => go({ callers: null, zoom: '' })));
		if (now.view.callers && now.tree.frame.includes(data.smallCallers))
			list.push(chip(`smallest callers, ${state.small} %, in one frame`, '', () => go({ small: '0' }, { moved: true })));
		chips.replaceChildren(...list);
		chips.hidden = !list.length;
	}

	/* ---- search */

	function shares(sums, all) {
		const texts = sums.map((sum, s) => text.percent(sum, all[s]));

		return texts.join(' \u2192 ');
	}

	function showFound() {
		const { marks, tree, zoom } = now;
		let words = now.missing ? 'This link leads to a frame that is not in this profile' : '';

		if (marks.error)
			words = marks.error;
		else if (marks.active)
			words = 'Matched ' + shares(marks.all, tree.totals(0));
		if (marks.active && zoom && !marks.error)
			words += ` (of zoom: ${shares(marks.ofZoom, tree.totals(zoom))})`;
		found.textContent = words;
		found.classList.toggle('wrong', marks.error !== '' || now.missing);
		input.setAttribute('aria-invalid', marks.error !== '');
		showCount();
	}

	/* Shows which of the highlighted frames has the keyboard focus. */
	function showCount() {
		const { nodes, active } = now.marks, at = nodes.indexOf(now.focus);
		const all = (now.view.callers ? '\u2265 ' : '') + nodes.length.toLocaleString('en-US');

		count.textContent = !active || now.marks.error ? ''
			: at >= 0 ? `${(at + 1).toLocaleString('en-US')} of ${all}`
				: `${all} frame${nodes.length === 1 ? '' : 's'}`;
		previous.disabled = next.disabled = !nodes.length && !now.marks.inherited;
	}

	/* Describes frame I. */
	function tell(i) {
		const { tree, view, zoom } = now;

		name.textContent = tree.name(i);
		origin.textContent = text.originOf(tree, i);
		numbers.textContent = text.describe(view, zoom, i);
	}

	function show() {
		if (input.value !== state.search)
			input.value = state.search;
		ignoreCase.setAttribute('aria-pressed', state.ignorecase);
		reset.disabled = !now.zoom;
		widths.hidden = !sides.areTwo();
		box.classList.toggle('two', sides.areTwo());
		for (const { action, button: b } of switches)
			if (action.pressed)
				b.setAttribute('aria-pressed', action.pressed());
		showChips();
		showFound();
		tell(now.focus < 0 ? now.zoom : now.focus);
	}

	let typing = false; /* one history entry for the whole input */

	input.addEventListener('input', () => {
		go({ search: input.value, kind: '', category: '', module: '', group: '' }, { replace: typing });
		typing = true;
	});
	for (const type of ['change', 'blur'])
		input.addEventListener(type, () => {
			typing = false;
		});

	/* Returns the description of the frame in one line. */
	const description = () => [name, origin, numbers].map((e) => e.textContent).filter((s) => s).join(', ');

	return { box, foot, input, show, description, tell, showCount, searching: () => document.activeElement === input,
		focusSearch() {
			input.focus();
			input.select();
		} };
})();
