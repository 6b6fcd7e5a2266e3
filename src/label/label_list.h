/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sources of labels, each with one ROW(KIND, name), and their headers. Each source defines
 * LABEL_KIND in enum label_kind, struct label_source name_labels in its folder, struct name_layout
 * and name_texts, and for the BPF programs name_search_here(), name_ends_here(), name_key_here()
 * and name_texts_here().
 */
#ifndef LABEL_LABEL_LIST_H
#define LABEL_LABEL_LIST_H

#define LABEL_LIST(ROW)                                                                            \
	ROW(NGINX, nginx)                                                                          \
	ROW(PHP_REQUEST, php_request) ROW(POSTGRES, postgres) ROW(OTEL, otel)                      \
		ROW(GO_LABELS, go_labels)

#endif

/* There is no include guard, as in vm_list.h. */
#ifdef LABEL_LIST_LAYOUTS
#include "label/nginx/nginx_layout.h"
#include "label/php/php_request_layout.h"
#include "label/postgres/postgres_layout.h"
#include "label/otel/otel_layout.h"
#include "label/go/go_labels_layout.h"
#endif
#ifdef LABEL_LIST_BPF
#include "label/nginx/nginx_bpf.h"
#include "label/php/php_request_bpf.h"
#include "label/postgres/postgres_bpf.h"
#include "label/otel/otel_bpf.h"
#include "label/go/go_labels_bpf.h"
#endif
