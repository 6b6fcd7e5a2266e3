/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds offsets in nginx's structures by its version and the features that it was built with. */
#ifndef LABEL_NGINX_NGINX_SHAPE_H
#define LABEL_NGINX_NGINX_SHAPE_H

#include "nginx_layout.h"

enum { NGINX_FEATURES = 34 };

/*
 * The signature of nginx's modules, which has three sizes and a digit for each feature that changes
 * nginx's structures.
 */
struct nginx_features {
	bool has[NGINX_FEATURES + 1]; /* from 1, as in ngx_module.h */
	bool of_angie;                /* begins with Angie's name, and may have one more digit */
};
/* Parses a signature. Returns false if TEXT is not a signature. */
bool nginx_features_parse(const char *text, struct nginx_features *features);

enum { NGINX_FEATURE_THREADS = 22, NGINX_FEATURE_SSL = 24, NGINX_FEATURE_COMPAT = 34 };

/* Sets the layout's offsets. Newer versions than the last known one are taken to be like it. */
void nginx_shape(enum nginx_variant variant, uint32_t version,
	const struct nginx_features *features, struct nginx_layout *l);

/* Sets the offsets in connections, whose size is known. */
void nginx_shape_connection(const struct nginx_features *features, struct nginx_layout *l);

/*
 * Adapt the offsets in requests to MAIN, the offset that was seen in a request. nginx_shape_move()
 * moves all varying offsets, nginx_shape_stretch() only the offsets behind the start time.
 */
void nginx_shape_move(struct nginx_layout *l, uint16_t main);
void nginx_shape_stretch(struct nginx_layout *l, uint16_t main);

#endif
