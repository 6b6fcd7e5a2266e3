/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writers of annotated functions. -1 and ERR if OUT cannot be written. */
#ifndef VIEW_ANNOTATE_ANNOTATE_H
#define VIEW_ANNOTATE_ANNOTATE_H

#include "annotation.h"

#include <stdio.h>

/* Source lines or, with INSTRUCTIONS or where there are none, instructions. On a terminal in
 * colour. */
int annotate_text(struct annotation *a, bool instructions, FILE *out, struct strbuf *err);

/* One self-contained page: source lines, their instructions behind each, and all instructions. */
int annotate_html(struct annotation *a, const char *title, FILE *out, struct strbuf *err);

#endif
