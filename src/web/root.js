/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file and the files after it in a list of the Makefile are one script, in which each file adds its part to one object. */
'use strict';
const flametap = {
	root: document.currentScript.ownerSVGElement
};
