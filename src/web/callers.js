/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bottom-up tree. Below the root are functions, and below each function are its callers, which are expanded on demand. The
 * whole tree would be many times as large as the call tree. The expanded part is exact.
 */
'use strict';
flametap.Callers = (() => {
	const { frames, smallCallers } = flametap.data;
	const { combiner } = flametap.sides;
	const { Builder, codeOf, arrange } = flametap.tree;

	const FEWEST = 5; /* as many small callers are worth a frame of their own */

	class Callers {
		/*
		 * Makes the tree of the stacks that end at PLACES, which are nodes of TREE or, with THROUGH, of all stacks through
		 * these. The smallest callers of a node that have at most SMALL of its weight together are below one frame.
		 */
		constructor(tree, places, through, small) {
			this.tree = tree;
			this.through = through;
			this.small = small;
			this.place = new Uint32Array(places); /* places of one node are adjacent */
			this.at = this.place.slice(); /* for each place, the current caller */
			this.nodes = [];
			this.slot = new Int32Array(frames.name.length).fill(-1); /* while callers are found, the group of each frame */
			this.spare = []; /* room for the entries of the largest node that was expanded */
			this.add(-1, tree.frame[0], 0, 0, this.place.length);
			this.combine = combiner(this.nodes[0].sums);
			this.expand(0);
		}

		/* Returns the weight on SIDE, one of the tree's, of the stacks at or through a place. */
		weightAt(side, place) {
			return side[this.through ? this.tree.end[place] : place + 1] - side[place];
		}

		add(parent, frame, category, first, end) {
			const { place } = this;
			const sums = this.tree.sides.map((side) => {
				let sum = 0;

				for (let e = first; e < end; e++)
					sum += this.weightAt(side, place[e]);
				return sum;
			});

			this.nodes.push({ parent, frame, category, first, end, sums, children: null });
			this.arranged = null;
			return this.nodes.length - 1;
		}

		/* Finds the callers of a node. Stacks without a caller stay with the node and come first. */
		expand(node) {
			const { first, end, children } = this.nodes[node];
			const { at, slot, tree: { parent, frame } } = this;

			if (children)
				return;
			const groups = [], addGroup = (of) => groups.push({ frame: of, size: 0, sums: this.tree.sides.map(() => 0) }) - 1;

			addGroup(-1);
			for (let e = first; e < end; e++) {
				const caller = node ? (at[e] = parent[at[e]]) : at[e], f = frame[caller];
				let group = caller ? slot[f] : 0;
				if (group < 0)
					group = slot[f] = addGroup(f);
				groups[group].size++;
				this.tree.sides.forEach((side, s) => groups[group].sums[s] += this.weightAt(side, this.place[e]));
			}
			for (const group of groups)
				group.weight = this.combine(group.sums);
			this.nodes[node].children = [];
			this.regroup(node, groups, this.putSmallLast(node, groups));
		}

		/* Moves the smallest groups to the end. Returns the index of the first of them. */
		putSmallLast(node, groups) {
			const order = groups.slice(1).sort((a, b) => a.weight - b.weight);
			let nr = 0;

			for (let left = this.weight(node) * this.small; nr < order.length && order[nr].weight <= left; nr++)
				left -= order[nr].weight;
			if (nr < FEWEST)
				return groups.length;
			const last = new Set(order.slice(0, nr)), first = groups.filter((group) => !last.has(group));
			groups.splice(0, groups.length, ...first, ...last);
			groups.forEach((group, at) => {
				if (at)
					this.slot[group.frame] = at;
			});
			return first.length;
		}

		/* Sorts the entries of NODE by their groups, and adds a child for each group. Those from SMALL on are below one child. */
		regroup(node, groups, small) {
			const { first, end } = this.nodes[node], n = end - first;
			const { place, at, slot, tree: { frame, category } } = this;
			let begin = first;

			if (!this.spare.length || this.spare[0].length < n)
				this.spare = [new Uint32Array(n), new Uint32Array(n)];
			const [places, callers] = this.spare, next = groups.map(({ size }) => (begin += size) - size);
			places.set(place.subarray(first, end));
			callers.set(at.subarray(first, end));
			for (let e = 0; e < n; e++) {
				const caller = callers[e], to = next[caller ? slot[frame[caller]] : 0]++;

				place[to] = places[e];
				at[to] = caller;
			}
			let to = node;
			for (let group = 1; group < groups.length; group++) {
				const { frame: f, size } = groups[group], from = next[group] - size;

				slot[f] = -1;
				if (group === small)
					to = this.addChild(node, smallCallers, 0, from, end);
				this.addChild(to, f, category[at[from]], from, next[group]);
			}
		}

		addChild(node, ...rest) {
			const child = this.add(node, ...rest);

			(this.nodes[node].children = this.nodes[node].children || []).push(child);
			return child;
		}

		/* See Tree.childOf. */
		childOf(node, code) {
			this.expand(node);
			return this.nodes[node].children.find((c) => codeOf(this.nodes[c].frame) === code) || 0;
		}

		heaviestBelow() {
			return 0;
		}

		/* Returns the weight of a node as it is drawn. */
		weight(node) {
			return this.combine(this.nodes[node].sums);
		}

		/* Expands callers in and below NODE that have at least SHARE of its weight. */
		expandBelow(node, share) {
			const least = this.weight(node) * share;

			for (const open = [node]; open.length;) {
				const i = open.pop();

				this.expand(i);
				for (const child of this.nodes[i].children)
					if (this.weight(child) >= least)
						open.push(child);
			}
		}

		/* Returns the expanded part as a Tree, whose origin refers to nodes of this tree. */
		arrange(byWeight) {
			if (this.arranged && this.arranged.byWeight === byWeight)
				return this.arranged.tree;
			const { nodes, tree } = this;
			const parts = new Builder(nodes.length, tree.sides.length);

			nodes.forEach((node, i) => {
				parts.parent[i] = Math.max(node.parent, 0);
				parts.frame[i] = node.frame;
				parts.category[i] = node.category;
				parts.selfs.forEach((self, s) => {
					self[i] += node.sums[s];
					if (i)
						self[node.parent] -= node.sums[s];
				});
			});
			parts.n = nodes.length;
			this.arranged = { byWeight, tree: arrange(parts, byWeight) };
			return this.arranged.tree;
		}

		/* Whether a node has marked callers that are not expanded yet. */
		hides(node, mark) {
			const { first, end, children } = this.nodes[node];

			for (let e = first; !children && e < end; e++)
				if (mark[this.tree.parent[this.at[e]]])
					return true;
			return false;
		}

		/* Expands the callers of a node, and their callers as long as there is only one. */
		lookUp(node, mark) {
			for (let i = node; this.hides(i, mark); i = this.nodes[i].children[0]) {
				this.expand(i);
				if (this.nodes[i].children.length !== 1)
					break;
			}
		}

		/* Returns the weight on SIDE of the stacks in a node that are marked, or whose callers are marked, by MARK. */
		marked(node, mark, side) {
			const { first, end } = this.nodes[node];
			let sum = 0;

			for (let e = first; e < end; e++)
				if (mark[this.place[e]])
					sum += this.weightAt(this.tree.sides[side], this.place[e]);
			return sum;
		}
	}

	return Callers;
})();
