/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call tree that the SVG file carries; src/view/flame_data.h describes its form. This file and
 * flame.js behind it are one script.
 */
'use strict';
const flametapTree = (() => {
	const DATA = 'urn:flametap:profile';
	const DIGITS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ' +
		'0123456789!#$%()*+,-./:;=?@[]^_`{|}~';
	const LAST = 52, MORE = 36;

	const data = document.currentScript.ownerSVGElement.
		getElementsByTagNameNS(DATA, 'profile')[0];
	const section = (name) => data.getElementsByTagNameNS(DATA, name)[0].textContent;
	const linesOf = (text) => text.split('\n').slice(0, -1);
	const frames = readFrames();
	const tree = readTree(section('tree'), Number(data.getAttribute('nodes')) + 1);

	/* Arrays by the frame's number; the root's is the last. */
	function readFrames() {
		const modules = linesOf(section('modules'));
		const all = { style: [], name: [], module: [] };

		for (const line of linesOf(section('frames'))) {
			const blank = line.indexOf(' ');

			all.style.push(line.slice(0, 2));
			all.module.push(modules[line.slice(2, blank) - 1] || '');
			all.name.push(line.slice(blank + 1));
		}
		all.style.push('r0');
		all.module.push('');
		all.name.push('all');
		return all;
	}

	function numberReader(text) {
		const digits = new Uint8Array(128);
		let at = 0;

		for (let i = 0; i < DIGITS.length; i++)
			digits[DIGITS.charCodeAt(i)] = i;
		return () => {
			for (let sum = 0, place = 1;; place *= MORE) {
				const digit = digits[text.charCodeAt(at++)];

				if (digit === undefined)
					throw new Error('the call tree in this file is damaged');
				sum += digit * place;
				if (digit < LAST)
					return sum;
			}
		};
	}

	/*
	 * Arrays by the node's number in pre-order, 0 is the root. end is the number behind the last node
	 * below; start is the weight left of the node, so that sums are differences.
	 */
	function readTree(text, n) {
		const next = numberReader(text);
		const frame = new Uint32Array(n), parent = new Uint32Array(n);
		const depth = new Uint32Array(n), end = new Uint32Array(n);
		const start = new Float64Array(n + 1);
		let weight = Number(data.getAttribute('self') || 0);

		frame[0] = frames.name.length - 1;
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
			start[i] = weight;
			if (code & 1)
				weight += next() + 1;
		}
		start[n] = weight;
		for (let i = n - 1; i; i = parent[i])
			end[i] = n;
		end[0] = n;
		return { n, frame, parent, depth, end, start };
	}

	const totalOf = (i) => tree.start[tree.end[i]] - tree.start[i];
	const selfOf = (i) => tree.start[i + 1] - tree.start[i];
	const nameOf = (i) => frames.name[tree.frame[i]];
	const styleOf = (i) => frames.style[tree.frame[i]];

	/* The weight in NODE of all stacks with a frame that HIT marks, each counted once. */
	function matchedIn(node, hit) {
		let sum = 0;

		for (let i = node; i; i = tree.parent[i])
			if (hit[tree.frame[i]])
				return totalOf(node);
		for (let i = node + 1; i < tree.end[node];) {
			if (hit[tree.frame[i]]) {
				sum += totalOf(i);
				i = tree.end[i];
			} else {
				i++;
			}
		}
		return sum;
	}

	function mix(h, value) {
		h = Math.imul(h ^ value, 0x85ebca6b);
		return (h ^ h >>> 13) >>> 0;
	}

	/* One 32-bit hash of each path from the root, by its names alone: holds in another profile, too. */
	function pathHashes(seed) {
		const ofFrame = frames.name.map((name, f) => {
			const text = frames.style[f][0] + frames.module[f] + '\n' + name;
			let h = seed;

			for (let i = 0; i < text.length; i++)
				h = mix(h, text.charCodeAt(i));
			return h;
		});
		const hashes = new Uint32Array(tree.n);

		for (let i = 1; i < tree.n; i++)
			hashes[i] = mix(mix(hashes[tree.parent[i]], seed), ofFrame[tree.frame[i]]);
		return hashes;
	}

	let hashes = null;

	function linkOf(i) {
		const hex = (h) => h.toString(16).padStart(8, '0');

		hashes = hashes || [pathHashes(0x2545f491), pathHashes(0x9e3779b9)];
		return hex(hashes[0][i]) + hex(hashes[1][i]);
	}

	function nodeOfLink(link) {
		linkOf(0);
		const a = parseInt(link.slice(0, 8), 16), b = parseInt(link.slice(8), 16);

		for (let i = 1; i < tree.n; i++)
			if (hashes[0][i] === a && hashes[1][i] === b)
				return i;
		return -1;
	}

	return {
		unit: data.getAttribute('unit'),
		scale: Number(data.getAttribute('scale')),
		inverted: data.getAttribute('inverted') === '1',
		...tree, frames, totalOf, selfOf, nameOf, styleOf, matchedIn, linkOf, nodeOfLink,
	};
})();
