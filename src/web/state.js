/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of the view, which is kept completely in the URL after #. */
'use strict';
flametap.state = (() => {
	const { inverted, reversed, isDiff } = flametap.data;
	/* simple parts of the state by their names in the URL, with their defaults */
	const plain = {
		order: '', /* weight, name, or empty for the usual order of the view */
		width: 'both',
		small: '2', /* the smallest callers that have together this percentage are below one frame; 0 for none */
		zoom: '',
		search: '',
		kind: '',
		category: '',
		module: '',
		time: '', /* FROM-TO in seconds, or empty for all of it */
		compare: '', /* FROM-TO of the part of the time that is compared with it, or empty */
		group: '', /* name of a group of the colour */
		colour: '', /* a way of colours.js, or empty for the kind of the frame */
	};
	/* The table of a difference lists what changed most, so it is shown where there is room. */
	const flags = { ignorecase: false, table: isDiff && innerWidth >= 1200 };
	const changes = Object.keys(flametap.views.changes);
	const withoutFunction = ['collapseall', 'threads'];

	/*
	 * changes is a list of { how, what } in order (views.js). callers is null, '' for the callers of everything, or a
	 * function. With icicle, the root is on top. One of search, kind, category, module and group selects the highlighted frames.
	 */
	const state = { icicle: inverted, changes: [], callers: null, ...plain, ...flags };

	function toAddress() {
		const params = new URLSearchParams();

		for (const { how, what } of state.changes)
			params.append(how, what === undefined ? '1' : what);
		if (state.callers !== null)
			params.set('callers', state.callers);
		if (state.icicle !== inverted)
			params.set('icicle', Number(state.icicle));
		for (const name of Object.keys(plain))
			if (state[name] !== plain[name])
				params.set(name, state[name]);
		for (const name of Object.keys(flags))
			if (state[name] !== flags[name])
				params.set(name, Number(state[name]));
		return params.toString();
	}

	function fromAddress(address) {
		const params = new URLSearchParams(address);

		state.changes = [...params].filter(([how]) => changes.includes(how)).map(([how, what]) => ({
			how, what: withoutFunction.includes(how) ? undefined : what,
		}));
		state.callers = params.get('callers');
		state.icicle = params.has('icicle') ? params.get('icicle') === '1' : inverted;
		for (const name of Object.keys(plain))
			state[name] = params.get(name) || plain[name];
		for (const name of Object.keys(flags))
			state[name] = params.has(name) ? params.get(name) === '1' : flags[name];
	}

	let known = null; /* the URL of the current state */

	/* Writes the state to the URL, as a new history entry unless REPLACE. */
	function save(replace) {
		known = toAddress();
		if (known === location.hash.slice(1))
			return;
		if (replace && location.protocol !== 'about:')
			history.replaceState(null, '', '#' + known);
		else
			location.hash = known;
	}

	/* Reads the state from the URL. Returns false if it is unchanged. */
	function load() {
		const address = location.hash.slice(1);

		if (address === known)
			return false;
		known = address;
		fromAddress(address);
		return true;
	}

	const usualOrder = () => (state.callers !== null || reversed ? 'weight' : 'name');
	const byWeight = () => (state.order || usualOrder()) === 'weight';

	/* Returns the order of children that is not shown, as it is in the state. */
	function otherOrder() {
		const other = byWeight() ? 'name' : 'weight';

		return other === usualOrder() ? '' : other;
	}

	return { state, save, load, byWeight, otherOrder };
})();
