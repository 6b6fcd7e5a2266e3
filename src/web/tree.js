/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A call tree in typed arrays (see readTree in data.js), and transformations of it. */
'use strict';
flametap.tree = (() => {
	const { data: { frames, functions, stateOf, reversed, smallCallers }, sides: { areTwo, divisors } } = flametap;
	const hasStates = stateOf.some((state) => state >= 0);
	const STEP = 4; /* characters of a link for each level */

	/* Returns the weight on SIDE of the nodes from I to before END. */
	const between = (side, i, end) => side[end] - side[i];

	/* Combines two sides into the widths of frames. */
	function together([before, after]) {
		const last = before.length - 1, sum = new Float64Array(last + 1);
		const [x, y] = divisors([before[last], after[last]]);

		for (let i = 0; i <= last; i++)
			sum[i] = before[i] / x + after[i] / y;
		return sum;
	}

	class Tree {
		constructor(parts) {
			Object.assign(this, parts);
			this.start = this.sides[1] ? together(this.sides) : this.sides[0];
		}

		/* Returns the same tree with the widths of one side, 0 or 1. */
		ofSide(side) {
			return Object.assign(Object.create(Tree.prototype), this, { start: this.sides[side] });
		}

		total(i) {
			return between(this.start, i, this.end[i]);
		}

		self(i) {
			return between(this.start, i, i + 1);
		}

		/* Returns the total on each side. */
		totals(i) {
			return this.sides.map((side) => between(side, i, this.end[i]));
		}

		/* Returns the weight on each side of the stacks that end at the node. */
		owns(i) {
			return this.sides.map((side) => between(side, i, i + 1));
		}

		selfs(i) {
			return this.sides.map((side) => this.leaf(side, i));
		}

		/* Whether a node is the state of a stack's leaf, to which it is adjacent. */
		isState(i) {
			if (!hasStates || !(stateOf[this.frame[i]] >= 0))
				return false;
			return reversed ? !this.parent[i] && this.end[i] > i + 1
				: this.parent[i] > 0 && this.end[i] === i + 1;
		}

		/* Whether a state is drawn as the colour of the function that waits, and not as a frame. */
		isColour(i) {
			return !areTwo() && this.parent[i] > 0 && this.isState(i);
		}

		/* Returns the states that are the colours of parts of a node, from left to right. */
		coloursOf(i) {
			const list = [];

			for (let c = i + 1; hasStates && c < this.end[i]; c = this.end[c])
				if (this.isColour(c))
					list.push(c);
			return list;
		}

		/* Returns the weight on SIDE of the stacks with this leaf. In a reversed tree, leaves are at the root. */
		leaf(side, i) {
			let sum = between(side, i, i + 1);

			if (reversed && i && !this.isState(i))
				return !this.parent[i] || this.isState(this.parent[i]) ? between(side, i, this.end[i]) : 0;
			if (reversed || !hasStates || !i)
				return sum;
			if (this.isState(i))
				return 0;
			for (let c = i + 1; c < this.end[i]; c = this.end[c])
				if (this.isState(c))
					sum += between(side, c, this.end[c]);
			return sum;
		}

		name(i) {
			return frames.name[this.frame[i]];
		}

		/* Returns the child of NODE whose frame has this code, or 0 if there is none. */
		childOf(node, code) {
			for (let i = node + 1; i < this.end[node]; i = this.end[i])
				if (codeOf(this.frame[i]) === code)
					return i;
			return 0;
		}

		/* Returns the heaviest node below NODE whose frame has this code, or 0 if there is none. */
		heaviestBelow(node, code) {
			let best = 0;

			for (let i = node + 1; i < this.end[node]; i++)
				if (codeOf(this.frame[i]) === code && (!best || this.total(i) > this.total(best)))
					best = i;
			return best;
		}

		/* Returns the path of a node by names only, so that it is valid in other profiles as well. */
		link(i) {
			let link = '';

			for (; i; i = this.parent[i])
				link = codeOf(this.frame[i]) + link;
			return link;
		}

		/* Returns the weight on SIDE of the stacks in NODE with a marked node, each counted once. */
		marked(node, mark, side) {
			let sum = 0;

			for (let i = node; i; i = this.parent[i])
				if (mark[i])
					return between(side, node, this.end[node]);
			for (let i = node + 1; i < this.end[node];) {
				if (mark[i]) {
					sum += between(side, i, this.end[i]);
					i = this.end[i];
				} else {
					i++;
				}
			}
			return sum;
		}

		/*
		 * Adds up nodes by KEY, a function of nodes that returns a number below NR, or -1 for nodes that do not count.
		 * Returns for each key the self weight, which is the weight of stacks with such a leaf, the inclusive weight, in
		 * which a stack counts once, and the number of nodes.
		 */
		addUp(key, nr) {
			const zeros = () => this.sides.map(() => new Float64Array(nr));
			const sums = { self: zeros(), total: zeros(), places: new Uint32Array(nr) };
			const covered = new Uint32Array(nr); /* for each key, the end of its outermost node */

			for (let i = 1; i < this.n; i++) {
				const k = key(i), outermost = i >= covered[k];

				if (k < 0)
					continue;
				if (outermost)
					covered[k] = this.end[i];
				sums.places[k]++;
				this.sides.forEach((side, s) => {
					sums.self[s][k] += this.leaf(side, i);
					if (outermost)
						sums.total[s][k] += between(side, i, this.end[i]);
				});
			}
			return sums;
		}

		byFunction() {
			this.functionSums = this.functionSums ||
				this.addUp((i) => (this.isState(i) ? -1 : functions.of[this.frame[i]]), functions.first.length);
			return this.functionSums;
		}
	}

	/*
	 * Follows LINK from the root of a tree or of Callers. With LENIENT, for a link from another view, skips missing levels
	 * and additional frames.
	 */
	function follow(tree, link, lenient) {
		let node = 0, missing = false;

		for (let at = 0; at < link.length && (lenient || !missing); at += STEP) {
			const code = link.slice(at, at + STEP), child = tree.childOf(node, code);

			missing = missing || !child;
			node = child || (lenient && tree.heaviestBelow(node, code)) || node;
		}
		return { node, missing };
	}

	const codes = [];

	/* Returns a code of four characters for a frame: a hash of its kind, its name and its module's file name. */
	function codeOf(f) {
		if (codes[f])
			return codes[f];
		const text = frames.style[f][0] + frames.module[f].replace(/^.*\//, '') + '\n' + frames.name[f];
		let h = 0x2545f491;

		for (let i = 0; i < text.length; i++) {
			h = Math.imul(h ^ text.charCodeAt(i), 0x85ebca6b);
			h ^= h >>> 13;
		}
		codes[f] = '';
		for (let digit = 0; digit < STEP; digit++, h >>>= 6)
			codes[f] += 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'[h & 63];
		return codes[f];
	}

	/* ---- new trees */

	/* Merges stacks. Nodes are identified by their parent, which is added first, and by their frame. */
	class Builder {
		constructor(room, nrSides) {
			let slots = 16;

			while (slots < 2 * room)
				slots *= 2;
			this.n = 1;
			this.frame = new Uint32Array(room);
			this.parent = new Uint32Array(room);
			this.category = new Uint32Array(room);
			this.selfs = Array.from({ length: nrSides }, () => new Float64Array(room));
			this.slots = new Int32Array(slots);
		}

		/* Returns the child of NODE with the frame. Categories are set after all nodes are added. */
		child(node, frame) {
			const mask = this.slots.length - 1;
			const h = Math.imul(node, 0x9e3779b1) + Math.imul(frame, 0x85ebca6b);
			let slot = (h ^ h >>> 15) & mask;

			for (let i; (i = this.slots[slot]); slot = slot + 1 & mask)
				if (this.parent[i] === node && this.frame[i] === frame)
					return i;
			this.slots[slot] = this.n;
			this.parent[this.n] = node;
			this.frame[this.n] = frame;
			return this.n++;
		}
	}

	/* Returns the fields of a Builder with the nodes of a tree. */
	function partsOf(tree) {
		const selfs = tree.sides.map((side) => {
			const self = new Float64Array(tree.n);

			for (let i = 0; i < tree.n; i++)
				self[i] = between(side, i, i + 1);
			return self;
		});
		return { n: tree.n, frame: tree.frame, parent: tree.parent, category: tree.category, selfs };
	}

	let ranks = new Uint32Array(0);

	/* Returns the rank of each frame by name. */
	function rankOf() {
		const { name, module, style } = frames, less = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

		if (ranks.length === name.length)
			return ranks;
		ranks = new Uint32Array(name.length);
		[...ranks.keys()].sort((a, b) => less(name[a], name[b]) || less(style[a], style[b]) ||
			less(module[a], module[b])).forEach((f, rank) => ranks[f] = rank);
		return ranks;
	}

	/* Returns linked lists of children in the given order. Nodes without weight are omitted. */
	function childLists({ n, parent, frame, selfs }, byWeight) {
		const weight = new Float64Array(n), child = new Uint32Array(n), next = new Uint32Array(n);
		const rank = rankOf(), byName = (a, b) => rank[frame[a]] - rank[frame[b]];
		const small = (i) => frame[i] === smallCallers, smallLast = (a, b) => small(a) - small(b);
		const order = byWeight ? (a, b) => smallLast(a, b) || weight[b] - weight[a] || byName(a, b)
			: (a, b) => smallLast(a, b) || byName(a, b);

		const totals = selfs.map((self) => self.slice(0, n));

		for (const total of totals)
			for (let i = n - 1; i; i--) /* children come after their parents */
				total[parent[i]] += total[i];
		const list = divisors(totals.map((total) => total[0]));

		totals.forEach((total, s) => {
			for (let i = 0; i < n; i++)
				weight[i] += total[i] / list[s];
		});
		for (let i = n - 1; i; i--) {
			if (!weight[i])
				continue;
			next[i] = child[parent[i]];
			child[parent[i]] = i;
		}
		for (let i = 0; i < n; i++)
			if (!isSorted(child[i], next, order))
				sortList(i, child, next, order);
		return { child, next };
	}

	function isSorted(c, next, order) {
		while (next[c] && order(c, next[c]) <= 0)
			c = next[c];
		return !next[c];
	}

	function sortList(i, child, next, order) {
		const list = [];

		for (let c = child[i]; c; c = next[c])
			list.push(c);
		list.sort(order);
		list.forEach((c, at) => next[c] = list[at + 1] || 0);
		child[i] = list[0];
	}

	/* Returns the tree of a Builder's nodes. origin has the number of each node in the Builder. */
	function arrange(parts, byWeight) {
		const { n, parent } = parts, { child, next } = childLists(parts, byWeight);
		const origin = new Uint32Array(n), place = new Uint32Array(n), end = new Uint32Array(n);
		let nr = 0;

		for (let i = 0;;) {
			place[i] = nr;
			origin[nr++] = i;
			if (child[i]) {
				i = child[i];
				continue;
			}
			for (; i && !next[i]; i = parent[i])
				end[place[i]] = nr;
			if (!i)
				break;
			end[place[i]] = nr;
			i = next[i];
		}
		end[0] = nr;
		return new Tree({ n: nr, end: end.slice(0, nr), origin: origin.slice(0, nr),
			...moved(parts, origin, place, nr) });
	}

	/* Returns the other arrays of a tree in their new order. */
	function moved(parts, origin, place, n) {
		const frame = new Uint32Array(n), parent = new Uint32Array(n), depth = new Uint32Array(n);
		const category = new Uint32Array(n);
		const sides = parts.selfs.map((self) => {
			const side = new Float64Array(n + 1);

			for (let i = 0; i < n; i++)
				side[i + 1] = side[i] + self[origin[i]];
			return side;
		});

		for (let i = 0; i < n; i++) {
			frame[i] = parts.frame[origin[i]];
			category[i] = parts.category[origin[i]];
			parent[i] = place[parts.parent[origin[i]]];
			depth[i] = i && depth[parent[i]] + 1;
		}
		return { frame, parent, depth, category, sides };
	}

	/*
	 * Returns TREE with other weights: each of SIDES has their sum to the left of each node. Nodes without weight are omitted;
	 * origin has the number of each node in TREE.
	 */
	function reweighted(tree, sides) {
		const kept = new Uint32Array(tree.n + 1); /* how many nodes before each node are kept */

		for (let i = 0; i < tree.n;)
			if (!i || sides.some((side) => side[tree.end[i]] > side[i])) {
				kept[i + 1] = kept[i] + 1;
				i++;
			} else {
				kept.fill(kept[i], i + 1, tree.end[i] + 1);
				i = tree.end[i];
			}
		const n = kept[tree.n], origin = new Uint32Array(n), weights = sides.map(() => new Float64Array(n + 1));

		for (let i = 0; i < tree.n; i++)
			if (kept[i + 1] > kept[i]) {
				origin[kept[i]] = i;
				weights.forEach((side, s) => side[kept[i] + 1] = sides[s][i + 1]);
			}
		return new Tree({
			n,
			origin,
			frame: origin.map((i) => tree.frame[i]),
			parent: origin.map((i) => kept[tree.parent[i]]),
			depth: origin.map((i) => tree.depth[i]),
			end: origin.map((i) => kept[tree.end[i]]),
			category: origin.map((i) => tree.category[i]),
			sides: weights,
		});
	}

	return { Tree, Builder, follow, codeOf, partsOf, arrange, reweighted };
})();
