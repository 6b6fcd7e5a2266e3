/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Overlays: the tooltip, the menu of a frame, the list of keys, notices. */
'use strict';
flametap.panels = (() => {
	const { root, dom, data, text, actions, graph, sides: { areTwo, measure } } = flametap;
	const { html, button } = dom;
	const { now } = actions;
	const { frames } = data;

	const tip = html('div', { class: 'tip', role: 'tooltip' });
	const menu = html('div', { class: 'menu', role: 'menu' });
	const sheet = html('div', { class: 'sheet', role: 'dialog', 'aria-modal': 'true' });
	const notice = html('div', { class: 'notice', role: 'status' });
	const panels = [tip, menu, sheet, notice];
	let returnTo = null; /* the element to focus when a panel closes */

	for (const panel of panels)
		panel.hidden = true;

	/* Shows PANEL next to a position, inside the window. */
	function place(panel, x, y, gap) {
		const area = root.getBoundingClientRect();

		panel.hidden = false;
		const { width, height } = panel.getBoundingClientRect();
		const right = area.width - width - 4, bottom = area.height - height - 4;
		let left = x - area.left + gap, top = y - area.top + gap;

		if (top > bottom)
			top = y - area.top - height - gap;
		panel.style.left = Math.max(4, Math.min(left, right)) + 'px';
		panel.style.top = Math.max(4, Math.min(top, bottom)) + 'px';
	}

	/* ---- tooltip */

	const cells = (tag, words) => words.map((word) => html(tag, {}, word));
	const row = (...words) => html('tr', {}, html('th', { scope: 'row' }, words[0]),
		...cells('td', words.slice(1)));

	function weightRow(label, weights, totals, zoomed) {
		if (areTwo()) {
			const [before, after, change] = text.amountsOf(weights);

			return row(label, `${before} (${text.percent(weights[0], totals[0])})`,
				`${after} (${text.percent(weights[1], totals[1])})`, `${change} (${text.change(weights, totals)})`);
		}
		return row(label, text.amount(weights[0]), ...(text.heads[1] ? [text.exact(weights[0])] : []), text.percent(weights[0], totals[0]),
			...(zoomed ? [text.percent(weights[0], zoomed[0])] : []));
	}

	const rule = (words) => html('tr', { class: 'rule' }, html('th', { colspan: 5 }, words));

	function numbersOf(i) {
		const { tree, view, zoom } = now, totals = tree.totals(0);
		const zoomed = zoom && i > zoom ? tree.totals(zoom) : null;
		const heads = areTwo() ? ['', 'before', 'after', `change (${measure()})`]
			: ['', ...text.heads, 'of all', ...(zoomed ? ['of zoom'] : [])];
		const rows = [html('tr', {}, ...cells('th', heads))];

		rows.push(weightRow(view.callers ? 'Weight' : 'Inclusive', tree.totals(i), totals, zoomed));
		if (!view.callers)
			rows.push(weightRow('Self', tree.selfs(i), totals, zoomed));
		for (const c of tree.coloursOf(i))
			rows.push(weightRow(tree.name(c), tree.totals(c), totals, zoomed));
		if (!i)
			return rows;
		const sums = view.stacks.byFunction(), fn = actions.functionOf(i);
		const sum = (sides) => sides.map((side) => side[fn]);
		if (sums.places[fn] > (view.callers ? 0 : 1))
			rows.push(rule(`This function in ${sums.places[fn].toLocaleString('en-US')} places`),
				weightRow('Inclusive', sum(sums.total), totals), weightRow('Self', sum(sums.self), totals));
		return rows;
	}

	function showTip(i, x, y) {
		if (!menu.hidden || !sheet.hidden)
			return;
		const f = now.tree.frame[i], paths = [data.where[f], frames.module[f]].filter((path) => path && /[/:]/.test(path));
		const words = text.originOf(now.tree, i);

		tip.replaceChildren(html('div', { class: 'name' }, now.tree.name(i)),
			html('div', { class: 'origin' }, words),
			...paths.map((path) => html('div', { class: 'path' }, path)),
			html('table', {}, ...numbersOf(i)));
		place(tip, x, y, 14);
	}

	function hideTip() {
		tip.hidden = true;
	}

	/* ---- panels with keyboard focus */

	function open(panel, x, y) {
		close();
		hideTip();
		returnTo = document.activeElement;
		place(panel, x, y, 2);
		(panel.querySelector('button') || panel).focus();
	}

	/* Closes the open panel. Returns false if none was open. */
	function close() {
		const was = panels.slice(1, 3).filter((panel) => !panel.hidden);

		for (const panel of was)
			panel.hidden = true;
		if (was.length && returnTo)
			returnTo.focus({ preventScroll: true });
		return was.length > 0;
	}

	function item(action, i) {
		const entry = html('button', { type: 'button', role: 'menuitem', tabindex: '-1' },
			html('span', {}, action.label), html('kbd', {}, action.key));

		entry.addEventListener('click', () => {
			close();
			action.run(i);
		});
		return entry;
	}

	function openMenu(i, x, y) {
		const list = actions.ofFrame.filter((action) => action.when(i));

		if (!list.length)
			return;
		menu.replaceChildren(html('div', { class: 'name', role: 'presentation' }, now.tree.name(i)),
			...list.map((action) => item(action, i)));
		menu.setAttribute('aria-label', now.tree.name(i));
		open(menu, x, y);
	}

	/* Opens the menu at the position of a frame. */
	function menuOf(i) {
		if (i < 0 || !graph.isShown(i))
			return;
		const box = graph.boxOf(i);

		openMenu(i, box.x + Math.min(box.width / 2, 40), box.y + box.height);
	}

	menu.addEventListener('keydown', (event) => {
		const items = [...menu.querySelectorAll('button')], at = items.indexOf(document.activeElement);
		const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1, Tab: at + 1 }[event.key];

		if (to === undefined)
			return;
		items[(to + items.length) % items.length].focus();
		event.preventDefault();
		event.stopPropagation();
	});

	/* ---- keys */

	function showSheet(title, ...content) {
		sheet.replaceChildren(html('h2', {}, title), ...content,
			button('Close', 'Esc', close, { class: 'close' }));
		sheet.setAttribute('aria-label', title);
		open(sheet, 0, 0);
		const area = root.getBoundingClientRect(), box = sheet.getBoundingClientRect();
		place(sheet, area.left + (area.width - box.width) / 2, area.top + (area.height - box.height) / 3, 0);
	}

	function help() {
		const list = (title, entries) => html('div', {}, html('h3', {}, title), html('dl', {},
			...entries.flatMap(([keys, label]) => [
				html('dt', {}, ...keys.split(', ').map((key) => html('kbd', {}, key))),
				html('dd', {}, label)])));

		showSheet('Keys', html('div', { class: 'lists' },
			list('The frame', actions.ofFrame.map((a) => [a.key, a.label])),
			list('The view', actions.ofView.map((a) => [a.key, `${a.label}: ${a.title.toLowerCase()}`])),
			list('Moving', actions.others)));
	}

	/* ---- copying */

	let timer = 0;

	function tell(words) {
		notice.textContent = words;
		notice.hidden = false;
		clearTimeout(timer);
		timer = setTimeout(() => {
			notice.hidden = true;
		}, 2000);
	}

	async function copy(words) {
		const area = html('textarea', { readonly: '', 'aria-label': 'Text to copy' });

		showSheet('Copying', html('p', {}, 'The browser does not allow the page to copy; press Ctrl-C.'), area);
		sheet.classList.add('silent');
		const done = await dom.copy(words, area);
		sheet.classList.remove('silent');
		if (done) {
			close();
			tell('Copied: ' + (words.length > 60 ? words.slice(0, 60) + '\u2026' : words));
		} else {
			area.select();
		}
	}

	return { panels, showTip, hideTip, openMenu, menuOf, help, copy, close,
		isOpen: () => !menu.hidden || !sheet.hidden };
})();
