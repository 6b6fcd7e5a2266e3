/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a process of PHP has what it knows of its request, and the texts of a request. Also
 * included by the BPF programs. Sources: SAPI.h, fastcgi.c; the offsets without a member of the
 * layout are the same in all versions from 7.0 on.
 */
#ifndef LABEL_PHP_PHP_REQUEST_LAYOUT_H
#define LABEL_PHP_PHP_REQUEST_LAYOUT_H

#include "runtime/pointer_path.h"

#include <stdint.h>

enum {
	PHP_REQUEST_INFO = 8,          /* in struct _sapi_globals_struct */
	PHP_REQUEST_STARTED = 250,     /* sapi_started */
	PHP_REQUEST_STARTED_OLD = 436, /* before 8.6 */

	/* from there on, addresses of texts */
	PHP_INFO_METHOD = 0,
	PHP_INFO_ARGS = 1,
	PHP_INFO_SCRIPT = 4,
	PHP_INFO_URI = 5,
	PHP_INFO_WORDS = 6,
};

/*
 * In a process of php-fpm or php-cgi, the first word of SAPI's globals points to the request, and
 * its hash table with the variables from the server has what the client has asked for. SAPI's URI
 * is the name of the script then.
 */
enum {
	PHP_FCGI_TABLE = 8296, /* in struct _fcgi_request; 128 entries */
	PHP_FCGI_SLOT = 35,    /* entry with REQUEST_URI, by FCGI_HASH_FUNC() */
	PHP_FCGI_URI_LEN = 11,
	PHP_FCGI_CHAIN = 8, /* variables with the same entry that are examined */
};

struct php_fcgi_variable {
	uint32_t hash, name_len;
	uint64_t name;
	uint64_t value_len;
	uint64_t value; /* ends with a NUL */
	uint64_t next;
};

struct php_request_layout {
	uint32_t version; /* as in struct php_layout */
	uint32_t threads; /* 1 if it was built with thread safety */
	/* Path to a thread's globals, and where SAPI's are there: see struct php_layout. */
	struct pointer_path globals;
	uint64_t at;
	uint64_t started; /* offset there of sapi_started */
};

/* The labels: the texts come first. */
enum php_request_key {
	PHP_REQUEST_URI, /* without the query */
	PHP_REQUEST_ARGS,
	PHP_REQUEST_SCRIPT, /* the file */
	PHP_REQUEST_METHOD,
	PHP_REQUEST_TEXTS,
	PHP_REQUEST_WORKER = PHP_REQUEST_TEXTS,
	PHP_REQUEST_KEYS,
};

enum { PHP_REQUEST_NONE = 1, PHP_REQUEST_TEXT_MAX = 192 };

struct php_request_texts {
	/* Longer texts are cut. They end with a NUL, and only NULs follow. */
	char text[PHP_REQUEST_TEXTS][PHP_REQUEST_TEXT_MAX];
};

/* The identity of a request is what its texts are: their memory is used for the next request. */
struct php_request_identity {
	uint64_t hash;
};

#endif
