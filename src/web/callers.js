/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bottom-up tree. Below the root are functions, and below each function are its callers, which are expanded on demand. The
 * whole tree would be many times as large as the call tree. The expanded part is exact.
 */
'use strict';
flametap.Callers = (() => {
	const { frames } = flametap.data;
	const { Builder, codeOf, arrange } = flametap.tree;

	class Callers {
		/*
		 * Makes the tree of the stacks through PLACES, which are nodes of TREE. WEIGHTS has the weight of each node for
		 * each side.
		 */
		constructor(tree, places, weights) {
			this.tree = tree;
			this.weights = weights;
			this.place = Uint32Array.from(places); /* places of one node are adjacent */
			this.at = this.place.slice(); /* for each place, the current caller */
			this.nodes = [];
			this.slot = new Int32Array(frames.name.length).fill(-1);
			this.add(-1, tree.frame[0], 0, 0, this.place.length);
			this.expand(0);
		}

		add(parent, frame, category, first, end) {
			const sums = this.weights.map((weights) => {
				let sum = 0;

				for (let e = first; e < end; e++)
					sum += weights[this.place[e]];
				return sum;
			});

			this.nodes.push({ parent, frame, category, first, end, sums, children: null });
			this.arranged = null;
			return this.nodes.length - 1;
		}

		/* Finds the callers of a node. Stacks without a caller stay with the node and come first. */
		expand(node) {
			const { first, end, children } = this.nodes[node];
			const { tree, place, at, slot } = this;

			if (children)
				return;
			const groups = [{ frame: -1, entries: [] }];
			for (let e = first; e < end; e++) {
				if (node)
					at[e] = tree.parent[at[e]];
				const frame = tree.frame[at[e]];
				let group = at[e] ? slot[frame] : 0;
				if (group < 0) {
					group = slot[frame] = groups.length;
					groups.push({ frame, entries: [] });
				}
				groups[group].entries.push(place[e], at[e]);
			}
			this.nodes[node].children = [];
			this.regroup(node, groups);
		}

		regroup(node, groups) {
			let to = this.nodes[node].first;

			for (const { frame, entries } of groups) {
				const first = to;

				for (let e = 0; e < entries.length; e += 2, to++) {
					this.place[to] = entries[e];
					this.at[to] = entries[e + 1];
				}
				if (frame < 0)
					continue;
				this.slot[frame] = -1;
				this.nodes[node].children.push(
					this.add(node, frame, this.tree.category[entries[1]], first, to));
			}
		}

		/* See Tree.childOf. */
		childOf(node, code) {
			this.expand(node);
			return this.nodes[node].children.find((c) => codeOf(this.nodes[c].frame) === code) || 0;
		}

		heaviestBelow() {
			return 0;
		}

		weight(node) {
			return this.nodes[node].sums.reduce((a, b) => a + b);
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
					sum += this.weights[side][this.place[e]];
			return sum;
		}
	}

	return Callers;
})();
