/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page in place of the static picture, and its theme. */
'use strict';
flametap.page = (() => {
	const { root, dom } = flametap;
	const alone = document.documentElement === root;
	const frame = dom.svg('foreignObject', { x: 0, y: 0, width: '100%', height: '100%' });

	function setTheme(name) {
		root.classList.remove('light', 'dark');
		if (name === 'light' || name === 'dark')
			root.classList.add(name);
	}

	/* Changes between light and dark. */
	function theme() {
		const dark = getComputedStyle(root).colorScheme === 'dark' ||
			(!root.classList.contains('light') && matchMedia('(prefers-color-scheme: dark)').matches);

		setTheme(dark ? 'light' : 'dark');
		dom.remember('theme', dark ? 'light' : 'dark');
	}

	/* Shows APP. The viewBox is for embedding. In a window of its own, the page has the size of the window. */
	function begin(app) {
		const height = Number(root.getAttribute('height'));

		root.removeAttribute('viewBox');
		root.setAttribute('height', Math.max(500, Math.min(height, 1000)));
		if (!alone)
			root.setAttribute('width', '100%');
		root.classList.add('live');
		if (alone)
			root.prepend(dom.html('meta',
				{ name: 'viewport', content: 'width=device-width, initial-scale=1' }));
		setTheme(dom.recall('theme'));
		frame.append(app);
		root.append(frame);
	}

	return { frame, theme, begin };
})();
