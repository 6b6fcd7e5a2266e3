/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Offsets in nginx's structures, by its version and the features that it was built with. */
#ifndef LABEL_NGINX_NGINX_SHAPE_H
#define LABEL_NGINX_NGINX_SHAPE_H

#include "nginx_layout.h"

enum { NGINX_FEATURES = 34 };

/*
 * The signature of nginx's modules: three sizes and a digit for each feature that changes its
 * structures. False: TEXT is none.
 */
struct nginx_features {
	bool has[NGINX_FEATURES + 1]; /* from 1, as in ngx_module.h */
	bool of_angie;                /* its name is in front of them, and it may have one more */
};
bool nginx_features_parse(const char *text, struct nginx_features *features);

enum { NGINX_FEATURE_THREADS = 22, NGINX_FEATURE_SSL = 24, NGINX_FEATURE_COMPAT = 34 };

/* Sets the layout's offsets; of VERSIONs newer than the last one that is known, as of that. */
void nginx_shape(enum nginx_variant variant, uint32_t version,
	const struct nginx_features *features, struct nginx_layout *l);

/* The offset in connections, whose size is known. */
void nginx_shape_connection(const struct nginx_features *features, struct nginx_layout *l);

/*
 * The offsets in requests with MAIN, as seen in a request: moves all in front of it, or only what
 * is behind the time when it started.
 */
void nginx_shape_move(struct nginx_layout *l, uint16_t main);
void nginx_shape_stretch(struct nginx_layout *l, uint16_t main);

#endif
