/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data in the SVG file, in the format described in src/input/picture.h. */
'use strict';
flametap.data = (() => {
	const NAMESPACE = 'urn:flametap:profile';
	const DIGITS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ' +
		       '0123456789!#$%()*+,-./:;=?@[]^_`{|}~';
	const LAST = 52, MORE = 36;

	const profile = flametap.root.getElementsByTagNameNS(NAMESPACE, 'profile')[0];
	const section = (name) => (profile.getElementsByTagNameNS(NAMESPACE, name)[0] || {textContent : ''}).textContent;
	const linesOf = (text) => text.split('\n').slice(0, -1);
	const number = (name) => Number(profile.getAttribute(name) || 0);

	/* the states of waits in the order of src/model/waits.c */
	const STATES = ['sleeping', 'uninterruptible', 'stopped', 'traced', 'preempted', 'waiting for CPU', 'idle', 'parked', 'on CPU'];

	const isDiff = profile.hasAttribute('before');
	const categories = [...new Set(linesOf(section('categories'))) ];
	const kinds = readKinds();
	const frames = readFrames();
	const functions = {of : [], first : []}; /* function of each frame; first frame of each function */
	const functionByKey = new Map();

	/* Returns the word of each kind by its letter; the root is of none. */
	function readKinds()
	{
		const words = profile.getAttribute('kinds').split(' ');
		const all = {};

		for (let i = 0; i < words.length; i += 2)
			all[words[i]] = words[i + 1];
		return {...all, r : ''};
	}

	/* Reads arrays by frame number. The frame of the smallest callers (callers.js) and the root are added as the last ones. */
	function readFrames()
	{
		const modules = linesOf(section('modules'));
		const none = linesOf(section('categories')).length;
		const all = {style : [], name : [], module : [], own : [], passed : [], source : []};
		const add = (style, module, own, passed, name, source) => {
			all.style.push(style);
			all.module.push(module);
			all.own.push(own);
			all.passed.push(passed);
			all.name.push(name);
			all.source.push(source);
		};

		for (const line of linesOf(section('frames'))) {
			const blank = line.indexOf(' ');
			const [module, own, passed] = line.slice(2, blank).split(',');

			add(line.slice(0, 2), modules[module - 1] || '', Number(own),
				passed === undefined ? none : Number(passed),
				line.slice(blank + 1).replace('\t', ' '), line.split('\t')[1] || '');
		}
		add('n0', '', none, none, '[smallest callers]', '');
		add('r0', '', none, none, 'all', '');
		return all;
	}

	/* In folded text, kernel frames have no module other than the kernel. */
	const moduleOf = (f) => frames.module[f] || (frames.style[f][0] === 'k' ? '[kernel]' : '');

	/* Adds a frame to its function, which is a name in a module, whether called or inlined. */
	function addFunction(f)
	{
		const key = frames.name[f] + '\t' + moduleOf(f);

		if (!functionByKey.has(key)) {
			functionByKey.set(key, functions.first.length);
			functions.first.push(f);
		}
		functions.of.push(functionByKey.get(key));
	}

	frames.name.forEach((_, f) => addFunction(f));

	/* Returns the frame that differs from F only in its name. Adds it if it is new. */
	function renamed(f, name)
	{
		const same = (g) => frames.name[g] === name &&
				    frames.style[g][0] === frames.style[f][0] &&
				    frames.module[g] === frames.module[f];
		const known = frames.name.findIndex((_, g) => same(g));

		if (known >= 0)
			return known;
		for (const key of Object.keys(frames))
			frames[key].push(frames[key][f]);
		frames.name[frames.name.length - 1] = name;
		addFunction(frames.name.length - 1);
		return frames.name.length - 1;
	}

	/* Returns a function that reads the next number of TEXT. */
	function numberReader(text)
	{
		const digits = new Uint8Array(128);
		let at = 0;

		for (let i = 0; i < DIGITS.length; i++)
			digits[DIGITS.charCodeAt(i)] = i;
		return () => {
			for (let sum = 0, place = 1;; place *= MORE) {
				const digit = digits[text.charCodeAt(at++)];

				if (digit === undefined)
					throw new Error('the data in this file are damaged');
				sum += digit * place;
				if (digit < LAST)
					return sum;
			}
		};
	}

	/*
	 * Reads arrays by node number in pre-order; 0 is the root. end is the number after the last descendant. sides has one
	 * array for the profile, or one each for the profiles before and after. It has the total weight to the left of each node,
	 * so that sums are differences. The self weight of a node is to the left of its children.
	 */
	function readTree()
	{
		const n = number('nodes') + 1, next = numberReader(section('tree'));
		const tree = {
			n,
			frame : new Uint32Array(n),
			parent : new Uint32Array(n),
			depth : new Uint32Array(n),
			end : new Uint32Array(n),
			sides : [ new Float64Array(n + 1) ],
		};
		const {frame, parent, depth, end, sides} = tree;
		const weights = [ number('self') ];

		frame[0] = frames.name.length - 1;
		if (isDiff) {
			sides.push(new Float64Array(n + 1));
			weights.unshift(number('self_before'));
			weights[1] -= weights[0];
		}
		for (let i = 1; i < n; i++) {
			let above = i - 1;

			frame[i] = next();
			const code = next();
			for (let up = code >>> 1; up; up--) {
				end[above] = i;
				above = parent[above];
			}
			parent[i] = above;
			depth[i] = depth[above] + 1;
			sides.forEach((side, s) => side[i] = weights[s]);
			if (!(code & 1))
				continue;
			const self = next() + 1, before = isDiff ? next() : self;
			weights[0] += before;
			if (isDiff)
				weights[1] += self - before;
		}
		sides.forEach((side, s) => side[n] = weights[s]);
		for (let i = n - 1; i; i = parent[i])
			end[i] = n;
		end[0] = n;
		tree.category = categoriesOf(tree);
		return tree;
	}

	/*
	 * Returns the weights of nodes by time, or null if they are not known. first has for each node of the tree the number of
	 * its first part; column and weight are arrays by part. Column 0 is for weight of which it is not known when.
	 */
	function readTimes({n, sides})
	{
		const element = profile.getElementsByTagNameNS(NAMESPACE, 'times')[0];

		if (!element)
			return null;
		const next = numberReader(element.textContent), side = sides[0];
		const first = new Uint32Array(n + 1), column = [], weight = [];

		first[1] = 0;
		for (let i = 1; i < n; i++) {
			for (let left = side[i + 1] - side[i], at = 0; left;) {
				const skipped = next(), part = left === 1 ? 1 : next() + 1;

				column.push(at += skipped);
				weight.push(part);
				left -= part;
				at++;
			}
			first[i + 1] = column.length;
		}
		return {
			columns : Number(element.getAttribute('columns')),
			length : element.getAttribute('length') / 1e9, /* s */
			begin : element.getAttribute('begin') / 1e9,
			first,
			column : Uint16Array.from(column),
			weight : Float64Array.from(weight),
		};
	}

	/* Returns the times that differ from the rest: columns [first, end], the frame that makes the difference, its weight and what is usual. */
	function readOutliers()
	{
		return linesOf(section('outliers')).map((line) => {
			const [first, end, f, weight, usual] = line.split(',');

			return {
				columns : [ Number(first), Number(end) ],
				name : f ? frames.name[f] : 'all',
				weight : Number(weight),
				usual : Number(usual)
			};
		});
	}

	/*
	 * Returns for each node the category with the lowest rank among the category of its frame and the categories inherited
	 * from its callers.
	 */
	function categoriesOf({n, frame, parent})
	{
		const ranks = linesOf(section('categories'));
		const category = ranks.map((name) => categories.indexOf(name));
		const {own, passed} = frames;
		const passing = new Uint32Array(n), of = new Uint32Array(n);

		passing[0] = ranks.length;
		for (let i = 1; i < n; i++) {
			const above = passing[parent[i]], f = frame[i];

			passing[i] = Math.min(above, passed[f]);
			of[i] = category[Math.min(above, own[f])];
		}
		return of;
	}

	/*
	 * Returns the number of the state that frame F is, which is STATES.length for states of other programs, or -1. A state
	 * is a label of the stacks that it ends.
	 */
	function stateOf(f)
	{
		const name = frames.name[f], state = STATES.indexOf(name.slice(1, -1));

		if (frames.style[f][0] !== 'n' || !/^\[.*\]$/.test(name))
			return -1;
		return state < 0 && name.startsWith('[tag: ') ? STATES.length : state;
	}

	/* Returns where frames were executed, as PATH:LINE or PATH:FIRST–LAST, by frame. */
	function readLines()
	{
		const files = linesOf(section('files')), where = [];

		for (const line of linesOf(section('lines'))) {
			const [frame, file, first, last] = line.split(',');

			where[frame] = `${files[file - 1]}:${first}${last ? '\u2013' + last : ''}`;
		}
		return where;
	}

	const tree = readTree();

	return {
		unit : profile.getAttribute('unit'),
		shown : profile.getAttribute('shown') || profile.getAttribute('unit'),
		scale : number('scale'),
		factor : number('factor') || 1,
		inverted : number('inverted') === 1,
		stateOf : frames.name.map((_, f) => stateOf(f)), /* by frame */
		reversed : number('reversed') === 1, /* the leaf is at the root */
		isDiff,
		isNormalized : number('normalized') === 1,
		kinds,
		categories,
		frames,
		where : readLines(),
		functions,
		moduleOf,
		renamed,
		smallCallers : frames.name.indexOf('[smallest callers]'),
		categoriesOf,
		tree,
		times : readTimes(tree),
		outliers : readOutliers(),
	};
})();
