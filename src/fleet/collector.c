/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collector.h"
#include "fleet_url.h"
#include "input/otlp.pb-c.h"
#include "lib/compress/gzip.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"
#include "model/profile.h"
#include "model/recording.h"
#include "view/view.h"

#include <stdlib.h>
#include <string.h>

static void make_profile(const struct recording *rec, struct profile *p)
{
	struct recording_view view = {
		.event = -1, .comm = true, .label_sets = true, .places = true};

	profile_init(p);
	recording_to_profile(rec, &view, p);
	profile_finish(p);
}

/* Writes the profile as OTLP, compressed. The caller frees *BYTES. */
static int make_request(const struct profile *p, char **bytes, size_t *len, struct strbuf *err)
{
	char *plain = NULL;
	size_t nr = 0;
	FILE *out = open_memstream(&plain, &nr), *packed = open_memstream(bytes, len);
	struct gzip gzip;
	int ret = out && packed ? view_otlp(p, out, err) : -1;

	if (out)
		fclose(out);
	if (!ret)
		ret = gzip_init(&gzip, packed, err);
	if (!ret) {
		gzip_add(&gzip, plain, nr);
		gzip_finish(&gzip);
	}
	if (packed)
		fclose(packed);
	free(plain);
	return ret;
}

/* Returns HTTP_REFUSED with a message if the answer says that the collector has dropped it. */
static enum http_result look_at(const struct strbuf *answer, const char *place, struct strbuf *err)
{
	Otlp__ExportProfilesServiceResponse *response =
		otlp__export_profiles_service_response__unpack(
			NULL, answer->len, (const uint8_t *)answer->buf);
	enum http_result ret = HTTP_DONE;

	if (response && response->partial_success &&
		response->partial_success->rejected_profiles > 0) {
		const char *why = response->partial_success->error_message;

		strbuf_addf(err, "%s: dropped by the collector: ", place);
		message_add(err, why, strcspn(why, "\r\n"));
		strbuf_addch(err, '\n');
		ret = HTTP_REFUSED;
	}
	if (response)
		otlp__export_profiles_service_response__free_unpacked(response, NULL);
	return ret;
}

/* A collector says in a message why it failed; what is between may answer in words. */
static void take_words(struct strbuf *answer)
{
	Otlp__Status *status =
		otlp__status__unpack(NULL, answer->len, (const uint8_t *)answer->buf);

	if (status && *status->message) {
		strbuf_reset(answer);
		strbuf_adds(answer, status->message);
	}
	if (status)
		otlp__status__free_unpacked(status, NULL);
}

enum http_result collector_store(
	const struct fleet_url *url, const struct recording *rec, struct strbuf *err)
{
	struct strbuf answer = STRBUF_INIT;
	char *place = xasprintf("%s/v1development/profiles", url->base), *bytes = NULL;
	struct http_request request = {.url = place,
		.type = "application/x-protobuf",
		.gzip = true,
		.to_text = take_words};
	struct profile p;
	enum http_result ret = HTTP_FAILED;

	make_profile(rec, &p);
	if (!make_request(&p, &bytes, &request.len, err)) {
		request.body = bytes;
		ret = http_post(&request, &answer, err);
	}
	if (ret == HTTP_DONE)
		ret = look_at(&answer, place, err);
	profile_release(&p);
	strbuf_release(&answer);
	free(bytes);
	free(place);
	return ret;
}
