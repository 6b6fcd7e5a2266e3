/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writers of annotated functions. They return -1 and set ERR if OUT cannot be written. */
#ifndef VIEW_ANNOTATE_ANNOTATE_H
#define VIEW_ANNOTATE_ANNOTATE_H

#include "annotation.h"

#include <stdio.h>

/*
 * Writes source lines, or instructions if INSTRUCTIONS is set or if there are no source lines. Uses
 * colours on a terminal.
 */
int annotate_text(struct annotation *a, bool instructions, FILE *out, struct strbuf *err);

/* Writes a self-contained page: source lines, each with its instructions, and all instructions. */
int annotate_html(struct annotation *a, const char *title, FILE *out, struct strbuf *err);

#endif
