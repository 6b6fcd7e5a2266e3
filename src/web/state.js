/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the reader sees, as the address says it: what stands behind # is all of it. */
'use strict';
flametap.state = (() => {
	const { inverted } = flametap.data;
	/* the state's plain parts by their names in the address, each with what it is unless said */
	const plain = {
		order: 'name',
		width: 'both',
		zoom: '',
		search: '',
		kind: '',
		category: '',
	};
	const flags = ['ignorecase', 'table'];
	const changes = Object.keys(flametap.views.changes);
	const withoutFunction = ['collapseall', 'threads'];

	/*
	 * changes: [{ how, what }] in their order (views.js); callers: null, '' for those of everything, or
	 * a function; icicle: root on top; highlighted are frames by one of search, kind and category.
	 */
	const state = { icicle: inverted, changes: [], callers: null, ...plain,
		ignorecase: false, table: false };

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
		for (const name of flags)
			if (state[name])
				params.set(name, '1');
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
		for (const name of flags)
			state[name] = params.get(name) === '1';
	}

	let known = null; /* the address that the state is */

	/* Has the address say the state; the way back leads to the one before unless REPLACE. */
	function save(replace) {
		known = toAddress();
		if (known === location.hash.slice(1))
			return;
		if (replace && location.protocol !== 'about:')
			history.replaceState(null, '', '#' + known);
		else
			location.hash = known;
	}

	/* False: the address says nothing new. */
	function load() {
		const address = location.hash.slice(1);

		if (address === known)
			return false;
		known = address;
		fromAddress(address);
		return true;
	}

	return { state, save, load };
})();
