/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Elements and browser services. Names come from the profiled program, so they are only ever set as text or as values of
 * attributes.
 */
'use strict';
flametap.dom = (() => {
	const SVG = 'http://www.w3.org/2000/svg', HTML = 'http://www.w3.org/1999/xhtml';

	function set(element, attributes) {
		for (const key of Object.keys(attributes))
			element.setAttribute(key, attributes[key]);
		return element;
	}

	const svg = (name, attributes = {}) => set(document.createElementNS(SVG, name), attributes);

	function html(name, attributes = {}, ...children) {
		const element = set(document.createElementNS(HTML, name), attributes);

		element.append(...children);
		return element;
	}

	/* Returns a button that runs ACTION. TITLE is its tooltip. */
	function button(label, title, action, attributes = {}) {
		const element = html('button', { type: 'button', title, ...attributes }, label);

		element.addEventListener('click', action);
		return element;
	}

	/* Returns a function that runs ACTION at most once per animation frame. */
	function calmly(action) {
		let waiting = false;

		return () => {
			if (!waiting)
				requestAnimationFrame(() => {
					waiting = false;
					action();
				});
			waiting = true;
		};
	}

	/* Stores a setting of the user that is not part of the view. Storage may be unavailable. */
	function remember(key, value) {
		try {
			localStorage.setItem('flametap-' + key, value);
		} catch (e) {
			return;
		}
	}

	function recall(key) {
		try {
			return localStorage.getItem('flametap-' + key);
		} catch (e) {
			return null;
		}
	}

	/* Copies TEXT to the clipboard. Returns false if the browser denies it. */
	async function copy(text, area) {
		try {
			await navigator.clipboard.writeText(text);
			return true;
		} catch (e) {
			area.value = text;
			area.select();
			try {
				return document.execCommand('copy');
			} catch (unsupported) {
				return false;
			}
		}
	}

	return { svg, html, set, button, calmly, remember, recall, copy };
})();
